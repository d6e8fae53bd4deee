"""The requests that the widget API takes before Reflex does, and the rest that it leaves to it."""

from collections.abc import MutableMapping
from typing import Any

import httpx
import pytest
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from leaf.api.site import apart

OWN = "http://localhost:3000"
ASKS = {"access-control-request-method": "GET", "access-control-request-headers": "authorization"}


async def _everything_else(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("else")(scope, receive, send)


def application() -> ASGIApp:
    """As Reflex builds it: rules for origins around everything."""
    inner = CORSMiddleware(_everything_else, allow_origins=[OWN], allow_methods=["*"], allow_headers=["*"])
    return apart(inner, own=[OWN])


@pytest.mark.parametrize(
    ("method", "path", "headers", "is_ours"),
    [
        ("GET", "/api/site/openapi.json", {}, True),
        ("GET", "/api/site/no-such", {}, True),
        ("GET", "/api/sites", {}, False),
        ("OPTIONS", "/api/site/chats", {"origin": OWN, **ASKS}, False),
        ("GET", "/api/widget/openapi.json", {}, True),
        ("GET", "/api/no-such", {"authorization": "Bearer leaf_pk_x"}, True),
        ("GET", "/api/chats", {"authorization": "Bearer leaf_key_x"}, False),
        ("GET", "/api/chats", {}, False),
        ("GET", "/", {"authorization": "Bearer leaf_pk_x"}, False),
        ("OPTIONS", "/api/chats", {"origin": OWN, **ASKS}, False),
        ("OPTIONS", "/api/me", {"origin": "https://shop.example", **ASKS}, False),
    ],
)
async def test_requests_are_told_apart_by_their_key(
    method: str, path: str, headers: dict[str, str], is_ours: bool
) -> None:
    """# 003-04"""
    transport = httpx.ASGITransport(application())
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        answer = await http.request(method, path, headers=headers)
    if is_ours:
        assert answer.headers["content-type"] == "application/json"
    else:
        assert answer.text in {"else", "OK"} or answer.json()["error"]["code"] == "origin_not_allowed"


async def test_what_is_put_around_everything_is_put_around_the_widget_too() -> None:
    seen: list[str] = []

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
            seen.append(scope["path"])
            await app(scope, receive, send)

        return wrapped

    transport = httpx.ASGITransport(apart(_everything_else, [wrap], own=[]))
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        await http.get("/api/widget/openapi.json")
        await http.get("/")
    assert seen == ["/api/widget/openapi.json"]
