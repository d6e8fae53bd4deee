"""The worker is woken for a job, and outlives a Redis that is away."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import arq.worker
import pytest
import pytest_asyncio
from redis import exceptions

from jobs import queue as arq_worker
from leaf import queue, redis
from leaf.queue import arq_queue
from tests.integration.redis_fixtures import until

done: list[str] = []


async def respond(ctx: dict[str, Any], run_id: str, attempt: int) -> None:
    """A job that notes its run."""
    done.append(f"{run_id}:{attempt}")


@pytest_asyncio.fixture
async def worker(redis_url: str) -> AsyncIterator[arq_worker.Worker]:
    done.clear()
    made = arq_worker.Worker(
        functions=[arq.worker.func(respond, keep_result=0)],
        redis_pool=arq_queue.client(),
        job_serializer=queue.job_serializer,
        job_deserializer=queue.job_deserializer,
        poll_delay=0,
        max_jobs=3,
        handle_signals=False,
    )
    running = asyncio.create_task(made.async_run())
    yield made
    assert not running.done(), running.exception()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    # arq would close it in a way that redis-py has deprecated; it is closed below.
    made._pool = None  # pyright: ignore[reportPrivateUsage]
    await made.close()
    await redis.close()


async def _has_done(count: int) -> None:
    await until(lambda: len(done) >= count)


async def test_a_job_is_begun_long_before_the_next_look(
    worker: arq_worker.Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Woken: looking every 30 s would not do it in time."""
    monkeypatch.setattr(arq_worker, "LOOK_SECONDS", 30.0)
    await queue.enqueue_respond("warm", 1)
    await _has_done(1)
    for number in range(5):
        begun = time.monotonic()
        await queue.enqueue_respond(f"run{number}", 1)
        await _has_done(number + 2)
        assert time.monotonic() - begun < 5


async def test_a_job_whose_wake_up_was_lost_is_found(worker: arq_worker.Worker) -> None:
    await arq_queue.client().enqueue_job(queue.RESPOND, "silent", 1, _job_id="silent")
    await _has_done(1)


async def test_it_goes_on_when_redis_fails_while_a_job_is_started(
    worker: arq_worker.Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As arq does while Redis restarts: between watching a job and taking it. No place for a job is lost by it."""
    failures = 5
    start_jobs = arq.worker.Worker.start_jobs

    async def start(self: Any, job_ids: list[bytes]) -> None:
        nonlocal failures
        if job_ids and failures:
            await self.sem.acquire()
            if self.job_counter >= self.max_jobs:
                self.sem.release()
                return
            failures -= 1
            self.job_counter += 1
            raise exceptions.WatchError("A ConnectionError occurred while watching one or more keys")
        await start_jobs(self, job_ids)

    monkeypatch.setattr(arq.worker.Worker, "start_jobs", start)
    monkeypatch.setattr(arq_worker, "AWAY_SECONDS", 0.01)
    for number in range(6):
        await queue.enqueue_respond(f"run{number}", 1)
    await _has_done(6)
    assert failures == 0
    await until(lambda: worker.job_counter == 0)
