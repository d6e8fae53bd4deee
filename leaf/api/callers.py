"""The callers of routes. Members call with the cookie of a browser or the API key of a program."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from leaf import callers, config, errors
from leaf.api import http
from leaf.services import accounts, api_keys, chats, guests, readers
from leaf.services.api_keys import Scope
from leaf.services.readers import Proof
from leaf.streams import Reader

MOST_BODY_BYTES = 10_000_000


async def _unchanged(_request: Request, answer: Response) -> Response:
    return answer


@dataclass(frozen=True)
class Callers:
    """A kind of callers of a route: how a request proves its caller, and the rules for such requests."""

    identify: Callable[[Request, Scope | None], Awaitable[object]]
    """Returns the caller, whom the route stores as `request.state.caller`. Raises a LeafError if there is none."""
    security: Callable[[Scope | None], list[dict[str, list[str]]]]
    """The security requirement in the OpenAPI document; empty for none."""
    any_origin: Callable[[Request], bool]
    """Whether a page of another site may send a request that changes something."""
    most_body_bytes: int = MOST_BODY_BYTES
    finish: Callable[[Request, Response], Awaitable[Response]] = _unchanged
    """Adds headers to every response, including refusals."""


@dataclass(frozen=True)
class Caller:
    """The member, or the guest, on whose behalf a request is made."""

    person: accounts.Session | api_keys.Bearer | guests.GuestCaller
    """The session, key or guest, with its `actor`."""
    proof: Proof | None
    """The session or key, which streams check again while they are read; None for a guest."""

    @property
    def guest(self) -> guests.Guest | None:
        """The guest; None for a member."""
        return self.person.guest if isinstance(self.person, guests.GuestCaller) else None

    @property
    def reader(self) -> Reader:
        """The caller as a reader of runs."""
        actor = self.person.actor
        return readers.guest(actor) if self.guest is not None else readers.member(actor, self.proof)

    async def chat_of(self, name: str) -> UUID:
        """The id of the chat with a client's name, whether or not it exists. A guest has only one chat."""
        return self.guest.chat_id if self.guest is not None else await chats.named(self.person.actor, name)


async def identify(request: Request, scope: Scope) -> Caller:
    """The caller of a request. If there is an Authorization header, the cookie is ignored.

    Args:
        request: The request.
        scope: The scope that a key needs. A browser has all scopes.

    Raises:
        errors.Unauthenticated: There is neither a valid session nor a valid key.
        errors.Forbidden: The key lacks the scope.
    """
    authorization = request.headers.get("authorization")
    if authorization is None:
        return await of_browser(request.headers.get("cookie", ""))
    kind, _, key = authorization.partition(" ")
    bearer = await api_keys.bearer(key.strip()) if kind.lower() == "bearer" else None
    if bearer is None:
        raise errors.Unauthenticated("This key is unknown, expired or revoked. Create one in Settings → API keys.")
    if scope not in bearer.scopes:
        raise errors.Forbidden(f"This key lacks the scope “{scope}”.")
    return Caller(bearer, readers.key_proof(bearer, key.strip()))


async def of_browser(cookie: str) -> Caller:
    """The caller of a request with a Cookie header.

    Raises:
        errors.Unauthenticated: The header contains no valid session.
    """
    session = await accounts.session(cookie)
    if session is None:
        raise errors.Unauthenticated
    return Caller(session, readers.session_proof(session, cookie))


def _caller_of(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


Known = Annotated[Caller, Depends(_caller_of)]
"""The caller. The route identifies the caller before it reads anything else."""


async def _member(request: Request, scope: Scope | None) -> Caller | None:
    return await identify(request, scope) if scope is not None else None


def _security(scope: Scope | None) -> list[dict[str, list[str]]]:
    return [{"key": [scope]}, {"session": []}] if scope is not None else []


def _has_key(request: Request) -> bool:
    # A browser never adds a key by itself. A request with a key is therefore intended, whatever page sends it.
    return "authorization" in request.headers


MEMBERS = Callers(_member, _security, _has_key)
"""Members. A route without a scope is open to everybody."""


async def _member_or_guest(request: Request, scope: Scope | None) -> Caller:
    try:
        return await identify(request, scope or "read")
    except errors.Unauthenticated:
        if not config.current().guests or "authorization" in request.headers:
            raise
    address = callers.counted(request.client.host if request.client else "")
    guest = guests.guest_of(request.headers.get("cookie", ""), address)
    if guest is None:
        guest = request.state.new_guest = replace(guests.new(), address=address)
    return Caller(guests.GuestCaller(guest), None)


async def _with_guest_cookie(request: Request, answer: Response) -> Response:
    """The response, with a cookie for a new guest."""
    guest = getattr(request.state, "new_guest", None)
    if guest is not None and answer.status_code == 200:
        set_guest_cookie(answer, guest)
    return answer


def set_guest_cookie(answer: Response, guest: guests.Guest) -> None:
    """Sets the cookie that identifies a guest."""
    http.set_cookie(answer, guests.cookie_name(), guests.issue(guest), max_age=guests.LIFETIME_SECONDS)


MEMBERS_AND_GUESTS = Callers(_member_or_guest, _security, _has_key, finish=_with_guest_cookie)
"""Members and, if Leaf has guests, browsers without an account."""
