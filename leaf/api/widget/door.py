"""Who may come in: the key, the origin, and what a request says of its visitor."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors
from leaf.api import http, routing
from leaf.services import visitors
from leaf.services.visitors import Claims, Keyed, Visiting

MOST_BODY_BYTES = 64_000
SESSION_HEADERS = ("x-leaf-session", "x-leaf-user", "x-leaf-user-token")
_ALLOWED = ", ".join(("authorization", "content-type", "accept", "idempotency-key", "last-event-id", *SESSION_HEADERS))
_METHODS = "GET, POST, PATCH, PUT, DELETE"


@dataclass(frozen=True)
class Call:
    """A request with a public key, from one of the agent's origins."""

    key: str
    keyed: Keyed
    claims: Claims
    address: str
    """Where it comes from, as it is counted."""
    user_agent: str

    async def visitor(self, *, begins: bool = False) -> Visiting:
        """The visitor that it comes from (`visitors.identify`)."""
        return await visitors.identify(self.keyed, self.claims, begins=begins)

    def with_claims(self, session_id: str | None, user_id: str | None, user_token: str | None) -> "Call":
        """With what the body says, where the headers say nothing."""
        claims = Claims(
            self.claims.session_id or session_id or "",
            self.claims.user_id or user_id or "",
            self.claims.user_token or user_token or "",
        )
        return Call(self.key, self.keyed, claims, self.address, self.user_agent)


def _called(request: Request) -> Call:
    call: Call = request.state.call
    return call


Here = Annotated[Call, Depends(_called)]
"""The call, as the route has found it out before it read anything else."""


class Route(APIRoute):
    """A route of the widget API.

    Args:
        path: The path below `/api`, with FastAPI's parameters.
        handler: Its function; its first paragraph is the description in the document.
        method: GET, POST, …
        reads_body: Whether the handler reads the body, and bounds it.
        further: As FastAPI's.
    """

    def __init__(
        self, path: str, handler: Callable[..., Any], *, method: str = "GET", reads_body: bool = False, **further: Any
    ) -> None:
        self._reads_body = reads_body
        text = (handler.__doc__ or "").strip().partition("\n\n")
        refused = {"default": {"model": routing.Refusal, "description": "Refused"}}
        super().__init__(
            path,
            handler,
            methods=[method],
            tags=["Widget"],
            summary=handler.__name__.replace("_", " ").capitalize(),
            description=" ".join(text[0].split()),
            responses={**refused, **further.pop("responses", {})},
            openapi_extra={"security": [{"public": []}], **further.pop("openapi_extra", {})},
            operation_id=f"widget_{handler.__name__}",
            **further,
        )

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler behind the door, with Leaf's refusals around it."""
        inner, reads_body = super().get_route_handler(), self._reads_body

        async def behind(request: Request) -> Response:
            request.state.call = await _enter(request)
            try:
                bound = request if reads_body else Request(request.scope, routing.bounded(request, MOST_BODY_BYTES))
                return await inner(bound)
            except RequestValidationError as error:
                raise routing.invalid(error) from error
            except HTTPException as error:
                if isinstance(error.__cause__, errors.LeafError):
                    raise error.__cause__ from None
                raise errors.Invalid("The body cannot be read: send JSON in UTF-8.", field="body") from error

        answering = http.endpoint(behind, any_origin=lambda _request: True)

        async def answer(request: Request) -> Response:
            return await opened(request, await answering(request))

        return answer


async def _enter(request: Request) -> Call:
    """Finds out what the key leads to, and whether the page may use it.

    Raises:
        errors.Unauthenticated: The key is unknown.
        errors.Forbidden: The request does not come from one of the agent's origins.
        errors.Invalid: What it says of its visitor cannot be read.
    """
    key = request.headers.get("authorization", "").partition(" ")[2].strip()
    keyed = await visitors.agent_of(key)
    if origin_of(request) not in keyed.agent.origins:
        raise errors.Forbidden("This key is for the pages of other sites.", code="origin_not_allowed")
    request.state.opened = True
    session, user, token = (request.headers.get(name, "") for name in SESSION_HEADERS)
    try:
        claims = Claims(session, unquote(user, errors="strict"), token)
    except UnicodeDecodeError:
        raise errors.Invalid("X-Leaf-User has to be percent-encoded UTF-8.", field="X-Leaf-User") from None
    return Call(key, keyed, claims, http.address(request), request.headers.get("user-agent", ""))


def origin_of(request: Request) -> str:
    """The site whose page sends a request; empty where nothing says it.

    Browsers send no Origin with a GET to the page's own site: there their `Sec-Fetch-Site`, which no page can set,
    stands for it.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        return origin
    if request.headers.get("sec-fetch-site") == "same-origin":
        parts = urlsplit(http.origin(request))
        return f"{parts.scheme}://{parts.netloc}"
    return ""


async def opened(request: Request, answer: Response) -> Response:
    """An answer that the page may read: one of the agent's origins; where no agent is known, of any agent's."""
    origin = request.headers.get("origin", "")
    answer.headers["vary"] = "Origin"
    answer.headers.setdefault("cache-control", "no-store")
    allowed = getattr(request.state, "opened", False)
    if not allowed and answer.status_code in {401, 404} and origin:
        allowed = await _somewhere(origin)
    if allowed and origin:
        answer.headers["access-control-allow-origin"] = origin
        answer.headers["access-control-expose-headers"] = "retry-after, x-leaf-run-id"
    return answer


async def preflight(request: Request) -> Response:
    """`OPTIONS`: whether a page may ask at all. It has no key yet, so any agent's origins count."""
    origin = request.headers.get("origin", "")
    if not origin or not await _somewhere(origin):
        return http.problem(errors.Forbidden("No key is for this site.", code="origin_not_allowed"))
    headers = {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": _ALLOWED,
        "access-control-max-age": "600",
        "vary": "Origin",
    }
    return Response(status_code=204, headers=headers)


async def _somewhere(origin: str) -> bool:
    try:
        return len(origin) <= 300 and "\0" not in origin and await visitors.is_allowed_somewhere(origin)
    except errors.Unavailable:
        return False
