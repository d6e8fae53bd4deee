"""The registry of active runs in Redis. The reaper reads it instead of the database.

Every function raises `errors.RedisUnavailable` if Redis does not answer.
"""

import asyncio
from typing import Any
from uuid import UUID

from leaf import redis

_KEY = "leaf:runs:active"
_LOOKS = 25
_LOOK_SECONDS = 0.2


async def add(run_id: UUID, attempt: int) -> None:
    """Registers a run that a worker has started."""
    client: Any = redis.client()
    with redis.guard():
        await client.hset(_KEY, str(run_id), str(attempt))


async def remove(run_id: UUID) -> None:
    """Removes a run that has ended."""
    client: Any = redis.client()
    with redis.guard():
        await client.hdel(_KEY, str(run_id))


async def attempts() -> dict[UUID, int]:
    """The active runs, each with the number of its latest attempt."""
    client: Any = redis.client()
    with redis.guard():
        kept: dict[bytes, bytes] = await client.hgetall(_KEY)
    return {UUID(run_id.decode()): int(attempt) for run_id, attempt in kept.items()}


async def give_way() -> None:
    """Waits while answers are being written, for at most five seconds, because they take precedence over the index."""
    for _ in range(_LOOKS):
        if not await attempts():
            return
        await asyncio.sleep(_LOOK_SECONDS)
