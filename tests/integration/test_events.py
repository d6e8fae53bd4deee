"""Notices between processes: who listens is told, and after an interruption told to look again."""

import asyncio
import gc
from uuid import uuid4

import pytest

from leaf import config
from leaf import redis as leaf_redis
from leaf.redis import events
from tests.integration.redis_fixtures import RedisServer, until


@pytest.fixture(autouse=True)
def _settings(no_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))


async def test_what_happens_while_somebody_listens_is_told(redis_url: str) -> None:
    """From the very first moment of the block on, and once for several notices."""
    chat, user, other = events.chat(uuid4()), events.user(uuid4()), events.user(uuid4())
    for _ in range(20):
        async with events.subscribe([chat, user]) as told:
            await events.publish([chat])
            assert await told.changed(within_seconds=10)
            await events.publish([other])
            assert not await told.changed(within_seconds=0.02)
            await events.publish([user, chat, user])
            assert await told.changed(within_seconds=10)


async def test_a_change_of_the_lists_is_told_to_pages_of_the_version_before(redis_url: str) -> None:
    """They listen for their person alone; pages of this version are not made to read everything by that."""
    person = uuid4()
    lists, everything = events.chats_of(person), events.user(person)
    async with leaf_redis.client().pubsub() as before, events.subscribe([lists, everything]) as told:
        await before.subscribe(everything)
        await before.get_message(timeout=10)
        await events.publish([lists])
        heard = await before.get_message(timeout=10)
        assert heard is not None
        assert heard["type"] == "message"
        # One connection brings notices in their order, so the one for this person would be there before this answer.
        async with events.subscribe([chat := events.chat(uuid4())]) as later:
            await events.publish([chat])
            assert await later.changed(within_seconds=10)
        assert await told.changed(within_seconds=10) == {lists}
        await events.publish([everything])
        assert await told.changed(within_seconds=10) == {everything}


async def test_everybody_who_listens_is_told_over_one_connection(redis_url: str) -> None:
    topic = events.chat(uuid4())
    async with events.subscribe([topic]) as first, events.subscribe([topic]) as second:
        async with events.subscribe([topic]):
            pass
        connected = [client for client in await leaf_redis.client().client_list() if int(client["sub"])]
        assert len(connected) == 1
        await events.publish([topic])
        assert await first.changed(within_seconds=10)
        assert await second.changed(within_seconds=10)


async def test_nothing_is_left_when_nobody_listens(redis_url: str) -> None:
    """No task, no connection: neither when the test ends nor when the last tab is closed."""

    async def idle() -> bool:
        tasks = [task for task in asyncio.all_tasks() if task.get_name() == "notices"]
        listening = [client for client in await leaf_redis.client().client_list() if int(client["sub"])]
        return not tasks and not listening

    async with events.subscribe([events.user(uuid4())]):
        assert not await idle()
    await until(idle)
    gc.collect()


async def test_after_an_interruption_everybody_looks_again(durable_redis: RedisServer) -> None:
    """Nobody knows what was missed."""
    topic = events.user(uuid4())
    async with events.subscribe([topic]) as told:
        durable_redis.kill()
        await events.publish([topic])
        durable_redis.start()
        assert await told.changed(within_seconds=20)
        await told.changed(within_seconds=0.1)
        await events.publish([topic])
        assert await told.changed(within_seconds=20)


async def test_without_redis_a_page_still_opens(durable_redis: RedisServer) -> None:
    """It is told to look again once Redis is back."""
    durable_redis.kill()
    topic = events.user(uuid4())
    async with asyncio.timeout(10), events.subscribe([topic]) as told:
        assert not await told.changed(within_seconds=0.01)
        durable_redis.start()
        assert await told.changed(within_seconds=8)
