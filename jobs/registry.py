"""Which runs some worker has begun: what the reaper looks through, without asking the database."""

from collections.abc import Awaitable
from typing import Any, cast
from uuid import UUID

from leaf import redis

_KEY = "leaf:runs:active"


async def add(run_id: UUID, attempt: int) -> None:
    """Notes that a worker has begun a run.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        await cast("Awaitable[Any]", redis.client().hset(_KEY, str(run_id), str(attempt)))


async def remove(run_id: UUID) -> None:
    """Notes that a run has ended.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        await cast("Awaitable[Any]", redis.client().hdel(_KEY, str(run_id)))


async def attempts() -> dict[UUID, int]:
    """The runs that were begun and have not ended, with their last attempt.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        kept = await cast("Awaitable[dict[bytes, bytes]]", redis.client().hgetall(_KEY))
    return {UUID(run_id.decode()): int(attempt) for run_id, attempt in kept.items()}
