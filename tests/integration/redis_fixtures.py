"""A real Redis server for the tests, on a Unix socket; every test that asks for `redis_url` finds it empty."""

import asyncio
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import redis as redis_client
from redis.exceptions import RedisError

from leaf import config
from leaf import redis as leaf_redis
from leaf.config.embedded import redis_server as embedded

DEADLINE_SECONDS = 20.0


async def until(
    condition: Callable[[], Awaitable[bool]] | Callable[[], bool], *, seconds: float = DEADLINE_SECONDS
) -> None:
    """Waits until the condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + seconds
    while True:
        holds = condition()
        if not isinstance(holds, bool):
            holds = await holds
        if holds:
            return
        assert time.monotonic() < deadline, f"still not true after {seconds} s: {condition}"
        await asyncio.sleep(0.01)


class RedisServer:
    """A process of Redis in a folder of its own; it can be killed and started again on the same data."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder = folder
        self.url = f"unix://{folder}/s"
        self._durable = durable
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        persistence = ["--appendonly", "yes", "--appendfsync", "always"] if self._durable else ["--appendonly", "no"]
        self._process = subprocess.Popen(
            [
                embedded.program(),
                *("--port", "0", "--unixsocket", f"{self.folder}/s", "--dir", str(self.folder), "--save", ""),
                *persistence,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "Redis ended at once"
            assert time.monotonic() < deadline, "Redis does not answer"
            time.sleep(0.02)

    def _answers(self) -> bool:
        with redis_client.Redis(unix_socket_path=f"{self.folder}/s") as client:
            try:
                return bool(client.ping())
            except RedisError:
                return False

    def kill(self) -> None:
        """Kills it without a chance to write anything."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """The server that all tests of a session share."""
    with tempfile.TemporaryDirectory(prefix="leaf-r", dir="/tmp") as folder:  # socket paths are short
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
async def redis_url(redis_server: RedisServer) -> AsyncIterator[str]:
    """The address of an empty Redis, which is also the one of the current settings."""
    async with _installed(redis_server):
        await leaf_redis.client().flushall()
        yield redis_server.url


@pytest.fixture
async def durable_redis() -> AsyncIterator[RedisServer]:
    """A Redis of the test's own that keeps everything on disk; it may be killed and started again."""
    with tempfile.TemporaryDirectory(prefix="leaf-r", dir="/tmp") as folder:  # socket paths are short
        server = RedisServer(Path(folder), durable=True)
        server.start()
        try:
            async with _installed(server):
                yield server
        finally:
            server.kill()


class _installed:  # noqa: N801 - reads as a verb
    """The settings name the server for a while."""

    def __init__(self, server: RedisServer) -> None:
        self._url = server.url

    async def __aenter__(self) -> None:
        self._before = config.current()
        config.install(self._before.model_copy(update={"redis_url": self._url}))

    async def __aexit__(self, *_: object) -> None:
        await leaf_redis.close()
        config.install(self._before)
