"""The paths of the site API: `/api/site/…`, and the old paths of widgets that are embedded in customers' pages.

An old widget calls `/api/chats…`, which are also paths of the members' API. On these paths, a request with a public key
in `Authorization` belongs to the site API.

Reflex adds a CORS middleware to the whole application. It answers every preflight itself: it permits Leaf's own pages
and refuses all others. Therefore requests of the site API are handled before that middleware.
"""

from collections.abc import Collection
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from leaf import config, errors
from leaf.api import http
from leaf.api.site import callers, chats, messages
from leaf.services.sites import visitors

PREFIX = "/api/site"
DOCUMENT = "/openapi.json"
_OLD_PREFIX = "/api"
_OLD_DOCUMENT = "/widget/openapi.json"
_DESCRIBED = (*chats.routes, *messages.routes)
_SHARED = ("/chats/", "/messages/", "/hooks/")
"""Paths below which both APIs have routes."""
_ABOUT = (
    "The API that a page of a site calls for its visitors. Every request sends `Authorization: Bearer leaf_pk_…` with "
    "the public key of an agent, comes from one of the agent's origins, and says by a header who the visitor is. "
    "docs/widget-api.md explains it."
)


class _Sites(Mount):
    """Matches requests of the site API, if Leaf serves sites."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches like Starlette's mount, but only HTTP requests, and only if Leaf serves sites."""
        if scope["type"] != "http" or not config.current().sites:
            return Match.NONE, {}
        return super().matches(scope)


class _OldPaths(_Sites):
    """Matches requests of old widgets: requests with a public key, and preflights for such requests."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches like `_Sites`, but only requests of an old widget."""
        return super().matches(scope) if scope["type"] == "http" and _is_of_old_widget(scope) else (Match.NONE, {})


def _is_of_old_widget(scope: Scope) -> bool:
    headers, path = Headers(scope=scope), scope["path"]
    kind, _, key = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and key.strip().startswith(visitors.PREFIX):
        return True
    own = (f"{_OLD_PREFIX}/agent", f"{_OLD_PREFIX}{_OLD_DOCUMENT}")
    return path in own or (_is_preflight(scope) and f"{path.removeprefix(_OLD_PREFIX)}/".startswith(_SHARED))


def _is_preflight(scope: Scope) -> bool:
    return scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope)


def application() -> FastAPI:
    """The routes as an application."""
    routes: list[BaseRoute] = [
        Route(DOCUMENT, http.endpoint(_document), methods=["GET"]),
        Route(_OLD_DOCUMENT, http.endpoint(_document), methods=["GET"]),
        Route("/{rest:path}", callers.preflight, methods=["OPTIONS"]),
        *_DESCRIBED,
    ]
    app = FastAPI(routes=routes, openapi_url=None, docs_url=None, redoc_url=None)
    app.add_exception_handler(404, _not_found)
    app.add_exception_handler(405, _not_found)
    return app


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document of the site API. It is large, so it is made only when it is first requested."""
    made = get_openapi(title="Leaf for sites", version="1", description=_ABOUT, routes=_DESCRIBED)
    made["servers"] = [{"url": PREFIX}]
    key = {"type": "http", "scheme": "bearer", "description": "The public key of an agent: `leaf_pk_…`."}
    made.setdefault("components", {})["securitySchemes"] = {"public": key}
    return made


async def _document(_request: Request) -> Response:
    """`GET /api/site/openapi.json`: the document of this API."""
    return JSONResponse(document(), headers={"access-control-allow-origin": "*"})


async def _not_found(request: Request, _error: Exception) -> Response:
    """The response for an unknown route or an unsupported method."""
    return await callers.with_cors(request, http.problem(errors.NotFound("route")))


def mounts() -> list[Mount]:
    """The site API, to be mounted before the routes of members."""
    app = application()
    return [_Sites(PREFIX, app=app, name="site"), _OldPaths(_OLD_PREFIX, app=app, name="widget")]


class _Apart:
    def __init__(self, app: ASGIApp, own: Collection[str]) -> None:
        self._app, self._own = app, own
        self._mounts = mounts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for mount in self._mounts:
            match, further = mount.matches(scope)
            if match is Match.FULL and not self._is_of_own_page(scope):
                await mount.handle({**scope, **further}, receive, send)
                return
        if self._is_foreign_preflight(scope):
            refused = http.problem(
                errors.Forbidden("This API is not for pages of other sites.", code="origin_not_allowed")
            )
            refused.headers["vary"] = "Origin"
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_foreign_preflight(self, scope: Scope) -> bool:
        """Whether this is a preflight of another site's page for the API of members.

        Reflex would answer it with plain text instead of JSON.
        """
        if scope["type"] != "http" or not _is_preflight(scope) or not scope["path"].startswith(f"{_OLD_PREFIX}/"):
            return False
        return not self._is_of_own_page(scope)

    def _is_of_own_page(self, scope: Scope) -> bool:
        """Whether this is a preflight of one of Leaf's own pages, which have another port during development."""
        return scope["method"] == "OPTIONS" and Headers(scope=scope).get("origin") in self._own


def apart(app: ASGIApp, *, own: Collection[str]) -> ASGIApp:
    """The application, wrapped so that the site API gets its requests first.

    Args:
        app: The rest of the application.
        own: The origins of Leaf's own pages. Reflex answers their preflights.
    """
    return _Apart(app, own)
