"""Who calls a route: somebody's browser, by its cookie, or somebody's program, by a key."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from leaf import errors
from leaf.services import accounts, api_keys
from leaf.services.api_keys import Scope


@dataclass(frozen=True)
class Caller:
    """Somebody whom a request speaks for."""

    person: accounts.Session | api_keys.Bearer
    """With their `actor`."""
    lasts: Callable[[], Awaitable[bool]]
    """Whether the session or the key still holds: streams ask again while they are read."""


async def identify(request: Request, scope: Scope) -> Caller:
    """The caller of a request. Where there is an Authorization header, nothing but it counts.

    Args:
        request: The request.
        scope: What a key has to be allowed to; a browser may do everything.

    Raises:
        errors.Unauthenticated: There is neither a session nor a key.
        errors.Forbidden: The key may not do this.
    """
    authorization = request.headers.get("authorization")
    if authorization is None:
        return await of_browser(request.headers.get("cookie", ""))
    kind, _, key = authorization.partition(" ")
    bearer = await api_keys.bearer(key.strip()) if kind.lower() == "bearer" else None
    if bearer is None:
        raise errors.Unauthenticated("This key is none, has ended or was revoked. Make one in Settings → API keys.")
    if scope not in bearer.scopes:
        raise errors.Forbidden(f"This key may not do that: it has not the scope “{scope}”.")

    async def lasts() -> bool:
        return await api_keys.bearer(key.strip()) is not None

    return Caller(bearer, lasts)


async def of_browser(cookie: str) -> Caller:
    """Whom a Cookie header speaks for.

    Raises:
        errors.Unauthenticated: Nobody.
    """
    session = await accounts.session(cookie)
    if session is None:
        raise errors.Unauthenticated

    async def lasts() -> bool:
        return await accounts.session(cookie) is not None

    return Caller(session, lasts)


def _known(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


Known = Annotated[Caller, Depends(_known)]
"""The caller, as the route has found it out before it read anything else."""
