"""Who calls a route: somebody's browser, by its cookie, or somebody's program, by a key."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from leaf import errors
from leaf.services import accounts, api_keys, readers
from leaf.services.api_keys import Scope
from leaf.services.readers import Proof
from leaf.streams import Reader


@dataclass(frozen=True)
class Caller:
    """Somebody whom a request speaks for."""

    person: accounts.Session | api_keys.Bearer
    """With their `actor`."""
    proof: Proof
    """The session or the key itself: streams check it again while they are read."""

    @property
    def reader(self) -> Reader:
        """The caller as a reader of runs."""
        return readers.member(self.person.actor, self.proof)


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

    async def holds() -> bool:
        return await api_keys.bearer(key.strip()) is not None

    return Caller(bearer, Proof(bearer.id, holds))


async def of_browser(cookie: str) -> Caller:
    """Whom a Cookie header speaks for.

    Raises:
        errors.Unauthenticated: Nobody.
    """
    session = await accounts.session(cookie)
    if session is None:
        raise errors.Unauthenticated

    return Caller(session, readers.session_proof(session, cookie))


def _known(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


Known = Annotated[Caller, Depends(_known)]
"""The caller, as the route has found it out before it read anything else."""
