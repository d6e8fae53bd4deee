"""Writing a run: its chunks, its checkpoints and its end."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from leaf import redis
from leaf.parts import Chunk, encoded
from leaf.streams.keys import FINISHED_SECONDS, SAFETY_SECONDS, RunId, keys, length


class Replaced(Exception):
    """Another worker writes this run now, or its stream is gone. The worker must stop without writing anything else."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The point from which a worker that takes over continues."""

    index: int
    """The index of the first chunk after it."""
    messages_json: bytes
    """The run's messages up to this index, as JSON of pydantic-ai's `ModelMessages`."""
    began: float
    """The time of the run's first checkpoint (Unix time, seconds)."""
    results: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """The results of finished tool calls as JSON, by call id."""


# One script checks and writes. With separate commands, a replaced writer could add chunks after the new writer's first
# chunk. `w` is "writer:append". By it, a retry finds out that an append whose reply was lost is done.
_COMMIT = redis.Script("""
local chunks, lease, stop, checkpoint = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local position, token, writer, append = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local seconds, finished = ARGV[5], ARGV[6]
local holder = redis.call('GET', lease)
local length = redis.call('XLEN', chunks)
if holder and holder ~= token then return {0, length, 0} end
local done = false
if length ~= position then
  local last = redis.call('XREVRANGE', chunks, '+', '-', 'COUNT', 1)[1]
  local by = last and last[2][4] or ''
  local ours = string.sub(by, 1, #writer + 1) == writer .. ':' and tonumber(string.sub(by, #writer + 2)) or nil
  if length < position or not ours or ours > append then return {0, length, 0} end
  done, position = ours == append, length
end
if not done then
  for i = 9, #ARGV do
    position = position + 1
    redis.call('XADD', chunks, '0-' .. position, 'c', ARGV[i], 'w', writer .. ':' .. append)
  end
end
if ARGV[7] ~= '' then
  redis.call('HSET', checkpoint, 'index', ARGV[7], 'messages', ARGV[8])
  redis.call('HSETNX', checkpoint, 'began', redis.call('TIME')[1])
  redis.call('EXPIRE', checkpoint, seconds)
end
redis.call('EXPIRE', chunks, seconds)
if finished == '1' then
  redis.call('DEL', checkpoint)
  redis.call('EXPIRE', stop, seconds)
end
return {1, position, redis.call('EXISTS', stop)}
""")

_KEEP_RESULT = redis.Script("""
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'result:' .. ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
""")

_APPEND_TAIL = redis.Script("""
local chunks, lease, checkpoint = KEYS[1], KEYS[2], KEYS[3]
local last = redis.call('XREVRANGE', chunks, '+', '-', 'COUNT', 1)[1]
if last and last[2][4] == ARGV[3] then return 1 end
if redis.call('EXISTS', lease) == 1 then return 0 end
if last and cjson.decode(last[2][2])['type'] == 'finish' then return 0 end
local position = redis.call('XLEN', chunks)
if position ~= tonumber(ARGV[2]) then return 0 end
for i = 4, #ARGV do
  position = position + 1
  redis.call('XADD', chunks, '0-' .. position, 'c', ARGV[i], 'w', ARGV[3])
end
redis.call('EXPIRE', chunks, ARGV[1])
redis.call('DEL', checkpoint)
return 1
""")


class Writer:
    """Appends chunks to a run, one round trip per append.

    Args:
        run_id: The run.
        lease_token: The token of the worker's lease.
        index: The index of the first chunk to write; `Writer.open` finds it.
        patience_seconds: How long an append waits while Redis is unavailable.
    """

    def __init__(
        self, run_id: RunId, lease_token: str, index: int = 0, *, patience_seconds: float = redis.PATIENCE_SECONDS
    ) -> None:
        self.run_id = run_id
        self.index = index
        """The index of the next chunk."""
        self._token = lease_token
        self._patience_seconds = patience_seconds
        self._name = uuid4().hex[:12]
        self._appends = 0
        self._lock = asyncio.Lock()

    @classmethod
    async def open(cls, run_id: RunId, lease_token: str) -> "Writer":
        """Returns a writer that continues at the end of the stream."""
        return cls(run_id, lease_token, await length(run_id))

    async def append(self, chunks: Sequence[Chunk]) -> bool:
        """Appends chunks. Without chunks, it only checks the lease and whether a stop was requested.

        Returns:
            Whether a stop was requested.

        Raises:
            Replaced: Another worker writes this run now, or its stream is gone.
            errors.RedisUnavailable: Redis stayed unavailable. The chunks may or may not be written; the next append
                finds out and continues after them.
        """
        return await self._commit(chunks)

    async def checkpoint(self, model_messages_json: bytes) -> bool:
        """Stores a checkpoint, to which a worker that takes over the run goes back.

        Returns:
            Whether a stop was requested.
        """
        return await self._commit([], checkpoint=model_messages_json)

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Stores the result of a tool call, so that a worker that takes over the run does not repeat the call."""
        names = keys(self.run_id)
        arguments: list[str | bytes | int] = [self._token, call_id, result_json, SAFETY_SECONDS]
        kept = await redis.patiently(
            lambda: _KEEP_RESULT([names.lease, names.checkpoint], arguments), seconds=self._patience_seconds
        )
        if not kept:
            raise Replaced(f"run {self.run_id}: another worker has its lease")

    async def finish(self, chunks: Sequence[Chunk]) -> None:
        """Appends the last chunks, which end with `finish`. The stream then expires after `FINISHED_SECONDS`."""
        await self._commit(chunks, finished=True)

    async def _commit(
        self,
        chunks: Sequence[Chunk],
        *,
        checkpoint: bytes | None = None,
        finished: bool = False,
    ) -> bool:
        names = keys(self.run_id)
        async with self._lock:
            self._appends += 1
            arguments: list[str | bytes | int] = [
                self.index,
                self._token,
                self._name,
                self._appends,
                FINISHED_SECONDS if finished else SAFETY_SECONDS,
                int(finished),
                "" if checkpoint is None else self.index,
                checkpoint or "",
                *(encoded(chunk) for chunk in chunks),
            ]
            accepted, position, stop = await redis.patiently(
                lambda: _COMMIT([names.chunks, names.lease, names.stop, names.checkpoint], arguments),
                seconds=self._patience_seconds,
            )
            if not accepted:
                raise Replaced(f"run {self.run_id}: wanted to write chunk {self.index}, the stream has {position}")
            self.index = position
        return bool(stop)


async def append_tail(run_id: RunId, chunks: Sequence[Chunk], *, index: int) -> bool:
    """Ends a run whose worker is dead. Appends chunks to it, unless a worker has its lease or it has ended.

    Args:
        run_id: The run.
        chunks: The last chunks, with `finish` at the end.
        index: The length of the stream from which the chunks were made. If the stream has another length now, nothing
            is written.

    Returns:
        Whether the chunks were written.
    """
    names = keys(run_id)
    arguments: list[str | bytes | int] = [FINISHED_SECONDS, index, f"{uuid4().hex}:tail"]
    arguments += [encoded(chunk) for chunk in chunks]
    written = await redis.patiently(lambda: _APPEND_TAIL([names.chunks, names.lease, names.checkpoint], arguments))
    return bool(written)


async def read_checkpoint(run_id: RunId) -> Checkpoint | None:
    """The last checkpoint of a run; None if there is none."""
    client: Any = redis.client()
    with redis.guard():
        kept: dict[bytes, bytes] = await client.hgetall(keys(run_id).checkpoint)
    if b"index" not in kept:
        return None
    results = {name[7:].decode(): value for name, value in kept.items() if name.startswith(b"result:")}
    return Checkpoint(int(kept[b"index"]), kept[b"messages"], float(kept[b"began"]), results)
