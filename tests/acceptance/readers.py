"""Readers, which follow a run as an open page does, from its first chunk to its end."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from leaf import errors, parts
from leaf.db import Actor
from leaf.parts import Chunk
from leaf.services import chats, conversations, readers
from tests.acceptance.stack import DEADLINE_SECONDS, until
from tests.run_reader import batches

_PAUSE_SECONDS = 0.2

QUESTION = "Summarise the transport agreement with Halden Haulage"
"""A question that takes a search, a reading and a quote, in at least three steps."""
SLOW = "sandbox:sandbox-slow-6"
"""A model whose answer takes about three seconds after its tools."""


class Reader:
    """A reader of one run until it ends; `times` has the arrival of each of the `chunks`."""

    def __init__(self, actor: Actor, run_id: UUID) -> None:
        self._actor, self.run_id = actor, run_id
        self.chunks: list[Chunk] = []
        self.times: list[float] = []
        self.fold = parts.Fold()
        self.beginnings = 0
        """The number of times that the answer began, anew included."""
        self.ended = asyncio.Event()

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return parts.text_of(self.fold.message)

    @property
    def words(self) -> int:
        """The number of words so far."""
        return len(self.text.split())

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the answer so far."""
        return self.fold.message["parts"]

    def tools(self, state: str = "output-available") -> list[dict[str, Any]]:
        """The tool calls in this state."""
        return [part for part in self.parts if part["type"].startswith("tool-") and part["state"] == state]

    @property
    def in_mid_answer(self) -> bool:
        """Whether a file has been read, and the long text has begun."""
        return self.words > 200 and any(part["type"] == "tool-read_drive_file" for part in self.tools())

    async def follow(self) -> None:
        """Follows the run to its end."""
        try:
            while True:
                try:
                    if (
                        await self._to_the_end()
                        or not (await conversations.result(self._actor, self.run_id)).unfinished
                    ):
                        return
                except errors.Unavailable:
                    await asyncio.sleep(_PAUSE_SECONDS)
                except errors.NotFound:
                    return
        finally:
            self.ended.set()

    async def _to_the_end(self) -> bool:
        self.beginnings += 1
        self.chunks, self.times, self.fold = [], [], parts.Fold()
        async for batch in batches(self.run_id, readers.of(self._actor)):
            for chunk in batch:
                self.fold.apply(chunk)
            self.chunks += batch
            self.times += [time.time()] * len(batch)
        return bool(self.chunks) and self.chunks[-1]["type"] == "finish"

    async def until(self, condition: Callable[["Reader"], Any], *, seconds: float = DEADLINE_SECONDS) -> None:
        """Waits until the condition holds."""
        await until(lambda: condition(self), seconds=seconds, what=f"reader of {self.run_id}: {self.text[-200:]!r}")

    async def end(self, *, seconds: float = DEADLINE_SECONDS) -> chats.Message:
        """Waits for the end of the run, and returns the stored answer."""
        async with asyncio.timeout(seconds):
            await self.ended.wait()
        return await conversations.result(self._actor, self.run_id)


@asynccontextmanager
async def reading(actor: Actor, run_id: UUID | None) -> AsyncIterator[Reader]:
    """A reader that follows a run while the block lasts; a run that is unfinished then is stopped."""
    assert run_id is not None
    reader = Reader(actor, run_id)
    following = asyncio.create_task(reader.follow(), name=f"reader of {run_id}")
    try:
        yield reader
        if following.done():
            following.result()
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
