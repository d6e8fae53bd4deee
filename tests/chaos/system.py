"""The processes of the fault bench: PostgreSQL, Redis, two workers, two web processes, a provider."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from leaf import config, redis
from leaf.db import session
from leaf.services import chats, conversations
from tests.acceptance import people
from tests.acceptance.stack import Stack, start_process
from tests.acceptance.web import Web, free_port
from tests.acceptance.workers import Crew
from tests.chaos.tools import FOLDER

TOOL_SECONDS = 3.0
SILENCE_SECONDS = 3.0
"""Shorter than in production, so that a hanging tool or provider does not take minutes of the bench."""


QUEUES = {
    "arq": ("leaf.queue.arq_queue", "tests.chaos.worker.WorkerSettings"),
    "streaq": ("tests.streaq_queue", "tests.chaos.streaq_worker:main"),
}
"""The module of each queue of jobs, and its worker."""
MORE_CONNECTIONS = 60
"""So many more connections than after the first round may be open: pools fill, and no more."""


class System:
    """Everything, in one folder that is removed at the end.

    Args:
        queue: The queue of jobs, one of `QUEUES`.
        webs: Web processes.
        workers: Workers.
    """

    stack: Stack
    make_stack: Callable[[Path], Stack] = Stack

    def __init__(self, queue: str = "arq", *, webs: int = 2, workers: int = 2) -> None:
        self._queue, self._worker = QUEUES[queue]
        self._before = config.current()
        self.folder = Path(tempfile.mkdtemp(prefix="leafc-", dir="/tmp"))  # socket paths are short
        self.folder.chmod(0o755)
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        self.stack = type(self).make_stack(self.folder)
        self.workers = workers
        self._web_count = webs
        self.webs: list[Web] = []
        self._model: subprocess.Popen[bytes] | None = None
        self._connections: dict[str, int] = {}
        """How many there were after the first round."""
        self.http = httpx.AsyncClient(trust_env=False, timeout=10)

    async def start(self) -> None:
        """Starts everything, and signs somebody in."""
        await asyncio.to_thread(self.stack.start)
        port = free_port()
        self.model_url = f"http://127.0.0.1:{port}"
        log = self.folder / "log" / "model.log"
        self._model = start_process([sys.executable, "-m", "tests.chaos.model", str(port)], log)
        self.stack.settings = self.stack.settings.model_copy(
            update={
                "model": "openai-chat:chaos",
                "openai_base_url": f"{self.model_url}/v1",
                "tool_seconds": TOOL_SECONDS,
                "model_silence_seconds": SILENCE_SECONDS,
                "queue": self._queue,
            }
        )
        os.environ[FOLDER] = str(self.notes)
        config.install(self.stack.settings)
        self.crew = self.make_crew(self._worker)
        self.webs = self.make_webs(self._web_count)
        for web in self.webs:
            web.start()
        await self.crew.of(self.workers)
        for web in self.webs:
            await web.ready()
        self.asker, self.cookie = await people.sign_in_with_cookie("ada", connect=False)

    def make_crew(self, worker: str) -> Crew:
        """The workers, of whom none is there yet."""
        return Crew(self.stack, worker)

    def make_webs(self, count: int) -> list[Web]:
        """The web processes, which are started afterwards."""
        return [Web(self.stack, number) for number in range(1, count + 1)]

    @property
    def fronts(self) -> list[str]:
        """The addresses at which a reader may ask, the next one where one does not answer."""
        return [web.url for web in self.webs]

    async def ask(self, question: str) -> UUID:
        """Asks in a new chat, and names the run."""
        chat_id = await chats.new(self.asker)
        turn = await conversations.ask(self.asker, chat_id, question)
        assert turn.assistant.run_id is not None
        return turn.assistant.run_id

    async def model_log(self, key: str) -> list[dict[str, Any]]:
        """The requests to the provider in a conversation."""
        return (await self.http.get(f"{self.model_url}/log/{key}")).json()

    async def whole(self) -> None:
        """Starts again what a fault has left dead: workers, web processes, PostgreSQL, Redis."""
        await asyncio.to_thread(self.stack.ensure)
        await self.crew.of(self.workers)
        for web in self.webs:
            await web.ready()

    def notes_of(self, run_id: str) -> list[str]:
        """The notes of the counting tool for a run."""
        kept = [json.loads(path.read_text() or "{}") for path in self.notes.glob("call_*")]
        return sorted(note["text"] for note in kept if note.get("run") == run_id)

    def executions_of(self, run_id: str) -> Counter[str]:
        """How often each tool call of a run was executed, by its id."""
        log = self.notes / "executions.log"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return Counter(line["call"] for line in lines if line["run"] == run_id)

    async def left_behind(self) -> list[str]:
        """Keys without an expiry, and leases, when no run is going."""
        problems: list[str] = []
        client = redis.client()
        async for key in client.scan_iter("leaf:*"):
            name = key.decode()
            if await client.ttl(key) == -1 and name != "leaf:runs:active":
                problems.append(f"{name} never expires")
            if name.endswith(":lease"):
                problems.append(f"{name} is still held")
        active = await client.hgetall("leaf:runs:active")
        problems += [f"run {run.decode()} is still listed as active" for run in active]
        idle = self.stack.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%'"
            " AND state_change < now() - interval '2 seconds'"
        )
        if idle[0][0]:
            problems.append(f"{idle[0][0]} transactions were left open")
        return problems + await self._more_connections()

    async def _more_connections(self) -> list[str]:
        """Connections that grow from round to round, compared with those after the first one."""
        sessions = self.stack.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        open_now = {"Redis": len(await redis.client().client_list()), "PostgreSQL": int(sessions[0][0])}
        self._connections = self._connections or open_now
        return [
            f"{count} connections to {service}, {self._connections[service]} after the first round"
            for service, count in open_now.items()
            if count > self._connections[service] + MORE_CONNECTIONS
        ]

    async def settled(self) -> list[str]:
        """The problems that remain once everything has had time to end."""
        for _ in range(40):
            problems = await self.left_behind()
            if not problems:
                return []
            await asyncio.sleep(0.25)
        return problems

    async def stop(self) -> None:
        """Ends everything, and gives this process its settings back."""
        await self.http.aclose()
        await session.dispose()
        await redis.close()
        config.install(self._before)
        for web in self.webs:
            web.kill()
        for worker in self.crew.alive:
            worker.send(signal.SIGCONT)
        await asyncio.to_thread(self.crew.stop)
        if self._model is not None:
            self._model.kill()
            self._model.wait()
        await asyncio.to_thread(self.stack.stop)
        shutil.rmtree(self.folder, ignore_errors=True)
