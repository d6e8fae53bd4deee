"""The processes of the bench: Leaf's services, a web process, a worker, a provider, an MCP server, another member."""

import asyncio
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from ipaddress import IPv4Address
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from leaf import config, redis
from leaf.db import Actor, session
from leaf.services import chats, imports, sites
from tests.acceptance import people
from tests.acceptance.outfitted import crew_with
from tests.acceptance.stack import Stack, start_process, until
from tests.acceptance.web import Web, free_port
from tests.hostile import KINDS, text_of

NICE = 10
"""The attackers leave the processors to Leaf: those of real ones are elsewhere."""
DRIVE_CHARACTERS = 2_000_000
STATE = "reflex___state____state"
_ADDRESSES = int(IPv4Address("198.18.0.0"))
"""The first of the addresses from which requests come, a network for benchmarks."""
_SHOP = "https://shop.example"
_SETTINGS = {
    "LEAF_GUESTS": "true",
    "LEAF_GUEST_QUESTIONS": "10000",
    "LEAF_CLIENT_CALLS_PER_MINUTE": "100000",
    "LEAF_TOOL_PLANNER": "false",
    "LEAF_TRUSTED_PROXIES": "127.0.0.0/8",
    "TIDES_TOKEN": "of-nobody",
}


class HostileStack(Stack):
    """The services, with a Drive of hostile documents."""

    def _drive(self) -> Path | None:
        folder = self.folder / "drive"
        folder.mkdir()
        for name in KINDS:
            (folder / f"{name}.md").write_text(text_of(name, DRIVE_CHARACTERS))
        return folder


class System:
    """Everything that is attacked, and the member who waits. `async with` starts and ends it."""

    http: httpx.AsyncClient
    """Ada, who attacks."""
    page: httpx.AsyncClient
    """A page of a site."""
    guest: httpx.AsyncClient
    ada: Actor
    cookie: str
    waits: list[tuple[str, float, float]]
    """The kind of each wait of the other member, when it began, and its milliseconds."""

    answers: Counter[int]
    """The number of answers to the attackers, by status."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="leafh-", dir="/tmp"))  # socket paths are short
        self.folder.chmod(0o755)
        self.stack = HostileStack(self.folder)
        self.waits, self.answers = [], Counter()
        self._numbers = itertools.count()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._end = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def _start(self) -> None:
        await asyncio.to_thread(self.stack.start)
        provider, tools = free_port(), free_port()
        for module, port in (("provider", provider), ("tools", tools)):
            log = self.folder / "log" / f"{module}.log"
            command = [sys.executable, "-m", f"tests.hostile.{module}", str(port)]
            self._processes.append(start_process(["nice", "-n", str(NICE), *command], log))
        self.stack.settings = self.stack.settings.model_copy(
            update={"model": "openai-chat:hostile", "openai_base_url": f"http://127.0.0.1:{provider}/v1"}
        )
        config.install(self.stack.settings)
        file = self.folder / "mcp.toml"
        file.write_text(f'[servers.quarry]\nurl = "http://127.0.0.1:{tools}/mcp"\nstart_seconds = 60\n')
        settings = {**_SETTINGS, "LEAF_MCP_FILE": str(file)}
        self.web = Web(self.stack, 1, settings | {"LEAF_LOG_LEVEL": "warning"})
        self.web.start()
        self.crew = crew_with(self.stack, "worker", settings)
        await self.crew.of(1)
        await self.web.ready()
        await self._sign_in()
        os.nice(NICE)

    async def _sign_in(self) -> None:
        self.ada, self.cookie = await people.sign_in_with_cookie("ada")
        ben, cookie = await people.sign_in_with_cookie("ben", connect=False)
        self.http = await self._end.enter_async_context(self._client({"cookie": self.cookie}))
        self.guest = await self._end.enter_async_context(self._client({}))
        await self.guest.get("/auth/guest")
        site = await sites.create(self.ada, "Shop")
        agent = await sites.create_agent(self.ada, site, "Help")
        await sites.change_agent(self.ada, agent, {"origins": [_SHOP], "attachments": True})
        key = (await sites.create_key(self.ada, agent, "Pages")).key
        headers = {"authorization": f"Bearer {key}", "origin": _SHOP, "x-leaf-session": uuid4().hex}
        self.page = await self._end.enter_async_context(self._client(headers))
        self.agent = agent
        chat = await chats.new(ben)
        log = (self.folder / "log" / "bystander.log").open("wb")
        command = [sys.executable, "-m", "tests.hostile.bystander", self.web.url]
        other = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, limit=2**20
        )
        assert other.stdin is not None
        other.stdin.write(json.dumps([cookie, str(chat)]).encode() + b"\n")
        await other.stdin.drain()
        self._other = other
        self._listening = asyncio.create_task(self._listen())
        await until(lambda: {kind for kind, _, _ in self.waits} >= {"list", "type", "follow"}, what="the other member")

    def _client(self, headers: dict[str, str]) -> httpx.AsyncClient:
        async def count(answer: httpx.Response) -> None:
            self.answers[answer.status_code] += 1

        async def from_anywhere(request: httpx.Request) -> None:
            """Limits of one address would refuse most of the texts."""
            request.headers["x-forwarded-for"] = str(IPv4Address(_ADDRESSES + next(self._numbers)))

        hooks = {"request": [from_anywhere], "response": [count]}
        return httpx.AsyncClient(
            base_url=self.web.url, headers=headers, trust_env=False, timeout=300, event_hooks=hooks
        )

    async def _listen(self) -> None:
        assert self._other.stdout is not None
        async for line in self._other.stdout:
            kind, begun, milliseconds = json.loads(line)
            self.waits.append((kind, begun, milliseconds))

    async def settle(self) -> None:
        """Waits until every wait that began before now has been written down."""
        now, begun = time.time(), time.monotonic()
        kinds = {kind for kind, _, _ in self.waits} - {"follow"}
        while time.monotonic() < begun + 60:
            if all(any(at > now for one, at, _ in self.waits[-200:] if one == kind) for kind in kinds):
                return
            assert self._other.returncode is None, (self.folder / "log" / "bystander.log").read_text()
            await asyncio.sleep(0.01)

    def longest(self, begun: float, ended: float) -> dict[str, float]:
        """The longest wait of each kind that overlaps a stretch of time, in milliseconds."""
        found: dict[str, float] = {}
        for kind, at, milliseconds in self.waits:
            if at < ended and at + milliseconds / 1000 > begun:
                found[kind] = max(found.get(kind, 0.0), milliseconds)
        return found

    async def upload(self, name: str, data: bytes, chat: object = None) -> None:
        """Posts a file to a chat of Ada's."""
        chat = chat or await chats.new(self.ada)
        with suppress(httpx.TransportError):  # A refusal may come before all has been sent.
            await self.http.post(f"/api/chats/{chat}/files", files={"file": (name, data)})

    async def imports(self, data: bytes) -> None:
        """Imports a file and waits until a worker is done with it."""
        await self.http.post("/api/imports", files={"file": ("chats.json", data)})

        async def over() -> bool:
            found = await imports.listed(self.ada)
            return not any(one.unfinished for one in found)

        await until(over, seconds=300, what="the import")
        redis_keys = [key async for key in redis.client().scan_iter("leaf:rate:{import:*")]
        if redis_keys:
            await redis.client().delete(*redis_keys)

    async def events(self, browser: httpx.AsyncClient, path: str, events: list[tuple[str, dict[str, Any]]]) -> None:
        """Sends events of a page's state, and waits until the process has answered a ping after each."""
        cookie = browser.headers.get("cookie") or "; ".join(f"{one.name}={one.value}" for one in browser.cookies.jar)
        origin = self.web.url
        address = f"{origin.replace('http', 'ws', 1)}/_event/?token={uuid4()}&EIO=4&transport=websocket"
        router = {"pathname": path, "asPath": path, "query": {}}
        headers = {"Cookie": cookie}
        for name, payload in events:
            event = {"name": f"{STATE}.leaf___state___{name}", "payload": payload, "router_data": router}
            with suppress(ConnectionClosed, TimeoutError):
                async with (
                    asyncio.timeout(20),
                    connect(address, additional_headers=headers, origin=Origin(origin), max_size=None) as socket,
                ):
                    await socket.recv()
                    await socket.send("40/_event,")
                    await socket.send("42/_event," + json.dumps(["event", event], ensure_ascii=False))
                    await socket.send('42/_event,["ping"]')
                    while b'"pong"' not in _bytes(await socket.recv()):
                        pass
                    await asyncio.sleep(0.1)

    async def _stop(self) -> None:
        if hasattr(self, "_other"):
            if self._other.returncode is None:
                self._other.kill()
            await self._other.wait()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._end.aclose()
        await session.dispose()
        await redis.close()
        if hasattr(self, "web"):
            self.web.kill()
        if hasattr(self, "crew"):
            await asyncio.to_thread(self.crew.stop)
        for process in self._processes:
            process.kill()
            process.wait()
        await asyncio.to_thread(self.stack.stop)
        shutil.rmtree(self.folder, ignore_errors=True)


def _bytes(message: str | bytes) -> bytes:
    return message.encode() if isinstance(message, str) else message
