"""The Redis keys of a run."""

from dataclasses import astuple, dataclass
from typing import Any
from uuid import UUID

from leaf import redis

RunId = UUID | str

SAFETY_SECONDS = 24 * 3600
"""The lifetime of every key of a run after its last change."""

FINISHED_SECONDS = 3600
"""The time for which a finished run can be replayed."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The Redis keys of one run."""

    chunks: str
    """A stream. Chunk n has the id `0-(n+1)`; the field `c` has its JSON, the field `w` its writer."""
    lease: str
    """A string: the token of the worker that writes the run."""
    stop: str
    """A stream on which the worker blocks. It gets one entry when a stop is requested."""
    checkpoint: str
    """A hash: `index`, `messages`, `began`, and `result:<id>` for each finished tool call of the run."""


def keys(run_id: RunId) -> Keys:
    """The keys of a run."""
    base = f"leaf:run:{run_id}"
    return Keys(f"{base}:chunks", f"{base}:lease", f"{base}:stop", f"{base}:checkpoint")


async def length(run_id: RunId) -> int:
    """The number of chunks of the run, which is the index of its next chunk."""
    with redis.guard():
        return int(await redis.client().xlen(keys(run_id).chunks))


async def identity(run_id: RunId) -> tuple[int, str]:
    """The number of chunks of the run, and a name for its stream. The name changes if Redis loses the run.

    The name is the name of the first chunk's writer; empty without a chunk.
    """
    key = keys(run_id).chunks
    with redis.guard():
        pipeline: Any = redis.client().pipeline(transaction=True)
        async with pipeline:
            pipeline.xlen(key)
            pipeline.xrange(key, count=1)
            count, first = await pipeline.execute()
    return int(count), first[0][1][b"w"].decode().partition(":")[0] if first else ""


async def delete(run_id: RunId) -> None:
    """Deletes all keys of a run. Its followers end, and its writer's next append raises `Replaced`."""
    with redis.guard():
        await redis.client().delete(*astuple(keys(run_id)))
