"""Redis that Sentinel watches: when another server takes over, everything that speaks to Redis finds it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from jobs import queue
from leaf import config, redis, streams
from leaf.config import servers
from leaf.redis import events
from tests import scratch
from tests.integration.redis_fixtures import until
from tests.sentinel import Watched


@pytest.fixture
def watched() -> Iterator[Watched]:
    folder = scratch.folder("leaf-sen-")
    made = Watched(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest_asyncio.fixture
async def url(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setattr(config, "_current", config.current().model_copy(update={"redis_url": watched.url}))
    yield watched.url
    await redis.close()


async def test_answers_jobs_and_notices_outlive_the_server_that_takes_writes(watched: Watched, url: str) -> None:
    """A run is written on, a job is begun, and a subscriber is notified by the server that has taken over."""
    await asyncio.to_thread(servers.require_redis, url)
    done: list[str] = []

    async def respond(_ctx: dict[str, Any], run_id: str, _attempt: int) -> None:
        done.append(run_id)

    arq_queue = redis.patient_queue()
    worker = queue.Worker(
        functions=[queue.arq.worker.func(respond, name="respond", keep_result=0)], redis_pool=arq_queue, poll_delay=0,
        job_serializer=redis.job_serializer, job_deserializer=redis.job_deserializer, handle_signals=False,
    )  # fmt: skip
    working = asyncio.create_task(worker.async_run())
    async with events.subscribe(["leaf:notice:user:ada"]) as notices:
        lease = await streams.acquire("run", "worker")
        assert lease is not None
        writer = await streams.Writer.open("run", lease.token)
        await writer.append([{"type": "start"}])
        # A replica may lack what the primary has confirmed; what it has is what counts here.
        assert await redis.client().execute_command("WAIT", 1, 5000) == 1
        gone = await asyncio.to_thread(watched.kill_primary)
        await redis.patiently(lambda: writer.append([{"type": "text-start", "id": "1"}]), seconds=30)
        assert await asyncio.to_thread(watched.primary) != gone
        assert [chunk["type"] for chunk in await streams.read("run")] == ["start", "text-start"]
        assert await redis.enqueue_respond("run", 1)
        await until(lambda: done == ["run"])
        # The subscriber is notified once its connection is there again, and then of each notice.
        assert await notices.changed(within_seconds=30)
        await events.publish(["leaf:notice:user:ada"])
        assert await notices.changed(within_seconds=30)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    worker._pool = None
    await worker.close()
    await arq_queue.connection_pool.disconnect()
