"""The job queue of arq (https://arq-docs.helpmanual.io), in the same Redis as all other data.

A worker of arq polls the queue. In addition, a list in Redis, the bell, wakes a worker as soon as a job is enqueued
(`jobs.queue`).
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
"""Maximum number of queued jobs that `Queue.waiting` reads."""

# A notice through the bell may be lost, so workers also poll the queue at intervals.
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
    """A pipeline that always releases its connection to the pool.

    While a pipeline of redis-py watches keys, it keeps its connection if `reset` is cancelled or Redis does not reply.
    """

    async def reset(self) -> None:
        try:
            await super().reset()
        finally:
            connection, self.connection, self.watching = self.connection, None, False
            if connection is not None:
                # A graceful disconnect would wait, and this task may be cancelled.
                await connection.disconnect(nowait=True)
                await self.connection_pool.release(connection)


class _Connected(ArqRedis):
    """arq's client with pipelines that release their connections, because arq watches keys to enqueue or start jobs."""

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def client(pool: ConnectionPool | None = None) -> ArqRedis:
    """A client of arq that uses the connections of Leaf.

    Args:
        pool: The connection pool; None for the pool of `redis.client`.

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
        """Enqueues a job and wakes a worker.

        The same keys as in `ArqRedis.enqueue_job` are written, but in one round trip instead of five.
        """
        now = timestamp_ms()
        data = serialize_job(job.function, job.arguments, {}, None, now, serializer=queue.job_serializer)
        keys = [
            f"{constants.job_key_prefix}{job.id}", f"{constants.result_key_prefix}{job.id}",
            constants.default_queue_name, _BELL,
        ]  # fmt: skip
        with redis.guard():
            return bool(await _ENQUEUE(keys, [job.id, data, now, constants.expires_extra_ms]))

    async def forget(self, jobs: Sequence[Job]) -> None:
        """Removes jobs from the queue; otherwise arq would retry them for a day."""
        ids = [job.id for job in jobs]
        prefixes = (constants.in_progress_key_prefix, constants.retry_key_prefix, constants.job_key_prefix)
        with redis.guard():
            async with redis.client().pipeline(transaction=True) as pipe:
                pipe.zrem(constants.default_queue_name, *ids)
                pipe.delete(*(prefix + one for prefix in prefixes for one in ids))
                await pipe.execute()

    async def call(self, function: str, argument: Any, *, seconds: float, every_seconds: float) -> Any:
        """Lets a worker call a function, and returns the result."""
        with redis.guard():
            job = await client().enqueue_job(function, argument)
            await _RING([_BELL], [])
            if job is None:
                raise queue.Failed(function)
            try:
                return await job.result(timeout=seconds, poll_delay=every_seconds)
            except (JobExecutionFailed, ResultNotFound) as error:
                # A worker of an earlier version may not know the function.
                raise queue.Failed(function) from error

    async def waiting(self, function: str) -> Sequence[float]:
        """The times from which jobs wait. Running jobs are left out; arq keeps them in its queue until they end."""
        server: Any = redis.client()
        prefix = function.encode() + b":"
        with redis.guard():
            # arq's score is the time at which a job may begin, in milliseconds.
            queued: list[tuple[bytes, float]] = await server.zrange(
                constants.default_queue_name, 0, _MOST_JOBS - 1, withscores=True
            )
            jobs = [(job, score) for job, score in queued if job.startswith(prefix)]
            if not jobs:
                return ()
            async with server.pipeline(transaction=False) as pipeline:
                for job, _ in jobs:
                    pipeline.exists(constants.in_progress_key_prefix.encode() + job)
                begun: list[int] = await pipeline.execute()
        return [score / 1000 for (_, score), has_begun in zip(jobs, begun, strict=True) if not has_begun]

    async def standing(self) -> Standing:
        """The length of the queue, and the last line of arq's health check."""
        server: Any = redis.client()
        with redis.guard():
            jobs, heartbeat = await server.zcard(constants.default_queue_name), await server.get(_HEARTBEAT)
        return Standing(int(jobs), heartbeat.decode() if heartbeat else None)


class Bell:
    """Waits until a job is enqueued, on a connection of its own."""

    def __init__(self) -> None:
        self._client = redis.dedicated(redis.ANSWER_TIMEOUT_SECONDS)

    async def wait(self, seconds: float) -> None:
        """Waits until a job is enqueued, or until the time has passed.

        Raises:
            redis.exceptions.RedisError: Redis does not answer.
        """
        await cast("Any", self._client).blpop([_BELL], timeout=seconds)

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.aclose()
