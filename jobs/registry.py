"""The registry of running runs in Redis, which the reaper reads instead of the database."""

from collections.abc import Awaitable
from typing import Any, cast
from uuid import UUID

from leaf import redis

_KEY = "leaf:runs:active"


async def add(run_id: UUID, attempt: int) -> None:
    """Registers a run that a worker has begun.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        await cast("Awaitable[Any]", redis.client().hset(_KEY, str(run_id), str(attempt)))


async def remove(run_id: UUID) -> None:
    """Removes a run that has ended.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        await cast("Awaitable[Any]", redis.client().hdel(_KEY, str(run_id)))


async def attempts() -> dict[UUID, int]:
    """The runs that have begun and not ended, with the number of their last attempt.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        kept = await cast("Awaitable[dict[bytes, bytes]]", redis.client().hgetall(_KEY))
    return {UUID(run_id.decode()): int(attempt) for run_id, attempt in kept.items()}
