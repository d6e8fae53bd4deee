"""Redis that Sentinel watches: when another server takes over, everything that speaks to Redis finds it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from reflex.utils.token_manager import RedisTokenManager

from jobs import queue as arq_worker
from leaf import config, queue, redis, streams
from leaf.config import servers
from leaf.queue import arq_queue
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


async def test_answers_jobs_notices_and_tabs_outlive_the_server_that_takes_writes(watched: Watched, url: str) -> None:
    """A run goes on, a job is begun, a subscriber is notified, and a tab is known, by the server that takes over."""
    await asyncio.to_thread(servers.require_redis, url)
    done: list[str] = []

    async def respond(_ctx: dict[str, Any], run_id: str, _attempt: int) -> None:
        done.append(run_id)

    connected = arq_queue.client(redis.patient_pool())
    worker = arq_worker.Worker(
        functions=[arq_worker.arq.worker.func(respond, name="respond", keep_result=0)],
        redis_pool=connected, poll_delay=0, job_serializer=queue.job_serializer,
        job_deserializer=queue.job_deserializer, handle_signals=False,
    )  # fmt: skip
    working = asyncio.create_task(worker.async_run())
    async with events.subscribe(["leaf:notice:user:ada"]) as notices:
        lease = await streams.acquire("run", "worker")
        assert lease is not None
        writer = await streams.Writer.open("run", lease.token)
        await writer.append([{"type": "start"}])
        tabs = [RedisTokenManager(redis.subscriber(url)) for _ in range(2)]
        assert await tabs[0].link_token_to_sid("tab", "socket") is None
        # A replica may lack what the primary has confirmed; what it has is what counts here.
        assert await redis.client().execute_command("WAIT", 1, 5000) == 1
        gone = await asyncio.to_thread(watched.kill_primary)
        await redis.patiently(lambda: writer.append([{"type": "text-start", "id": "1"}]), seconds=30)
        assert await asyncio.to_thread(watched.primary) != gone
        assert [chunk["type"] for chunk in await streams.read("run")] == ["start", "text-start"]
        assert await queue.enqueue_respond("run", 1)
        assert await tabs[1].link_token_to_sid("tab", "another"), "a copied tab is known in another process"
        await until(lambda: done == ["run"])
        # The subscriber is notified once its connection is there again, and then of each notice.
        assert await notices.changed(within_seconds=30)
        await events.publish(["leaf:notice:user:ada"])
        assert await notices.changed(within_seconds=30)
    for one in tabs:
        await one.close()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    worker._pool = None
    await worker.close()
    await connected.connection_pool.disconnect()
    # The connection for notices is closed by its own task, which ends some seconds after the last subscriber.
    listening = [task for task in asyncio.all_tasks() if task.get_name() == "notices"]
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
