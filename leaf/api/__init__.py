"""Leaf's HTTP routes: sign-in, the Drive connection, and what other programs call."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf.api import account, auth, files, google, http, runs, shared


async def health(request: Request) -> Response:  # noqa: ARG001 - Starlette passes the request
    """`GET /api/health`: 200 once this process answers."""
    return JSONResponse({"status": "ok"})


def application(*, pages_port: int | None) -> Starlette:
    """The routes as an application.

    Args:
        pages_port: Where the pages are served, if on another port than these routes.
    """
    own = Route("/api/health", http.endpoint(health), methods=["GET"])
    routes = (own, *account.routes, *auth.routes, *google.routes, *files.routes, *runs.routes, *shared.routes)
    app = Starlette(routes=routes)
    app.state.pages_port = pages_port
    return app
