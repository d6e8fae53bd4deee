"""Merges consecutive deltas of a run before they are written."""

import asyncio

from leaf.parts import DELTAS, Chunk, merge_deltas
from leaf.streams.window import FRAME_SECONDS
from leaf.streams.writer import Writer


class Merger:
    """Takes chunks one by one and writes them merged.

    Deltas wait up to `every_seconds`. Other chunks and the first delta are written at once. A write is completed even
    if the task that waits for it is cancelled. The error of a failed write is raised by the next `put` or `flush`, and
    nothing is written after it.

    Args:
        writer: The stream's writer.
        every_seconds: The shortest time between two writes of deltas.
    """

    def __init__(self, writer: Writer, *, every_seconds: float = FRAME_SECONDS) -> None:
        self.stop_requested = asyncio.Event()
        """Set when a write has found that a stop was requested."""
        self._writer = writer
        self._every_seconds = every_seconds
        self._waiting: list[Chunk] = []
        self._deltas_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writes: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._lock = asyncio.Lock()

    async def put(self, chunk: Chunk) -> None:
        """Takes a chunk. Returns once the chunk is written, or at once if it is a delta that can wait."""
        self._raise_failure()
        self._waiting.append(chunk)
        loop = asyncio.get_running_loop()
        wait_seconds = 0.0
        if chunk["type"] in DELTAS and self._deltas_at is not None:
            wait_seconds = self._deltas_at + self._every_seconds - loop.time()
        if wait_seconds <= 0:
            await self.flush()
        elif self._timer is None:
            self._timer = loop.call_later(wait_seconds, self._begin_write)

    async def flush(self) -> None:
        """Writes the waiting chunks, even if the caller is cancelled meanwhile."""
        self._raise_failure()
        await asyncio.shield(self._begin_write())
        self._raise_failure()

    def _begin_write(self) -> "asyncio.Task[None]":
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        task = asyncio.create_task(self._write())
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return task

    async def _write(self) -> None:
        async with self._lock:
            chunks, self._waiting = merge_deltas(self._waiting), []
            if not chunks or self._failure is not None:
                return
            if any(chunk["type"] in DELTAS for chunk in chunks):
                self._deltas_at = asyncio.get_running_loop().time()
            try:
                if await self._writer.append(chunks):
                    self.stop_requested.set()
            except BaseException as error:  # noqa: BLE001 - the next `put` raises it
                self._failure = error

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
