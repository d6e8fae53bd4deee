"""The queue of arq (https://arq-docs.helpmanual.io), in the Redis that everything else uses.

arq's worker polls; a bell in Redis wakes it (`jobs.queue`).
"""

from collections.abc import Sequence
from typing import Any, Final, cast

from arq import constants
from arq.connections import ArqRedis
from arq.jobs import ResultNotFound, serialize_job
from arq.utils import timestamp_ms
from arq.worker import JobExecutionFailed
from redis.asyncio import ConnectionPool
from redis.asyncio.client import Pipeline

from leaf import queue, redis
from leaf.queue import Job, Standing

_BELL: Final = "leaf:jobs:bell"
_HEARTBEAT: Final = f"{constants.default_queue_name}{constants.health_check_key_suffix}"
_MOST_JOBS: Final = 10_000
"""The largest number of jobs that are counted."""

# A ring may be lost: workers also read the queue at intervals.
_BELL_RINGS = """
redis.call('LPUSH', KEYS[#KEYS], '1')
redis.call('LTRIM', KEYS[#KEYS], 0, 99)
redis.call('EXPIRE', KEYS[#KEYS], 60)
"""
_RING = redis.Script(_BELL_RINGS)
_ENQUEUE = redis.Script(f"""
{_BELL_RINGS}
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
redis.call('PSETEX', KEYS[1], ARGV[4], ARGV[2])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
return 1
""")


class _Pipeline(Pipeline):
    """A pipeline that always gives its connection back.

    redis-py keeps the connection of a pipeline whose end is cancelled, or gets no answer, while it watches keys.
    """

    async def reset(self) -> None:
        try:
            await super().reset()
        finally:
            connection, self.connection, self.watching = self.connection, None, False
            if connection is not None:
                # Without waiting: this task may have been cancelled.
                await connection.disconnect(nowait=True)
                await self.connection_pool.release(connection)


class _Connected(ArqRedis):
    """arq's client; arq watches keys, both to enqueue a job and to start one."""

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def connected(pool: ConnectionPool | None = None) -> ArqRedis:
    """Arq's client of its queue.

    Args:
        pool: Its connections; those of `redis.client` without it.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    return _Connected(
        pool or redis.client().connection_pool,
        job_serializer=queue.job_serializer,
        job_deserializer=queue.job_deserializer,
    )


class Queue:
    """See `leaf.queue.Queue`."""

    async def enqueue(self, job: Job) -> bool:
        """Enqueues a job and wakes a worker: arq's own way of doing so, without its five round trips."""
        now = timestamp_ms()
        data = serialize_job(job.function, job.arguments, {}, None, now, serializer=queue.job_serializer)
        keys = [
            f"{constants.job_key_prefix}{job.id}", f"{constants.result_key_prefix}{job.id}",
            constants.default_queue_name, _BELL,
        ]  # fmt: skip
        with redis.guard():
            return bool(await _ENQUEUE(keys, [job.id, data, now, constants.expires_extra_ms]))

    async def forget(self, jobs: Sequence[Job]) -> None:
        """Removes jobs, which arq would retry for a day."""
        ids = [job.id for job in jobs]
        prefixes = (constants.in_progress_key_prefix, constants.retry_key_prefix, constants.job_key_prefix)
        with redis.guard():
            async with redis.client().pipeline(transaction=True) as pipe:
                pipe.zrem(constants.default_queue_name, *ids)
                pipe.delete(*(prefix + one for prefix in prefixes for one in ids))
                await pipe.execute()

    async def call(self, function: str, argument: Any, *, seconds: float, every_seconds: float) -> Any:
        """Has a worker call a function and returns its result."""
        with redis.guard():
            job = await connected().enqueue_job(function, argument)
            await _RING([_BELL], [])
            if job is None:
                raise queue.Failed(function)
            try:
                return await job.result(timeout=seconds, poll_delay=every_seconds)
            except (JobExecutionFailed, ResultNotFound) as error:
                # A worker of an earlier version does not know every function.
                raise queue.Failed(function) from error

    async def waiting(self, function: str) -> Sequence[float]:
        """Since when jobs wait; arq keeps a job in its queue until it has ended."""
        call: Any = redis.client()
        prefix = function.encode() + b":"
        with redis.guard():
            # arq's score is the time at which a job may begin, in milliseconds.
            queued: list[tuple[bytes, float]] = await call.zrange(
                constants.default_queue_name, 0, _MOST_JOBS - 1, withscores=True
            )
            found = [(job, score) for job, score in queued if job.startswith(prefix)]
            if not found:
                return ()
            async with call.pipeline(transaction=False) as pipeline:
                for job, _ in found:
                    pipeline.exists(constants.in_progress_key_prefix.encode() + job)
                begun: list[int] = await pipeline.execute()
        return [score / 1000 for (_, score), has_begun in zip(found, begun, strict=True) if not has_begun]

    async def standing(self) -> Standing:
        """The length of arq's queue, and the last line of a worker's health check."""
        call: Any = redis.client()
        with redis.guard():
            jobs, heartbeat = await call.zcard(constants.default_queue_name), await call.get(_HEARTBEAT)
        return Standing(int(jobs), heartbeat.decode() if heartbeat else None)


class Bell:
    """Waits until a job is enqueued, on a connection of its own."""

    def __init__(self) -> None:
        self._client = redis.dedicated(redis.ANSWER_TIMEOUT_SECONDS)

    async def wait(self, seconds: float) -> None:
        """Waits for a ring, at most this long.

        Raises:
            redis.exceptions.RedisError: Redis is away.
        """
        await cast("Any", self._client).blpop([_BELL], timeout=seconds)

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.aclose()
