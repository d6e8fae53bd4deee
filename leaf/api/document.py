"""The OpenAPI document, made of the routes."""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from leaf.services import api_keys

PATH = "/api/openapi.json"
_ABOUT = (
    "What people's own programs, and clients of the AI SDK, call. A program sends `Authorization: Bearer leaf_key_…` "
    "with a key from Settings → API keys; a page of Leaf's own is known by its cookie. Refusals are "
    '`{"error": {"code", "message"}}`; a limit answers 429 with `Retry-After`.'
)
_SCOPES = "; ".join(
    f"`{scope}`: {what}"
    for scope, what in zip(
        api_keys.SCOPES,
        ("reads chats, usage and models", "asks, and changes chats", "looks into Drive, and disconnects it"),
        strict=True,
    )
)


def document(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of those routes that describe themselves."""
    made = get_openapi(title="Leaf", version="1", description=_ABOUT, routes=routes)
    schemes = {
        "key": {"type": "http", "scheme": "bearer", "description": f"An API key. Scopes: {_SCOPES}."},
        "session": {"type": "apiKey", "in": "cookie", "name": "leaf_session", "description": "A signed-in browser."},
    }
    made.setdefault("components", {})["securitySchemes"] = schemes
    return made


async def show(request: Request) -> Response:
    """`GET /api/openapi.json`: the document."""
    app: FastAPI = request.app
    return JSONResponse(app.openapi())
