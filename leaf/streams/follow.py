"""Following a run: its chunks as they come, until the run ends or the reader loses the right to read it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from leaf import errors, redis
from leaf.parts import Chunk, Fold, MalformedChunk, Part, void_rewound
from leaf.streams import hub, lease, rights
from leaf.streams.hub import Tail
from leaf.streams.keys import RunId, keys
from leaf.streams.outages import Outage
from leaf.streams.rights import Access, Answer, Reader

_PATIENCE_SECONDS = redis.PATIENCE_SECONDS
UNTAKEN_SECONDS = 10.0
"""A run without a lease counts as waiting for a worker after this time without a new chunk."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive chunks of a run. They are shared with other followers, so treat them as read-only."""

    chunks: list[Chunk]
    index: int = 0
    """The index of the first chunk."""
    restarts: bool = False
    """Whether the answer starts over here, so that everything received before is void."""
    stored: bool = False
    """Whether the chunks were made from the stored answer, because the stream has expired or ended without `finish`.

    They are the whole answer then, and their indexes are not those of the run.
    """

    @property
    def ends(self) -> bool:
        """Whether this is the last batch."""
        return self.chunks[-1]["type"] == "finish"


@dataclass(frozen=True, slots=True)
class Ping:
    """No chunk has come for a while; the run continues."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The run cannot be followed at the moment. The follower tries again for as long as its caller iterates."""

    error: errors.LeafError
    gone: bool = False
    """Whether Redis has lost the stream. The next chunks then start the answer over."""


@dataclass(frozen=True, slots=True)
class Untaken:
    """Whether the run waits for a worker, because no worker has taken it for a while or its worker has died."""

    waits: bool


@dataclass(frozen=True, slots=True)
class Revoked:
    """The reader may not, or may no longer, read the run."""

    error: errors.LeafError


Event = Batch | Ping | Lost | Untaken | Revoked


async def follow(
    run_id: RunId, reader: Reader, start_index: int = 0, *, ping_seconds: float | None = None
) -> AsyncGenerator[Event]:
    """Yields the chunks of a run: first those in the stream, then new ones. Waits for a stream that does not exist yet.

    Batches have no gap and no repetition. A chunk that a later `data-rewind` in the stream drops comes as a blank. The
    reader's `Fold` applies a `data-rewind` that arrives later.

    The iteration ends after the batch with `finish`, or after `Revoked`; at once if `finish` is before the index. A
    reader who has lost the right gets no further batch.

    Args:
        run_id: The run.
        reader: The party that reads, and its rights.
        start_index: The index of the first chunk wanted; at most the stream's length.
        ping_seconds: The time without a chunk after which a `Ping` is yielded; None for no pings.
    """
    async with rights.access(reader, run_id) as access:
        follower = _Follower(run_id, start_index, access, ping_seconds)
        try:
            while True:
                event = await follower.next()
                if event is None:
                    return
                yield event
                if isinstance(event, Revoked) or (isinstance(event, Batch) and event.ends):
                    return
        finally:
            follower.close()


async def read(run_id: RunId) -> list[Chunk]:
    """The current chunks of a run. A chunk that a `data-rewind` dropped is a blank."""
    return void_rewound(await _from(keys(run_id).chunks, 0), 0)


async def _from(key: str, position: int) -> list[Chunk]:
    """The chunks from the index `position` on; empty if the stream has none at `position`."""
    client: Any = redis.client()
    entries = await redis.patiently(lambda: client.xrange(key, min=f"0-{position + 1}"), seconds=_PATIENCE_SECONDS)
    return hub.decode(entries) if entries and hub.index_of(entries[0]) == position else []


def _lacks_only_finish(chunks: list[Chunk], replay: list[Chunk]) -> bool:
    """Whether the chunks of a stream, which has no `finish`, make the whole stored answer (`replay`)."""
    try:
        return bool(chunks) and _fold(chunks) == _fold(replay)
    except MalformedChunk:
        return False


def _fold(chunks: list[Chunk]) -> tuple[list[Part], bool]:
    """The parts that chunks make, and whether one of the chunks is an error."""
    fold = Fold()
    for chunk in chunks:
        fold.apply(chunk)
    return [*fold.parts], any(chunk["type"] == "error" for chunk in chunks)


class _Follower:
    """A position in a run, which `next` advances."""

    def __init__(self, run_id: RunId, position: int, access: Access, ping_seconds: float | None) -> None:
        self._run_id = run_id
        self._key = keys(run_id).chunks
        self._position = position
        self._access = access
        self._ping_seconds = ping_seconds
        self._tail: Tail | None = None
        self._last: Chunk | None = None
        self._restarts = False
        self._outage = Outage()
        self._pause_seconds = 0.0
        """The pause before the next try; 0 unless the last try failed."""
        self._begin_silence()
        self._waits = False
        """Whether the run waits for a worker."""
        access.wake = self._wake

    def close(self) -> None:
        """Stops watching the stream."""
        self._access.wake = lambda: None
        if self._tail is not None:
            hub.hub().leave(self._tail)
            self._tail = None

    async def next(self) -> Event | None:
        """The next event, as soon as there is one; None if the position is after the last chunk of the run."""
        try:
            if self._pause_seconds:
                pause, self._pause_seconds = self._pause_seconds, 0.0
                await asyncio.sleep(pause)
            return await self._next()
        except errors.Unavailable as error:
            self._pause_seconds = self._outage.pause()
            return Lost(error)

    async def _next(self) -> Event | None:
        while True:
            if self._access.revoked is not None:
                return Revoked(self._access.revoked)
            if not self._access.is_proven:
                await self._access.check()
                continue
            chunks = self._tail.since(self._position) if self._tail is not None else None
            if chunks is None:
                chunks = await self._unread()
            if chunks:
                return self._arrived(chunks)
            if self._last is not None and self._last["type"] == "finish":
                return None
            if chunks is None or self._has_expired or await self._wait_for_silence():
                event = await self._after_silence() or await self._worker_news()
                if event is not None:
                    return event
            elif self._is_ping_due():
                self._pinged_at = asyncio.get_running_loop().time()
                return Ping()

    def _arrived(self, chunks: list[Chunk]) -> Event:
        """The event for new chunks. If the run has waited for a worker, first the event that it no longer waits."""
        if self._waits:
            self._waits = False
            return Untaken(waits=False)
        return self._batch(chunks)

    def _batch(self, chunks: list[Chunk]) -> Batch:
        batch = Batch(void_rewound(chunks, self._position), self._position, self._restarts)
        self._position, self._last, self._restarts = self._position + len(chunks), chunks[-1], False
        self._begin_silence()
        return batch

    def _begin_silence(self) -> None:
        """Restarts the timers of the silence, which is the time since the last chunk."""
        # From the time `_check_from` on, the database is asked whether the run has ended.
        self._last_chunk_at = self._check_from = asyncio.get_running_loop().time()
        self._quiet_since = self._pinged_at = self._idle_since = self._last_chunk_at

    def _stored(self, answer: Answer) -> Batch:
        return Batch(answer.replay(), 0, self._restarts or self._position > 0, stored=True)

    async def _unread(self) -> list[Chunk] | None:
        """The chunks in Redis from the position on; None if the tail begins later and Redis has none there.

        The first call joins the tail, and reads the chunk before the position.
        """
        if self._tail is None:
            known = min(self._position, 1)
            before = await _from(self._key, self._position - known)
            chunks = before[known:]
            self._last = before[0] if known and before else None
            self._tail = await hub.hub().join(self._key, self._position + len(chunks))
            return chunks
        return await _from(self._key, self._position) or None

    async def _wait_for_silence(self) -> bool:
        """Waits for a chunk, a wake-up or the next ping. Returns whether the silence has lasted `SILENCE_SECONDS`."""
        if self._tail is None or self._tail.since(self._position) != []:
            return False
        loop = asyncio.get_running_loop()
        until = silent_at = self._quiet_since + hub.SILENCE_SECONDS
        if self._ping_seconds is not None:
            until = min(silent_at, self._pinged_at + self._ping_seconds)
        changed = self._tail.changed
        try:
            async with asyncio.timeout_at(until):
                await changed.wait()
        except TimeoutError:
            return loop.time() >= silent_at
        return False

    @property
    def _has_expired(self) -> bool:
        """Whether the run has ended and no chunk of it was received; its stream has expired then."""
        answer = self._access.answer
        return self._position == 0 and self._last is None and answer is not None and not answer.unfinished

    def _is_ping_due(self) -> bool:
        now = asyncio.get_running_loop().time()
        return self._ping_seconds is not None and now >= self._pinged_at + self._ping_seconds

    async def _after_silence(self) -> Event | None:
        """Reads chunks that the hub has missed from Redis, and checks in the database whether the run has ended.

        Returns:
            The next event; None if nothing is new.
        """
        self._quiet_since = asyncio.get_running_loop().time()
        is_there, chunks = await self._after_position()
        if chunks:
            self._waits = False
            return self._batch(chunks)
        now = self._quiet_since
        if not is_there or now >= self._check_from:
            # The longer the silence, the less often the database is asked: a model may think for long.
            self._check_from = now + min(now - self._last_chunk_at, rights.CHECK_SECONDS)
            # While the database is unavailable, the run counts as unfinished. Its chunks come from Redis.
            with suppress(errors.Unavailable):
                await self._access.check()
        answer = self._access.answer
        if answer is None or self._access.revoked is not None:
            return None
        if not answer.unfinished:
            return await self._rest(answer, is_there=is_there)
        if is_there:
            return None
        self._restart()
        return Lost(errors.RedisUnavailable(), gone=True)

    async def _worker_news(self) -> Untaken | None:
        """Whether the run waits for a worker; None if that has not changed."""
        now = asyncio.get_running_loop().time()
        if now < self._idle_since + UNTAKEN_SECONDS:
            return None
        waits = not await lease.leased([self._run_id])
        if not waits:
            self._idle_since = now
        changed, self._waits = waits != self._waits, waits
        return Untaken(waits) if changed else None

    async def _rest(self, answer: Answer, *, is_there: bool) -> Batch | None:
        """The rest of a run whose answer is stored; None while its worker may still write `finish`."""
        if not is_there:
            return self._stored(answer)
        # The worker stores the answer, then writes `finish`, then releases its lease.
        is_leased = bool(await lease.leased([self._run_id]))
        chunks = await _from(self._key, 0)
        if len(chunks) > self._position:
            return self._batch(chunks[self._position :])
        if is_leased and chunks:
            return None
        replay = answer.replay()
        if _lacks_only_finish(chunks, replay):
            return self._batch(replay[-1:])
        return self._stored(answer)

    async def _after_position(self) -> tuple[bool, list[Chunk]]:
        """Whether the stream still exists and has not been replaced, and its chunks from the position on."""
        if self._position == 0:
            return True, await _from(self._key, 0)
        chunks = await _from(self._key, self._position - 1)
        if not chunks or (self._last is not None and chunks[0] != self._last):
            return False, []
        return True, chunks[1:]

    def _restart(self) -> None:
        if self._tail is not None:
            hub.hub().forget(self._tail)
            hub.hub().leave(self._tail)
        self._tail, self._position, self._last, self._restarts = None, 0, None, True

    def _wake(self) -> None:
        if self._tail is not None:
            self._tail.wake()
