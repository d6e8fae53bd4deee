"""Merging deltas before they are written."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest

from leaf import parts, streams
from tests.integration.redis_fixtures import redis_server, redis_url, until
from tests.integration.test_streams_writer import FINISH, text

__all__ = ["redis_server", "redis_url"]

pytestmark = pytest.mark.usefixtures("redis_url")

START: parts.Chunk = {"type": "text-start", "id": "t"}


class _SlowWriter(streams.Writer):
    """Notes each append, and waits for `go` before it writes."""

    def __init__(self, run: streams.RunId) -> None:
        super().__init__(run, "token")
        self.appends: list[list[parts.Chunk]] = []
        self.go = asyncio.Event()
        self.go.set()

    async def append(self, chunks: Sequence[parts.Chunk]) -> bool:
        self.appends.append([*chunks])
        await self.go.wait()
        return await super().append(chunks)


async def test_the_first_delta_is_written_at_once_and_later_ones_merged() -> None:
    run = uuid4()
    writer = _SlowWriter(run)
    merger = streams.Merger(writer, every_seconds=0.2)
    await merger.put(START)
    await merger.put(text("a"))
    assert await streams.read(run) == [START, text("a")]
    for letter in "bcd":
        await merger.put(text(letter))
    assert await streams.length(run) == 2
    await until(lambda: len(writer.appends) == 3)
    assert writer.appends[-1] == [text("bcd")]
    await merger.flush()
    assert await streams.read(run) == [START, text("a"), text("bcd")]


async def test_a_chunk_that_is_no_delta_takes_the_waiting_ones_along() -> None:
    run = uuid4()
    writer = _SlowWriter(run)
    merger = streams.Merger(writer, every_seconds=60)
    reasoning: parts.Chunk = {"type": "reasoning-delta", "id": "r", "delta": "hm"}
    call: parts.Chunk = {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{"}
    for chunk in (text("a"), text("b"), reasoning, text("c"), text("d"), call, call, FINISH):
        await merger.put(chunk)
    assert writer.appends[1] == [text("b"), reasoning, text("cd"), call | {"inputTextDelta": "{{"}, FINISH]
    await merger.flush()
    assert len(writer.appends) == 2


async def test_closing_writes_what_waits() -> None:
    run = uuid4()
    merger = streams.Merger(streams.Writer(run, "token"), every_seconds=60)
    await merger.put(text("a"))
    await merger.put(text("b"))
    await merger.flush()
    await merger.flush()
    assert await streams.read(run) == [text("a"), text("b")]


async def test_a_cancelled_producer_loses_nothing() -> None:
    run = uuid4()
    writer = _SlowWriter(run)
    merger = streams.Merger(writer)
    writer.go.clear()
    put = asyncio.create_task(merger.put(START))
    await until(lambda: bool(writer.appends))
    put.cancel()
    with pytest.raises(asyncio.CancelledError):
        await put
    writer.go.set()
    await merger.put(FINISH)
    assert await streams.read(run) == [START, FINISH]


async def test_a_cancelled_close_still_writes() -> None:
    run = uuid4()
    writer = _SlowWriter(run)
    merger = streams.Merger(writer, every_seconds=60)
    await merger.put(text("a"))
    await merger.put(text("b"))
    writer.go.clear()
    close = asyncio.create_task(merger.flush())
    await until(lambda: len(writer.appends) == 2)
    close.cancel()
    with pytest.raises(asyncio.CancelledError):
        await close
    writer.go.set()
    await until(lambda: writer.index == 2)
    assert await streams.read(run) == [text("a"), text("b")]


async def test_a_write_that_failed_in_the_background_reaches_the_producer() -> None:
    run = uuid4()
    merger = streams.Merger(streams.Writer(run, "token"), every_seconds=0.5)
    await merger.put(text("a"))
    await streams.Writer(run, "other", index=1).append([text("x")])
    merger._deltas_at = asyncio.get_running_loop().time()
    await merger.put(text("b"))
    await until(lambda: merger._failure is not None)
    with pytest.raises(streams.Replaced):
        await merger.put(text("c"))
    with pytest.raises(streams.Replaced):
        await merger.flush()
    assert await streams.read(run) == [text("a"), text("x")]


async def test_a_stop_is_noticed_by_the_next_write() -> None:
    run = uuid4()
    merger = streams.Merger(streams.Writer(run, "token"))
    await merger.put(START)
    assert not merger.stop_requested.is_set()
    await streams.request_stop(run)
    await merger.put(text("a"))
    assert merger.stop_requested.is_set()
    await merger.flush()


async def test_chunks_keep_their_order_under_load() -> None:
    run = uuid4()
    merger = streams.Merger(streams.Writer(run, "token"), every_seconds=0.001)
    for number in range(500):
        await merger.put(text(f"{number},"))
        if number % 7 == 0:
            await asyncio.sleep(0)
        if number % 50 == 0:
            await merger.put({"type": "data-n", "data": number})
    await merger.flush()
    chunks = await streams.read(run)
    assert "".join(chunk.get("delta", "") for chunk in chunks) == "".join(f"{number}," for number in range(500))
    assert len(chunks) < 500
