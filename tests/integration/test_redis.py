"""The client, the queue and the settings for arq."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from arq.worker import Worker, func
from redis import exceptions

from leaf import config, errors, queue, redis
from leaf.queue import arq_queue
from tests.integration.redis_fixtures import redis_server, redis_url

__all__ = ["redis_server", "redis_url"]


async def test_there_is_one_client_per_loop(redis_url: str) -> None:
    assert redis.client() is redis.client()
    assert await redis.client().set("ä", "ö")
    assert await redis.client().get("ä") == "ö".encode()

    async def other() -> int:
        client = redis.client()
        await client.ping()
        await redis.close()
        return id(client)

    assert await asyncio.to_thread(asyncio.run, other()) != id(redis.client())


async def test_after_a_close_a_new_client_is_made(redis_url: str) -> None:
    first = redis.client()
    await redis.close()
    await redis.close()
    assert redis.client() is not first
    assert await redis.client().ping()


@pytest.mark.parametrize("steps", range(5))
async def test_a_pipeline_whose_end_is_cancelled_gives_its_connection_back(redis_url: str, steps: int) -> None:
    """As when a request or a worker ends while a job is enqueued: arq then stops watching the job's key."""
    pipeline = arq_queue.client().pipeline(transaction=True)
    await pipeline.watch("job")
    ending = asyncio.create_task(pipeline.reset())
    for _ in range(steps):
        await asyncio.sleep(0)
    ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)
    if steps:  # otherwise the task has not begun
        assert pipeline.connection is None
    await pipeline.reset()
    assert pipeline.connection is None
    assert await queue.enqueue_respond(uuid4(), 1)


async def test_without_a_url_it_says_so(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_current", config.current().model_copy(update={"redis_url": None}))
    with pytest.raises(errors.ConfigurationError, match="REDIS_URL"):
        redis.client()


async def test_a_job_is_enqueued_once_per_attempt(redis_url: str) -> None:
    """And arq's worker runs it."""
    run = uuid4()
    new = await asyncio.gather(*(queue.enqueue_respond(run, 1) for _ in range(5)))
    assert sorted(new) == [False, False, False, False, True]
    assert await queue.enqueue_respond(run, 2)
    ran: list[tuple[Any, ...]] = []

    async def respond(_context: dict[str, Any], *arguments: Any) -> str:
        ran.append(arguments)
        return "done"

    worker = Worker(
        [func(respond, name=queue.RESPOND)],
        redis_pool=arq_queue.client(),
        job_serializer=queue.job_serializer,
        job_deserializer=queue.job_deserializer,
        burst=True,
        poll_delay=0.01,
        handle_signals=False,
    )
    await worker.main()
    assert sorted(ran) == [(str(run), 1), (str(run), 2)]
    assert await queue.enqueue_respond(run, 1) is False


def test_jobs_are_json() -> None:
    job = {"t": 1, "f": "respond", "a": ("x", 2), "k": {}, "et": 3}
    data = queue.job_serializer(job)
    assert data.startswith(b"{")
    assert queue.job_deserializer(data) == job | {"a": ["x", 2]}
    assert queue.job_deserializer(queue.job_serializer({"r": ValueError("no")})) == {"r": "no"}


@pytest.mark.parametrize(
    ("error", "unusable"),
    [
        (exceptions.ConnectionError("refused"), True),
        (exceptions.TimeoutError("slow"), True),
        (exceptions.BusyLoadingError("LOADING"), True),
        (exceptions.OutOfMemoryError("OOM"), True),
        (exceptions.ReadOnlyError("READONLY"), True),
        (exceptions.ResponseError("MISCONF Redis is configured to save"), True),
        (exceptions.ResponseError("WRONGTYPE Operation"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_the_guard_knows_a_redis_that_is_away_from_a_bug(error: exceptions.RedisError, unusable: bool) -> None:
    with pytest.raises(errors.RedisUnavailable if unusable else type(error)), redis.guard():
        raise error


async def test_patience_ends_at_once_where_waiting_does_not_help(redis_url: str) -> None:
    tries = 0

    async def fail() -> None:
        nonlocal tries
        tries += 1
        raise exceptions.OutOfMemoryError("OOM")

    with pytest.raises(errors.RedisUnavailable):
        await redis.patiently(fail)
    assert tries == 1


async def test_a_cancelled_command_never_goes_on(redis_url: str) -> None:
    """Wherever in a command the cancellation hits. `asyncio.wait_for`, which redis-py uses, loses it on Python 3.11."""

    async def work() -> None:
        while True:
            await redis.client().ping()

    await redis.client().ping()
    for steps in range(100):
        task = asyncio.create_task(work())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=5)
        lost = not done
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=0.01)
        assert not lost, f"cancelled after {steps} steps of the loop"
