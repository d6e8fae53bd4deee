"""Leaf behind nginx by deploy/nginx.conf. nginx itself is told to be impatient: what lasts, the example makes last."""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from leaf.db import Actor
from leaf.services import chats, conversations
from tests.acceptance import people
from tests.acceptance.conftest import Ask
from tests.acceptance.proxy import IMPATIENT_SECONDS, Proxied
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew

IDLE_SECONDS = IMPATIENT_SECONDS * 3
ELSEWHERE = "127.0.5.9"
"""An address of this machine that is not the proxy's own."""


@pytest.fixture(scope="module")
def running_proxied(running_stack: Stack) -> Iterator[Proxied]:
    """A web process behind nginx, for all of these tests."""
    with tempfile.TemporaryDirectory(prefix="leaf-n", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        running = Proxied(running_stack, folder)
        try:
            running.start()
            yield running
        finally:
            running.stop()


@pytest_asyncio.fixture
async def proxied(stack: Stack, running_proxied: Proxied) -> Proxied:
    """The same, ready and with all services running."""
    await running_proxied.ready()
    return running_proxied


@pytest_asyncio.fixture
async def ada_cookie(stack: Stack) -> tuple[Actor, str]:
    """Ada, and what her browser sends where Leaf is reached by HTTPS."""
    actor, cookie = await people.sign_in_with_cookie("ada", connect=False)
    return actor, f"__Host-leaf_session={cookie.partition('=')[2]}"


def browser(proxied: Proxied, cookie: str = "", *, address: str = ELSEWHERE) -> httpx.AsyncClient:
    """A browser at another address."""
    transport = httpx.AsyncHTTPTransport(verify=proxied.trust, local_address=address)
    headers = {"cookie": cookie} if cookie else {}
    return httpx.AsyncClient(base_url=proxied.url, transport=transport, headers=headers, timeout=60)


async def _said(socket: ClientConnection, beginning: str) -> str:
    """The next message of the page's socket that begins so; its heartbeats are answered."""
    async with asyncio.timeout(30):
        while True:
            message = str(await socket.recv())
            if message == "2":
                await socket.send("3")
            elif message.startswith(beginning):
                return message


async def test_the_pages_websocket_opens_and_stays_open_while_nothing_is_said(proxied: Proxied) -> None:
    """And not for a page of another site."""
    address = f"{proxied.url.replace('https', 'wss')}/_event/?token={uuid4()}&EIO=4&transport=websocket"
    async with connect(address, ssl=proxied.trust, origin=proxied.url, ping_interval=None, proxy=None) as socket:  # pyright: ignore[reportArgumentType]
        opened = json.loads((await _said(socket, "0"))[1:])
        assert opened["pingInterval"] > IDLE_SECONDS * 1000, "Leaf itself would say something meanwhile"
        # Longer than nginx's own patience: without the example's, the connection would be gone.
        await asyncio.sleep(IDLE_SECONDS)
        await socket.send("40/_event,")
        assert "sid" in await _said(socket, "40/_event,")
    with pytest.raises(InvalidStatus) as refused:
        async with connect(address, ssl=proxied.trust, origin="https://evil.example", proxy=None):  # pyright: ignore[reportArgumentType]
            pass
    assert refused.value.response.status_code in {400, 403}


async def test_a_stream_comes_piece_by_piece_however_slowly_the_model_speaks(
    proxied: Proxied, crew: Crew, ask: Ask, ada_cookie: tuple[Actor, str]
) -> None:
    """Each word at its time, more than nginx's patience apart; nothing waits in a buffer for the rest. # 000-25"""
    actor, cookie = ada_cookie
    await crew.of(1)
    pace_ms = 1500
    turn = await ask(actor, "Tell me a story", model=f"sandbox:sandbox-slow-{pace_ms}")
    times: list[float] = []
    async with browser(proxied, cookie) as ada, ada.stream("GET", f"/api/runs/{turn.assistant.run_id}") as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line.startswith("data: {") and json.loads(line[6:])["type"] == "text-delta":
                times.append(time.monotonic())
            if len(times) == 4:
                break
    assert (await conversations.result(actor, turn.assistant.run_id)).unfinished
    await conversations.stop(actor, turn.assistant.run_id)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps[1:]) > IMPATIENT_SECONDS, gaps


async def test_bodies_are_taken_up_to_10_mb_and_files_up_to_20(proxied: Proxied, ada_cookie: tuple[Actor, str]) -> None:
    """413 beyond; a file passes through nginx without being kept by it."""
    actor, cookie = ada_cookie
    chat_id = await chats.new(actor)
    megabyte = b"A line of a long text, which says nothing.\n" * 24_386
    async with browser(proxied, cookie) as ada:
        large = await ada.post("/auth/sign-out", content=b"x" * 10_600_000, headers={"origin": "https://evil.example"})
        assert (large.status_code, "nginx" in large.text) == (413, True)
        small = await ada.post("/api/chat", content=b"x" * 9_900_000, headers={"content-type": "application/json"})
        assert (small.status_code, "error" in small.json()) == (400, True), "this one has reached Leaf"
        files = f"/api/chats/{chat_id}/files"
        kept = await ada.post(files, files={"file": ("long.txt", megabyte * 12, "text/plain")})
        assert kept.status_code == 201, kept.text
        refused = await ada.post(files, files={"file": ("longer.txt", megabyte * 23, "text/plain")})
        assert refused.status_code == 413
        brought = await ada.post("/api/imports", files={"file": ("chats.json", megabyte * 12, "application/json")})
        assert "nginx" not in brought.text, "this one has reached Leaf"
        refused = await ada.post("/api/imports", files={"file": ("chats.json", megabyte * 53, "application/json")})
        assert (refused.status_code, "nginx" in refused.text) == (413, True)


async def test_whoever_calls_is_known_and_cannot_say_who_they_are(proxied: Proxied, stack: Stack) -> None:
    """The address that nginx has seen counts, and past nginx nothing that is said."""
    lie = {"x-forwarded-for": "203.0.113.1, 127.0.0.1", "forwarded": "for=203.0.113.1", "x-real-ip": "203.0.113.1"}
    stack.execute("DELETE FROM security_events")
    async with browser(proxied) as stranger:
        await stranger.get("/auth/callback?state=x", headers=lie)
    transport = httpx.AsyncHTTPTransport(local_address="127.0.7.7")
    async with httpx.AsyncClient(base_url=proxied.direct, transport=transport) as past:
        await past.get("/auth/callback?state=x", headers=lie)
    rows = stack.execute("SELECT network::text FROM security_events WHERE user_id IS NULL ORDER BY created_at")
    assert rows == [("127.0.5.0/24",), ("127.0.7.0/24",)]


async def test_what_is_for_operators_is_not_shown_to_the_world(proxied: Proxied, crew: Crew) -> None:
    """Asked at the process itself they answer. HTTP leads to HTTPS."""
    await crew.of(1)
    async with browser(proxied) as stranger, httpx.AsyncClient(base_url=proxied.direct, trust_env=False) as here:
        assert [(await stranger.get(path)).status_code for path in ("/metrics", "/readyz", "/healthz")] == [
            404,
            404,
            200,
        ]

        async def ready() -> Any:
            return (await here.get("/readyz")).status_code == 200

        await until(ready, what="the web process sees the worker")
        led = await stranger.get(f"http://localhost:{proxied.http}/chat/x")
        assert (led.status_code, led.headers["location"]) == (301, "https://localhost/chat/x")
