"""The callers of the site API: pages of a site. A page proves itself by a public key and its origin, and names its
visitor.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, texts
from leaf.api import http, storable
from leaf.api.callers import Callers
from leaf.api.routing import Route
from leaf.services.api_keys import Scope
from leaf.services.sites import visitors
from leaf.services.sites.visitors import Claims, Keyed, VisitorCaller

MOST_BODY_BYTES = 64_000
SESSION_HEADERS = ("x-leaf-session", "x-leaf-user", "x-leaf-user-token")
_ALLOWED_HEADERS = ", ".join(
    ("authorization", "content-type", "accept", "idempotency-key", "last-event-id", *SESSION_HEADERS)
)
_METHODS = "GET, POST, PATCH, PUT, DELETE"


@dataclass(frozen=True)
class Call:
    """A request with a public key, from one of the agent's origins."""

    key: str
    keyed: Keyed
    claims: Claims
    address: str
    """The sender's address, for rate limits."""
    user_agent: str
    language: str
    """The language from the header Accept-Language. Cookies are ignored."""

    async def visitor(self, *, begins: bool = False) -> VisitorCaller:
        """The visitor of the page (`visitors.identify`)."""
        return await visitors.identify(self.keyed, self.claims, begins=begins)

    def with_claims(self, session_id: str | None, user_id: str | None, user_token: str | None) -> "Call":
        """The call with claims from the body in place of those that the headers lack."""
        claims = Claims(
            self.claims.session_id or session_id or "",
            self.claims.user_id or user_id or "",
            self.claims.user_token or user_token or "",
        )
        return replace(self, claims=claims)


def _called(request: Request) -> Call:
    call: Call = request.state.caller
    return call


Here = Annotated[Call, Depends(_called)]
"""The call. The route checks it before it reads anything else."""


async def _identify(request: Request, _scope: Scope | None) -> Call:
    """The call of a request, after checking its key and its origin.

    Raises:
        errors.Unauthenticated: The key is unknown.
        errors.Forbidden: The request does not come from one of the agent's origins.
        errors.Invalid: A header with a claim about the visitor cannot be read.
    """
    key = request.headers.get("authorization", "").partition(" ")[2].strip()
    keyed = await visitors.agent_of(key)
    if origin_of(request) not in keyed.agent.origins:
        raise errors.Forbidden("This key is for the pages of other sites.", code="origin_not_allowed")
    request.state.is_allowed = True
    session, user, token = (request.headers.get(name, "") for name in SESSION_HEADERS)
    try:
        claims = Claims(session, unquote(user, errors="strict"), token)
        storable.require(claims.user_id, "X-Leaf-User")
    except UnicodeDecodeError:
        raise errors.Invalid("X-Leaf-User has to be percent-encoded UTF-8.", field="X-Leaf-User") from None
    language = texts.preferred("", request.headers.get("accept-language", ""))
    return Call(key, keyed, claims, http.address(request), request.headers.get("user-agent", ""), language)


def origin_of(request: Request) -> str:
    """The origin of the page that sends a request; empty if it is unknown.

    Browsers send no Origin with a GET to the page's own site. In this case `Sec-Fetch-Site`, which no page can set,
    proves the origin.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        return origin
    if request.headers.get("sec-fetch-site") == "same-origin":
        parts = urlsplit(http.origin(request))
        return f"{parts.scheme}://{parts.netloc}"
    return ""


async def with_cors(request: Request, answer: Response) -> Response:
    """The response with CORS headers, if the origin is one of the agent's.

    If the agent is unknown, the response may be read by pages of all origins of all agents.
    """
    origin = request.headers.get("origin", "")
    answer.headers["vary"] = "Origin"
    answer.headers.setdefault("cache-control", "no-store")
    allowed = getattr(request.state, "is_allowed", False)
    if not allowed and answer.status_code in {400, 401, 404} and origin:
        allowed = await _is_origin_of_an_agent(origin)
    if allowed and origin:
        answer.headers["access-control-allow-origin"] = origin
        answer.headers["access-control-expose-headers"] = "retry-after, x-leaf-run-id"
    return answer


async def preflight(request: Request) -> Response:
    """`OPTIONS`: answers a preflight. It contains no key, so the origins of all agents are permitted."""
    origin = request.headers.get("origin", "")
    if not origin or not await _is_origin_of_an_agent(origin):
        return http.problem(errors.Forbidden("No key is for this site.", code="origin_not_allowed"))
    headers = {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": _ALLOWED_HEADERS,
        "access-control-max-age": "600",
        "vary": "Origin",
    }
    return Response(status_code=204, headers=headers)


async def _is_origin_of_an_agent(origin: str) -> bool:
    try:
        return len(origin) <= 300 and "\0" not in origin and await visitors.is_allowed_somewhere(origin)
    except errors.Unavailable:
        return False


PAGES = Callers(
    _identify, lambda _scope: [{"public": []}], lambda _request: True, most_body_bytes=MOST_BODY_BYTES, finish=with_cors
)
"""Pages of sites."""


def route(path: str, handler: Callable[..., Any], *, method: str = "GET", **further: Any) -> Route:
    """A route of the site API. Its path is relative to `/api/site`."""
    return Route(path, handler, method=method, callers=PAGES, scope=None, tag="Site", **further)
