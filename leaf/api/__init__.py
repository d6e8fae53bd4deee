"""Leaf's HTTP routes: sign-in, the Drive connection, and the API for other programs."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from leaf import errors
from leaf.api import (
    account,
    answers,
    auth,
    calls,
    cells,
    charts,
    chat,
    chats,
    exports,
    figures,
    files,
    google,
    guests,
    http,
    operations,
    projects,
    runs,
    shared,
    shares,
    site,
    sites,
    watches,
    widget,
)
from leaf.services import api_keys

_ABOUT = (
    "What people's own programs, and clients of the AI SDK, call. A program sends `Authorization: Bearer leaf_key_…` "
    "with a key from Settings → API keys; a page of Leaf's own is known by its cookie. Refusals are "
    '`{"error": {"code", "message"}}`; a limit answers 429 with `Retry-After`.'
)
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_SCOPES = "; ".join(
    f"`{scope}`: {description}"
    for scope, description in zip(
        api_keys.SCOPES,
        ("reads chats, usage and models", "asks, and changes chats", "looks into Drive, and disconnects it"),
        strict=True,
    )
)


async def health(request: Request) -> Response:  # noqa: ARG001 - Starlette passes the request
    """`GET /api/health`: 200 as soon as this process answers."""
    return JSONResponse({"status": "ok"})


async def openapi_document(request: Request) -> Response:
    """`GET /api/openapi.json`: the OpenAPI document."""
    app: FastAPI = request.app
    return JSONResponse(app.openapi())


async def nowhere(request: Request) -> Response:
    """Refuses an address below `/api/` without a route, or an unknown method, as JSON and not with a page."""
    app: FastAPI = request.app
    scope = {"type": "http", "path": request.scope["path"], "root_path": ""}
    routes = [route for route in app.routes if isinstance(route, Route) and route.methods]
    methods = [
        method
        for method in _METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    if not methods:
        raise errors.NotFound("route")
    answer = http.problem(
        errors.LeafError(f"{request.method} is not supported here.", status=405, code="method_not_allowed")
    )
    answer.headers["allow"] = ", ".join(methods)
    return answer


class Nowhere:
    """The ASGI application for `nowhere`. A route for a plain function would accept only certain methods."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers any method."""
        request = Request(scope, receive)
        await (await http.endpoint(nowhere)(request))(scope, receive, send)


async def _not_found(_request: Request, _error: Exception) -> Response:
    return http.problem(errors.NotFound("route"))


def _document(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the routes that have a description."""
    document = get_openapi(title="Leaf", version="1", description=_ABOUT, routes=routes)
    schemes = {
        "key": {"type": "http", "scheme": "bearer", "description": f"An API key. Scopes: {_SCOPES}."},
        "session": {"type": "apiKey", "in": "cookie", "name": "leaf_session", "description": "A signed-in browser."},
    }
    document.setdefault("components", {})["securitySchemes"] = schemes
    return document


def application(*, pages_port: int | None, compiled: Path | None = None) -> FastAPI:
    """The application with all routes.

    Args:
        pages_port: The port of the pages, if it is not the port of these routes.
        compiled: The folder of the compiled pages; None with the development server.
    """
    own = (
        Route("/api/health", http.endpoint(health), methods=["GET"]),
        Route("/api/openapi.json", http.endpoint(openapi_document), methods=["GET"]),
    )
    api = (
        chat, chats, projects, watches, answers, calls, runs, charts, cells, shares, exports, files, google, figures,
        sites,
    )  # fmt: skip
    # These come first: no other route should get a request with a public key.
    routes: list[BaseRoute] = [*site.mounts()]
    routes += [*own, *account.routes, *guests.routes, *auth.routes, *shared.routes, *operations.routes]
    routes += widget.routes
    routes += [route for module in api for route in module.routes]
    routes.append(Route("/api/{rest:path}", Nowhere()))
    # The document has a separate route. FastAPI's pages for it would load scripts from other hosts.
    app = FastAPI(routes=routes, openapi_url=None, docs_url=None, redoc_url=None)
    # A path with a line break matches no route.
    app.add_exception_handler(404, _not_found)
    app.openapi = cache(partial(_document, routes))
    app.state.pages_port = pages_port
    app.state.compiled = compiled
    return app
