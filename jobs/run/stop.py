"""The early end of a run: the stop button (`leaf.streams.stop`) and the time limit cancel the agent's request."""

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

from pydantic_ai import CancellationToken

from leaf import streams

T = TypeVar("T")


async def unless(stopped: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of some work. If an event is set before the work ends, cancels the work and returns None."""
    working, waiting = asyncio.create_task(work), asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, waiting):
            task.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)


class Stop:
    """The early end of a run, because a reader has stopped it or its time limit has passed."""

    def __init__(self) -> None:
        self.token = CancellationToken()
        """Cancels the agent."""
        self.requested = asyncio.Event()
        """Set when nobody waits for the answer any longer."""
        self.out_of_time = False
        """Whether the time limit ended the run."""

    @asynccontextmanager
    async def watching(self, run_id: UUID, ends_at: float) -> AsyncGenerator[None]:
        """Watches for a stop and for the time limit while the block runs.

        Args:
            run_id: The run that a reader may stop.
            ends_at: The time at which the run is ended (Unix time, seconds).
        """
        watchers = [asyncio.create_task(self._watch_for_stop(run_id)), asyncio.create_task(self._watch_clock(ends_at))]
        try:
            yield
        finally:
            for one in watchers:
                one.cancel()
            await asyncio.gather(*watchers, return_exceptions=True)

    async def _watch_for_stop(self, run_id: UUID) -> None:
        await streams.wait_for_stop(run_id)
        self._request()

    async def _watch_clock(self, ends_at: float) -> None:
        await asyncio.sleep(ends_at - time.time())
        self.out_of_time = True
        self._request()

    def _request(self) -> None:
        self.requested.set()
        self.token.cancel()
