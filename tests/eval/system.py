"""All of Leaf but its pages, over the sample Drive: services and workers as processes, two people who are signed in."""

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from leaf import config, redis
from leaf.agent import models as agent_models
from leaf.db import Actor, session
from tests.acceptance import people
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew, Worker

_PROVIDERS = ("openai", "anthropic", "google", "ai_gateway", "ollama", "cloud_ml")


class SampleStack(Stack):
    """The stack of the acceptance tests, with the environment's model providers.

    Args:
        folder: The place of its data.
        environment: The settings with the keys of model providers.
        drive: A folder that is served as the Drive; None for the sample.
    """

    def __init__(self, folder: Path, environment: config.Settings, drive: Path | None = None) -> None:
        super().__init__(folder)
        self._environment = environment
        self._served = drive
        self.index = drive is not None

    def _drive(self) -> Path | None:
        return self._served

    def _providers(self, sandbox_url: str) -> dict[str, Any]:
        names = [name for name in config.Settings.model_fields if name.startswith(_PROVIDERS)]
        return {name: getattr(self._environment, name) for name in names if not name.startswith("google_client")}


class System:
    """`async with` starts and ends it.

    Args:
        model: `provider:name` of the model that answers.
        workers: How many workers answer.
        drive: A generated Drive, of which the worker keeps an index; None for the sample without one.
    """

    def __init__(self, model: str, *, workers: int = 1, drive: Path | None = None) -> None:
        self.model = model
        self._drive = drive
        self._workers = workers
        self._exit = AsyncExitStack()
        self.sending = asyncio.Lock()
        self.actors: dict[str, Actor] = {}
        self.connected: dict[str, float] = {}
        """The moment (`time.monotonic`) at which each account has begun to connect its Drive."""
        self.workers: list[Worker] = []
        self.stack: Stack

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as starting:
            environment = config.Settings()
            self.stack = SampleStack(_folder(), environment, self._drive)
            starting.callback(self.stack.stop)
            before = config._current
            starting.callback(setattr, config, "_current", before)
            await asyncio.to_thread(self.stack.start)
            config._current = None
            config.install(self.stack.settings.model_copy(update={"model": self.model}))
            starting.push_async_callback(_close)
            crew = Crew(self.stack)
            starting.callback(crew.stop)
            await crew.of(self._workers)
            self.workers = crew.alive
            for account in ("ada", "ben"):
                self.connected[account] = time.monotonic()
                self.actors[account] = await people.sign_in(account)
            self.stack.sandbox.forget()
            self._exit = starting.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exit.aclose()


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="leaf-e", dir="/tmp"))  # socket paths are short
    folder.chmod(0o755)
    return folder


async def _close() -> None:
    await agent_models.close()
    await session.dispose()
    await redis.close()
