"""The hub: one blocking read of Redis for all streams that a process watches."""

import asyncio
from contextlib import suppress
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import orjson
from redis import exceptions

from leaf import redis
from leaf.parts import Chunk
from leaf.streams.outages import Outage

_BLOCK_SECONDS = 2.0
_PAUSE_SECONDS = 0.003
"""The pause between two reads, so that many busy streams share a round trip."""
_FEW_TAILS = 2
"""Up to this number of streams, reads follow each other without the pause, which takes as long as a read."""
_READ_COUNT = 500
_KEPT_CHUNKS = 2000
"""How many chunks of a stream the hub keeps for slow followers. A follower further behind reads Redis itself."""
_CONTROL_SECONDS = 300
SILENCE_SECONDS = 2.0
"""The time without a chunk after which a follower reads Redis itself."""

Entry = tuple[bytes, dict[bytes, bytes]]


def decode(entries: list[Entry]) -> list[Chunk]:
    """The chunks of stream entries."""
    return [orjson.loads(fields[b"c"]) for _, fields in entries]


def index_of(entry: Entry) -> int:
    """The index of an entry, whose id is `0-(index+1)`."""
    return int(entry[0].partition(b"-")[2]) - 1


class Tail:
    """The last chunks of one stream, shared by all its followers."""

    def __init__(self, key: str, position: int) -> None:
        self.key = key
        self.first = position
        self.chunks: list[Chunk] = []
        self.readers = 0
        self.changed = asyncio.Event()
        """Set when chunks have come, and then replaced by a new event."""

    @property
    def position(self) -> int:
        """The index of the next chunk."""
        return self.first + len(self.chunks)

    def since(self, position: int) -> list[Chunk] | None:
        """The chunks from `position` on; None if the tail begins later."""
        return None if position < self.first else self.chunks[position - self.first :]

    def extend(self, entries: list[Entry]) -> None:
        """Adds new entries and wakes the followers. Starts over if the entries do not continue the chunks."""
        if index_of(entries[0]) != self.position:
            self.first, self.chunks = index_of(entries[0]), []
        self.chunks += decode(entries)
        if len(self.chunks) > _KEPT_CHUNKS:
            dropped = len(self.chunks) - _KEPT_CHUNKS // 2
            self.first += dropped
            del self.chunks[:dropped]
        self.wake()

    def wake(self) -> None:
        """Wakes all waiting followers, which then look again."""
        self.changed.set()
        self.changed = asyncio.Event()


class Hub:
    """Reads all watched streams of an event loop over one connection. Stops when no stream is watched."""

    def __init__(self) -> None:
        self._tails: dict[str, Tail] = {}
        self._task: asyncio.Task[None] | None = None
        # Each read also includes this stream. An entry in it ends a blocked read, so that new streams are included.
        self._control = f"leaf:hub:{uuid4().hex}"

    @property
    def followers(self) -> int:
        """The number of watches of all streams together."""
        return sum(tail.readers for tail in self._tails.values())

    async def join(self, key: str, position: int) -> Tail:
        """Watches a stream from the index `position` on; each call needs a `leave`.

        A stream that is already watched keeps its tail, which may begin at another index.
        """
        tail = self._tails.get(key)
        if tail is not None:
            tail.readers += 1
            return tail
        tail = self._tails[key] = Tail(key, position)
        tail.readers = 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read(), name="run streams")
        else:
            await self._wake(tail)
        return tail

    def forget(self, tail: Tail) -> None:
        """Detaches the tail of a stream that is gone. The next `join` watches the new stream under the same key."""
        if self._tails.get(tail.key) is tail:
            del self._tails[tail.key]

    def leave(self, tail: Tail) -> None:
        """Ends a watch. The end of the last watch stops the reading."""
        tail.readers -= 1
        if tail.readers == 0 and self._tails.get(tail.key) is tail:
            del self._tails[tail.key]
        if not self._tails and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _wake(self, tail: Tail) -> None:
        client: Any = redis.client()
        try:
            # If this fails, the blocked read ends by itself after `_BLOCK_SECONDS`.
            with suppress(exceptions.RedisError):
                async with client.pipeline(transaction=False) as pipeline:
                    pipeline.xadd(self._control, {"w": ""}, maxlen=1)
                    pipeline.expire(self._control, _CONTROL_SECONDS)
                    await pipeline.execute()
        except BaseException:
            self.leave(tail)
            raise

    async def _read(self) -> None:
        connection: Any = redis.dedicated(_BLOCK_SECONDS + redis.ANSWER_TIMEOUT_SECONDS)
        seen: bytes | str = "0"
        outage = Outage(least=0.1, most=2.0)
        try:
            while True:
                watched = {key: f"0-{tail.position}" for key, tail in self._tails.items()}
                try:
                    reply = await connection.xread(
                        {self._control: seen} | watched, block=int(_BLOCK_SECONDS * 1000), count=_READ_COUNT
                    )
                except exceptions.RedisError as error:
                    if not redis.is_unusable(error):
                        raise
                    await asyncio.sleep(outage.pause())
                    continue
                for key, entries in reply:
                    tail = self._tails.get(key.decode())
                    if tail is not None:
                        tail.extend(entries)
                    elif key.decode() == self._control:
                        seen = entries[-1][0]
                if len(self._tails) > _FEW_TAILS:
                    await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            await connection.aclose()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())


def followers() -> int:
    """The number of watches of all streams together in the running event loop."""
    own = _hubs.get(asyncio.get_running_loop())
    return own.followers if own is not None else 0
