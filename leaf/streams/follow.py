"""Reading a run: all of it at once, or as it grows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from leaf import errors, redis
from leaf.parts import Chunk, void_rewound
from leaf.streams.hub import Tail, decode, hub, index_of
from leaf.streams.keys import SAFETY_SECONDS, RunId, keys

SILENCE_SECONDS = 2.0
"""After so long without a chunk a follower looks whether the run still lives."""


_PATIENCE_SECONDS = redis.PATIENCE_SECONDS


async def _from(key: str, position: int) -> list[Chunk]:
    """The chunks from `position` on; none where the stream has none at `position`."""
    call: Any = redis.client()
    entries = await redis.patiently(lambda: call.xrange(key, min=f"0-{position + 1}"), seconds=_PATIENCE_SECONDS)
    return decode(entries) if entries and index_of(entries[0]) == position else []


async def read(run_id: RunId, start_index: int = 0, *, end: int | None = None) -> list[Chunk]:
    """The chunks that a run has now, without what a `data-rewind` dropped.

    Args:
        run_id: The run.
        start_index: The first chunk that is wanted.
        end: The one before which it ends: as if nothing had come after that; None for all.

    Raises:
        errors.RedisUnavailable: Redis stayed away.
    """
    found = await _from(keys(run_id).chunks, start_index)
    return void_rewound(found if end is None else found[: max(0, end - start_index)], start_index)


class _Reader:
    """A place in a stream, moved on by `next`."""

    def __init__(self, key: str, position: int, is_live: Callable[[], Awaitable[bool]] | None) -> None:
        self._key = key
        self._position = position
        self._is_live = is_live
        self._tail: Tail | None = None
        self._last: Chunk | None = None

    def close(self) -> None:
        if self._tail is not None:
            hub().leave(self._tail)
            self._tail = None

    async def next(self) -> list[Chunk]:
        """The next chunks, as soon as there are any; none once the stream is gone or its run is dead."""
        while True:
            chunks = await self._there()
            if chunks is None:
                return []
            if not chunks and await self._silent():
                chunks = await self._after_silence()
                if chunks is None:
                    return []
            if chunks:
                first, self._position, self._last = self._position, self._position + len(chunks), chunks[-1]
                return void_rewound(chunks, first)

    async def _there(self) -> list[Chunk] | None:
        """What is there already, from the hub if it goes back so far; None where the stream begins anew."""
        if self._tail is not None:
            chunks = self._tail.since(self._position)
            if chunks is not None:
                return chunks
        chunks = await _from(self._key, self._position)
        if self._tail is None:
            self._tail = await hub().join(self._key, self._position + len(chunks))
        elif not chunks:
            return None
        return chunks

    async def _silent(self) -> bool:
        if self._tail is None or self._tail.since(self._position) != []:
            return False
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                await self._tail.changed.wait()
        except TimeoutError:
            return True
        return False

    async def _after_silence(self) -> list[Chunk] | None:
        """Looks into Redis itself: what came although the hub was silent; None where the stream is gone or dead."""
        if self._position > 0:
            chunks = await _from(self._key, self._position - 1)
            if not chunks or (self._last is not None and chunks[0] != self._last):
                return None
            chunks = chunks[1:]
        else:
            chunks = await _from(self._key, 0)
        if chunks or self._is_live is None or await self._is_live():
            return chunks
        # Its last chunks may have come while the caller was asked.
        return await _from(self._key, self._position) or None


async def follow(
    run_id: RunId, start_index: int = 0, *, is_live: Callable[[], Awaitable[bool]] | None = None
) -> AsyncIterator[list[Chunk]]:
    """The chunks of a run in batches, first those that are there, then live ones.

    Batches have no gap and no repetition: the sum of their lengths is the index of the next chunk, less `start_index`.
    Chunks that a later `data-rewind` had already dropped come as blanks; a `data-rewind` that comes live is for the
    reader's `Fold`. Batches are shared with other followers: treat them as read-only.

    It ends after `finish`. It also ends without one where the stream is gone (deleted, expired, lost with Redis), or
    where nothing came for two seconds and `is_live` says no: look into the database then, and if the run is still
    unfinished there, follow it anew from 0 with a new `Fold`. A stream that does not exist yet is waited for.

    Args:
        run_id: The run.
        start_index: The first chunk wanted; at most the stream's length.
        is_live: Whether the run is still being worked on.

    Raises:
        errors.RedisUnavailable: Redis stayed away for about ten seconds.
    """
    reader = _Reader(keys(run_id).chunks, start_index, is_live)
    try:
        while chunks := await reader.next():
            yield chunks
            if chunks[-1]["type"] == "finish":
                return
    finally:
        reader.close()


async def request_stop(run_id: RunId) -> None:
    """Asks the worker of a run to stop; asking again changes nothing.

    Raises:
        errors.RedisUnavailable: Redis stayed away.
    """
    await redis.patiently(lambda: _STOP([keys(run_id).stop], [SAFETY_SECONDS]))


_STOP = redis.Script("""
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('XADD', KEYS[1], '0-1', 'c', '{"type":"data-stop"}') end
return redis.call('EXPIRE', KEYS[1], ARGV[1])
""")


async def stop_requested(run_id: RunId) -> bool:
    """Whether a stop was asked for.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        return bool(await redis.client().exists(keys(run_id).stop))


async def wait_for_stop(run_id: RunId) -> None:
    """Waits, as long as it takes, until a stop is asked for; cancel it when the run ends.

    It outlasts a Redis that is away: the writer of the run is the one to complain about that.
    """
    while True:
        reader = _Reader(keys(run_id).stop, 0, None)
        try:
            if await reader.next():
                return
        except errors.RedisUnavailable:
            continue
        finally:
            reader.close()
