"""The processes of the bench: Leaf as it is served in production, the provider, a Chromium; and what they consume."""

import asyncio
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, LiteralString, Self, cast
from uuid import UUID, uuid4

import httpx
import psutil
import psycopg
from playwright.async_api import Browser, Playwright, async_playwright

from leaf.callers import tokens
from leaf.db import Actor
from tests import chromium
from tests.browser.guard import Guard
from tests.browser.product import Product, free_port
from tests.browser.visitor import Visitor

LISTEN_SECONDS = 30.0


@dataclass
class Consumed:
    """CPU seconds by kind of process, and their resident memory in bytes."""

    cpu: dict[str, float] = field(default_factory=dict[str, float])
    memory: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def cpu_seconds(self) -> float:
        """The processor time of web, worker, Redis and PostgreSQL together."""
        return sum(self.cpu.values())


class System:
    """Everything that is measured. `async with` starts and ends it."""

    def __init__(self) -> None:
        self.provider_port = free_port()
        self._provider: subprocess.Popen[bytes] | None = None
        self.leaf = Product(
            model="openai-chat:paced-500-20",
            settings={
                "OPENAI_API_KEY": "sk-bench",
                "OPENAI_BASE_URL": f"http://127.0.0.1:{self.provider_port}/v1",
                "LEAF_WORKER_JOBS": "250",
                "LEAF_REQUESTS_PER_MINUTE": "0",
                "LEAF_SOCKETS_PER_ADDRESS": "5000",
                "LEAF_LOG_LEVEL": "warning",
                # The provider would write as many tokens for them as for the answer.
                "LEAF_RELATED_QUESTIONS": "false",
            },
        )
        self._playwright: Playwright
        self.browser: Browser
        self.ada: Visitor

    async def __aenter__(self) -> Self:
        command = [sys.executable, "-m", "tests.bench.provider", str(self.provider_port)]
        self._provider = await asyncio.to_thread(subprocess.Popen[bytes], command)
        try:
            await asyncio.to_thread(self.leaf.start)
            self._playwright = await async_playwright().start()
            path = chromium.find()
            assert path is not None, "no Chromium: run `make browser`"
            self.browser = await self._playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
            self.ada = await self.visitor()
            page = await self.ada.sign_in()
            await page.close()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.browser.close()
        await self._playwright.stop()
        await self.stop()

    async def stop(self) -> None:
        """Ends Leaf and the provider."""
        await asyncio.to_thread(self.leaf.stop)
        if self._provider is not None:
            self._provider.kill()
            self._provider.wait(10)

    async def visitor(self, of: "Visitor | None" = None) -> Visitor:
        """A browser context: a stranger's, or one more of somebody who has signed in."""
        state = await of.context.storage_state() if of else None
        context = await self.browser.new_context(viewport={"width": 1280, "height": 860}, storage_state=state)
        context.set_default_timeout(60_000)
        return Visitor(self.leaf, context, Guard())

    def pace(self, tokens: int, gap_ms: int) -> None:
        """Answers that are asked for from now on have so many tokens, so many milliseconds apart."""
        self.leaf.use_model(f"openai-chat:paced-{tokens}-{gap_ms}")

    def chats(self, count: int) -> tuple[Actor, list[UUID]]:
        """Ada, and new chats of hers."""
        chats = [uuid4() for _ in range(count)]
        with psycopg.connect(self.leaf.database_url, autocommit=True) as connection:
            row = connection.execute("SELECT user_id, workspace_id FROM workspace_members LIMIT 1").fetchone()
            assert row is not None
            user, workspace = row
            for chat in chats:
                connection.execute(
                    "INSERT INTO chat_sessions (id, workspace_id, created_by) VALUES (%s, %s, %s)",
                    (chat, workspace, user),
                )
                connection.execute(
                    "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", (chat, user)
                )
        return Actor.user(user, workspace), chats

    async def cookie_name(self) -> str:
        """The name of the session's cookie."""
        names = [str(cookie.get("name")) for cookie in await self.ada.context.cookies()]
        return next(name for name in names if name.startswith("leaf_session_"))

    def participants(self, chats: list[UUID], cookie_name: str) -> list[str]:
        """For each of the chats a new person who takes part in it; the cookies of their sessions."""
        cookies: list[str] = []
        with psycopg.connect(self.leaf.database_url, autocommit=True) as connection:
            for chat in chats:
                user, workspace, token = uuid4(), uuid4(), tokens.new("session")
                for statement, values in (
                    ("users (id, email, name) VALUES (%s, %s, 'Reader')", (user, f"{user}@example.org")),
                    ("workspaces (id, name, personal_user_id) VALUES (%s, 'Theirs', %s)", (workspace, user)),
                    ("workspace_members (workspace_id, user_id) VALUES (%s, %s)", (workspace, user)),
                    (
                        "sessions (user_id, token_hash, expires_at) VALUES (%s, %s, now() + interval '1 day')",
                        (user, tokens.digest(token)),
                    ),
                    ("chat_participants (chat_session_id, user_id) VALUES (%s, %s)", (chat, user)),
                ):
                    connection.execute(cast("LiteralString", f"INSERT INTO {statement}"), values)
                cookies.append(f"{cookie_name}={token}")
        return cookies

    async def people(self, chats: list[UUID]) -> list[Visitor]:
        """For each of the chats a browser of a new person who takes part in it."""
        cookies = await asyncio.to_thread(self.participants, chats, await self.cookie_name())
        visitors = [await self.visitor() for _ in cookies]
        for visitor, cookie in zip(visitors, cookies, strict=True):
            name, _, value = cookie.partition("=")
            await visitor.context.add_cookies([{"name": name, "value": value, "url": self.leaf.url}])
        return visitors

    @staticmethod
    def question() -> tuple[str, str]:
        """A new question, and the key under which the provider notes its request."""
        key = uuid4().hex[:12]
        return f"Tell me all about it, key={key}", key

    async def sent(self, key: str) -> dict[str, Any]:
        """When the provider got a question (`received_at`), and when it sent each token (`sent`)."""
        async with httpx.AsyncClient(trust_env=False) as http:
            deadline = time.monotonic() + LISTEN_SECONDS
            while True:
                said = (await http.get(f"http://127.0.0.1:{self.provider_port}/log/{key}")).json()
                if said is not None:
                    return said
                assert time.monotonic() < deadline, f"the provider was not asked {key}"
                await asyncio.sleep(0.002)

    def consumed(self) -> Consumed:
        """The usage of Leaf's processes up to now."""
        used = Consumed()
        roots = self.leaf.processes()
        # PostgreSQL's own children hide what they were started with.
        for process in {*roots, *(child for root in roots for child in _children(root))}:
            try:
                kind = _kind(process.cmdline())
                if kind is None:
                    continue
                used.cpu[kind] = used.cpu.get(kind, 0.0) + _cpu_seconds(process.pid)
                used.memory[kind] = used.memory.get(kind, 0) + process.memory_info().rss
            except (psutil.Error, OSError):
                continue
        return used


def _cpu_seconds(pid: int) -> float:
    """The processor time of a process, in steps of nanoseconds; `psutil` knows it in steps of 10 ms."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _kind(command: list[str]) -> str | None:
    line = " ".join(command)
    if "sandbox" in line:
        return None
    for mark, kind in (("redis", "redis"), ("valkey", "redis"), ("postgres", "postgres"), ("arq", "worker")):
        if mark in line:
            return kind
    return "web"


def between(before: Consumed, after: Consumed) -> Consumed:
    """The usage between two looks; memory is that of the later one."""
    return Consumed({kind: after.cpu[kind] - before.cpu.get(kind, 0.0) for kind in after.cpu}, after.memory)
