"""Where the widget API stands: under the same paths as the API of people, and told from it by the public key.

`/api/chats` is a person's list for a cookie or a person's key, and a visitor's for a public key. Which of the two a
request means is decided here, by its `Authorization` alone, before anything else is read; behind this point the two
have no code in common that knows who calls.
"""

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import Scope

from leaf import config, errors
from leaf.api import http
from leaf.api.widget import calls, chats, door, messages
from leaf.services import visitors

PREFIX = "/api"
DOCUMENT = "/widget/openapi.json"
_ABOUT = (
    "What a page of a tenant's site calls for its visitors. Every request sends `Authorization: Bearer leaf_pk_…` with "
    "the public key of an agent, comes from one of the agent's origins, and says by a header who the visitor is. "
    "docs/widget-api.md explains it."
)


_SHARED = ("/chats/", "/messages/", "/hooks/")
"""Below these paths both APIs have routes."""


class _ByPublicKey(Mount):
    """Matches requests with a public key, preflights for them, and what nobody else has."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Starlette's, for those requests alone."""
        if scope["type"] != "http" or not config.current().tenants or not _is_ours(scope):
            return Match.NONE, {}
        return super().matches(scope)


def _is_ours(scope: Scope) -> bool:
    headers, path = Headers(scope=scope), scope["path"]
    kind, _, key = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and key.strip().startswith(visitors.PREFIX):
        return True
    is_preflight = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
    own = (f"{PREFIX}/agent", f"{PREFIX}{DOCUMENT}")
    return path in own or (is_preflight and f"{path.removeprefix(PREFIX)}/".startswith(_SHARED))


def application() -> FastAPI:
    """The routes as an application."""
    described = [*chats.routes, *messages.routes, *calls.routes]
    routes: list[BaseRoute] = [
        Route(DOCUMENT, http.endpoint(_document), methods=["GET"]),
        Route("/{rest:path}", door.preflight, methods=["OPTIONS"]),
        *described,
    ]
    app = FastAPI(routes=routes, openapi_url=None, docs_url=None, redoc_url=None)
    app.add_exception_handler(404, _nowhere)
    app.add_exception_handler(405, _nowhere)
    app.state.document = get_openapi(title="Leaf for widgets", version="1", description=_ABOUT, routes=described)
    app.state.document["servers"] = [{"url": PREFIX}]
    key = {"type": "http", "scheme": "bearer", "description": "The public key of an agent: `leaf_pk_…`."}
    app.state.document.setdefault("components", {})["securitySchemes"] = {"public": key}
    return app


async def _document(request: Request) -> Response:
    """`GET /api/widget/openapi.json`: the document of this API."""
    return JSONResponse(request.app.state.document, headers={"access-control-allow-origin": "*"})


async def _nowhere(request: Request, _error: Exception) -> Response:
    """What is no route, or not with this method."""
    answer = http.problem(errors.NotFound())
    return await door.opened(request, answer)


def mount() -> Mount:
    """The widget API, to stand before the routes of people."""
    return _ByPublicKey(PREFIX, app=application(), name="widget")
