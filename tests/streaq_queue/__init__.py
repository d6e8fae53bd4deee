"""A second queue of jobs, streaq (https://streaq.readthedocs.io): the fault bench runs with it as well.

The web process finds `Queue` by `LEAF_QUEUE=tests.streaq_queue`, and `tests.streaq_queue.worker` is its worker.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from coredis.exceptions import RedisError, ResponseError
from streaq import Worker
from streaq.types import StreaqError
from streaq.utils import now_ms

from leaf import config, errors, queue, redis
from leaf.queue import Job, Standing

AWAY = (RedisError, ConnectionError, OSError)
"""The errors of a Redis that does not answer; one that was started anew does not know streaq's functions."""


def made(concurrency: int = 1) -> Worker[Any]:
    """A worker of streaq, or a client of its queue, for the Redis of Leaf's settings."""
    return Worker(
        redis_url=str(config.current().redis_url), concurrency=concurrency, prefetch=1,
        serializer=queue.job_serializer, deserializer=queue.job_deserializer,
    )  # fmt: skip


class _Client:
    """A client of the queue in one event loop, open until it fails."""

    def __init__(self) -> None:
        self.opened: asyncio.Future[Worker[Any]] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._open())

    async def _open(self) -> None:
        try:
            async with made() as client:
                self.opened.set_result(client)
                await asyncio.Event().wait()
        except* AWAY as group:
            if not self.opened.done():
                self.opened.set_exception(errors.RedisUnavailable())
                self.opened.exception()
            del group


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = WeakKeyDictionary()


@asynccontextmanager
async def _opened() -> AsyncGenerator[Worker[Any]]:
    loop = asyncio.get_running_loop()
    client = _clients.get(loop) or _clients.setdefault(loop, _Client())
    try:
        async with asyncio.timeout(redis.ANSWER_TIMEOUT_SECONDS):
            opened = await asyncio.shield(client.opened)
        yield opened
    except (*AWAY, ResponseError, errors.RedisUnavailable, TimeoutError) as error:
        _clients.pop(loop, None)
        client.task.cancel()
        raise errors.RedisUnavailable from error


class Queue:
    """See `leaf.queue.Queue`."""

    async def enqueue(self, job: Job) -> bool:
        """Enqueues a job whose id streaq does not know yet."""
        async with _opened() as client:
            task = client.enqueue_unsafe(job.function, *job.arguments)
            task.id = job.id
            now = now_ms()
            return bool(await client.publish_task(client.redis, task, await task.serialize(now), now))

    async def forget(self, jobs: Sequence[Job]) -> None:
        """Removes what is known of jobs: a worker that gets one of them then passes over it."""
        async with _opened() as client:
            ids = [job.id for job in jobs]
            await client.redis.delete([f"{client.task_key}{one}" for one in ids])

    async def call(self, function: str, argument: Any, *, seconds: float, every_seconds: float) -> Any:
        """Has a worker call a function; streaq tells when there is a result."""
        async with _opened() as client:
            task = await client.enqueue_unsafe(function, argument)
            found = await task.result(timeout=int(seconds))
            try:
                return found.result
            except StreaqError as error:
                raise queue.Failed(function) from error

    async def waiting(self, function: str) -> Sequence[float]:
        """Since when jobs wait that no worker has taken."""
        async with _opened() as client:
            stream = client.stream_key + client.priorities[-1]
            about: Any = await client.redis.xinfo_stream(stream, full=True, count=0)
            taken = {str(one[0]) for group in about["groups"] for one in group["pending"]}
            fields = [one.field_values for one in about["entries"] or () if one.identifier not in taken]
            return [int(one["enqueue_time"]) / 1000 for one in fields if one["task_id"].startswith(f"{function}:")]

    async def standing(self) -> Standing:
        """The length of the queue."""
        async with _opened() as client:
            return Standing(await client.queue_size(), None)
