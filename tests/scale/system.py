"""The processes: what the fault bench has, with every service twice and something in front of it."""

import asyncio
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID, uuid4

import httpx
import psutil
import psycopg

from leaf import config
from leaf.callers import tokens
from leaf.config.embedded import processes
from leaf.db import migrate, session
from tests.acceptance.proxy import Nginx
from tests.acceptance.stack import REPOSITORY, Sandbox, Stack
from tests.acceptance.web import Web, free_port
from tests.acceptance.workers import Crew
from tests.chaos.system import System
from tests.pgbouncer import Pooler
from tests.scale import partition, versions
from tests.scale.partition import Partition
from tests.scale.replicated import USER, Replicated
from tests.scale.versions import Version
from tests.sentinel import Watched

DATABASE = "leaf"


class ScaledStack(Stack):
    """PostgreSQL with a standby behind PgBouncer, Redis with a replica and three Sentinels, and the sandbox."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "log").mkdir(exist_ok=True)
        pooler = folder / "pooler"
        pooler.mkdir()
        self.postgres = Replicated(folder)
        self.redis = Watched(folder)
        self.pooler = Pooler(pooler, free_port(), user=USER, size=40)

    def start(self) -> config.Settings:
        """Starts all of them, migrates the database through the pooler, and returns settings that name them."""
        # Workers that end must not take themselves for the last user of the folder.
        processes.register(self.folder, "tool")
        self.postgres.start(DATABASE)
        self.pooler.serve("127.0.0.1", self.postgres.port)
        self.pooler.start()
        self.redis.start()
        self.sandbox = Sandbox(self._drive(), self.folder)
        self.settings = config.Settings(
            _env_file=None,
            data_dir=self.folder,
            database_url=self.pooler.url(DATABASE),
            redis_url=self.redis.url,
            sandbox_url=self.sandbox.url,
            titles=False,
            requests_per_minute=0,
            related_questions=False,
            worker_jobs=500,
            secret=secrets.token_urlsafe(32),
            seal_keys=f"test:{tokens.new_seal_key()}",
            **self._providers(self.sandbox.url),
        )
        migrate.upgrade(str(self.settings.database_url))
        return self.settings

    def fail_over(self, away_seconds: float) -> None:
        """Kills the primary, promotes the standby, and puts the pooler before it."""
        self.postgres.fail_over(away_seconds)
        self.pooler.serve("127.0.0.1", self.postgres.port)

    def promote(self) -> None:
        """Promotes the standby, and puts the pooler before it."""
        self.postgres.promote()
        self.pooler.serve("127.0.0.1", self.postgres.port)

    def restart_pooler(self) -> None:
        """Ends the pooler with all of its connections, and starts it again."""
        self.pooler.stop()
        self.pooler.start()

    def ensure(self) -> None:
        """Starts again what a fault has killed."""
        self.postgres.whole()
        self.redis.whole()

    def execute(self, statement: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        """Asks the primary as the database's owner, who sees everybody's rows."""
        with psycopg.connect(self.postgres.url(DATABASE), autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        """Ends all services, and removes the folder."""
        self.pooler.stop()
        self.redis.stop()
        self.postgres.stop()
        super().stop()


class ScaledSystem(System):
    """The same for the fault bench, whose readers ask nginx."""

    stack: ScaledStack
    make_stack = ScaledStack

    previous = ""
    """The commit that `go_back` starts; by default the one before the newest migration."""
    _version: Version | None = None
    _is_previous = False
    partition: Partition | None = None
    """Cuts off parts, where this machine allows that."""

    async def go_back(self) -> None:
        """Replaces all processes by those of the version before, on a database that it has migrated."""
        if self._version is None:
            commit = self.previous or versions.previous()
            self._version = await asyncio.to_thread(Version, commit, self.folder / "previous")
        await asyncio.to_thread(self.crew.stop)
        for web in self.webs:
            await asyncio.to_thread(web.terminate)
        await session.dispose()
        await asyncio.to_thread(self._version.undo_migrations, str(self.stack.settings.database_url))
        # It may know neither PgBouncer nor Sentinel.
        direct = {"DATABASE_URL": self.stack.postgres.url(DATABASE), "REDIS_URL": self.stack.redis.primary_url}
        for web in self.webs:
            web.source, web.further = self._version.folder, direct
            web.start()
        for _ in range(self.workers):
            self.crew.hire_of(self._version.folder, direct)
        await self.whole()
        self._is_previous = True

    async def upgrade(self) -> None:
        """Migrates, and replaces each process of the version before, as docs/operations.md says."""
        await asyncio.to_thread(migrate.upgrade, str(self.stack.settings.database_url))
        self._is_previous = False
        for worker in self.crew.alive:
            await asyncio.to_thread(worker.end)
            await self.crew.of(self.workers)
        for web in self.webs:
            await asyncio.to_thread(web.terminate)
            web.source, web.further = REPOSITORY, {}
            web.start()
            await web.ready()

    async def ask(self, question: str) -> UUID:
        """Asks in a new chat; the version before is asked over its API."""
        if not self._is_previous:
            return await super().ask(question)
        headers = {"cookie": self.cookie, "origin": self.fronts[0]}
        body = {"id": str(uuid4()), "message": question}
        async with self.http.stream("POST", self.fronts[0] + "/api/chat", json=body, headers=headers) as response:
            response.raise_for_status()
            return UUID(response.headers["x-workflow-run-id"])

    async def start(self) -> None:
        """Starts everything, nginx last."""
        if partition.is_possible():
            self.partition = Partition()
            self.partition.start()
        await super().start()
        self.nginx.start()
        await self.nginx.ready()
        await self.http.aclose()
        self.http = httpx.AsyncClient(
            verify=self.nginx.trust, trust_env=False, timeout=30, limits=httpx.Limits(max_connections=None)
        )
        # The name of the cookie where Leaf is reached by HTTPS.
        self.cookie = f"__Host-leaf_session={self.cookie.partition('=')[2]}"

    def make_webs(self, count: int) -> list[Web]:
        """Web processes on ports that stay, as nginx knows them."""
        ports = [free_port() for _ in range(count)]
        self.nginx = Nginx(self.folder, ports, seconds=60)
        settings = {"LEAF_URL": self.nginx.url, "LEAF_TRUSTED_PROXIES": "127.0.0.1"}
        webs = [Web(self.stack, number, settings, port=port) for number, port in enumerate(ports, 1)]
        if self.partition is not None:
            for web in webs:
                web.group = self.partition.group()
        return webs

    def make_crew(self, worker: str) -> Crew:
        """Workers that can be cut off, where this machine allows that."""
        crew = super().make_crew(worker)
        crew.new_group = self.partition.group if self.partition is not None else None
        return crew

    @property
    def fronts(self) -> list[str]:
        """nginx, which chooses a web process for each request."""
        return [self.nginx.url]

    def consumed(self) -> dict[str, float]:
        """CPU seconds so far, by kind of process; those of processes that have ended count no more."""
        stack = self.stack
        pids = {
            "web": [web.process.pid for web in self.webs],
            "worker": [worker.process.pid for worker in self.crew.alive],
            "PostgreSQL": stack.postgres.pids,
            "PgBouncer": stack.pooler.pids,
            "Redis": stack.redis.pids,
            "nginx": self.nginx.pids,
        }
        return {kind: sum(map(_cpu_seconds, found)) for kind, found in pids.items()}

    async def stop(self) -> None:
        """Ends everything."""
        if hasattr(self, "nginx"):
            await asyncio.to_thread(self.nginx.stop)
        await super().stop()
        if self.partition is not None:
            self.partition.stop()


def _cpu_seconds(pid: int) -> float:
    """CPU seconds of a process and of all that it has started; also of those that have ended."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    return total
