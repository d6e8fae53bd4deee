"""Redis goes away and comes back, is lost, or is full."""

import asyncio
import importlib
import shutil
from uuid import uuid4

import pytest

from leaf import errors, queue, redis, streams
from leaf.streams import hub
from tests.integration.redis_fixtures import RedisServer, durable_redis
from tests.integration.test_streams_follow import Follower
from tests.integration.test_streams_writer import FINISH, text

__all__ = ["durable_redis"]


async def test_followers_and_writer_go_on_after_a_restart(durable_redis: RedisServer) -> None:
    """Killed while they wait, and started again on the same data."""
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    writer = streams.Writer(run, lease.token)
    await writer.append([text("a")])
    followers = [Follower(run, start) for start in (0, 0, 1)]
    stopping = asyncio.create_task(streams.wait_for_stop(run))
    await followers[0].has(1)
    async with streams.renewing(lease, every_seconds=0.1):
        for letter in "bc":
            durable_redis.kill()
            append = asyncio.create_task(writer.append([text(letter)]))
            await asyncio.sleep(0.5)
            assert not append.done()
            await asyncio.to_thread(durable_redis.start)
            async with asyncio.timeout(10):
                assert await append is False
        await streams.request_stop(run)
        async with asyncio.timeout(5):
            await stopping
        assert await writer.append([FINISH]) is True
        assert not lease.lost.is_set()
    whole = [text("a"), text("b"), text("c"), FINISH]
    assert [await follower.ends() for follower in followers] == [whole, whole, whole[1:]]


async def test_a_redis_that_stays_away_is_told(durable_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "SILENCE_SECONDS", 0.1)
    monkeypatch.setattr(importlib.import_module("leaf.streams.follow"), "_PATIENCE_SECONDS", 0.5)
    run = uuid4()
    writer = streams.Writer(run, "token", patience_seconds=0.5)
    await writer.append([text("a")])
    followers = [Follower(run), Follower(uuid4())]
    await followers[0].has(1)
    lease = await streams.acquire(run, "w", seconds=0.5)
    assert lease is not None
    durable_redis.kill()
    with pytest.raises(errors.RedisUnavailable):
        await writer.append([text("b")])
    for follower in followers:
        assert not (await follower.loses()).gone
        await follower.leaves()
    with pytest.raises(errors.RedisUnavailable):
        await streams.length(run)
    with pytest.raises(errors.RedisUnavailable):
        await streams.acquire(uuid4(), "w")
    with pytest.raises(errors.RedisUnavailable):
        await queue.enqueue_respond(run, 1)
    async with asyncio.timeout(5), streams.renewing(lease, every_seconds=0.05):
        await lease.lost.wait()


async def test_a_redis_without_its_data_ends_writer_and_followers(
    durable_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "SILENCE_SECONDS", 0.1)
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a"), text("b")])
    follower = Follower(run)
    await follower.has(2)
    durable_redis.kill()
    shutil.rmtree(durable_redis.folder / "appendonlydir")
    await asyncio.to_thread(durable_redis.start)
    with pytest.raises(streams.Replaced):
        await writer.append([text("c")])
    assert (await follower.loses()).gone
    await follower.leaves()


async def test_a_full_redis_is_unavailable_and_recovers(durable_redis: RedisServer) -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    await redis.client().config_set("maxmemory", "1")
    with pytest.raises(errors.RedisUnavailable):
        await writer.append([text("b")])
    with pytest.raises(errors.RedisUnavailable):
        await streams.request_stop(run)
    with pytest.raises(errors.RedisUnavailable):
        await queue.enqueue_respond(run, 1)
    await redis.client().config_set("maxmemory", "0")
    await writer.append([text("c")])
    assert await streams.read(run) == [text("a"), text("c")]


async def test_a_redis_that_only_reads_is_unavailable(durable_redis: RedisServer) -> None:
    writer = streams.Writer(uuid4(), "token")
    await writer.append([text("a")])
    await redis.client().config_set("min-replicas-to-write", "1")
    with pytest.raises(errors.RedisUnavailable):
        await writer.append([text("b")])
