"""Following a run: backlog, live chunks, many followers, rewinds, ends."""

import asyncio
import itertools
import random
import sys
from collections.abc import Collection
from contextlib import aclosing
from typing import Any
from uuid import uuid4

import pytest

from leaf import parts, redis, streams
from leaf.streams import hub as hubs
from tests.integration.redis_fixtures import redis_server, redis_url, until
from tests.integration.test_streams_writer import FINISH, text

__all__ = ["redis_server", "redis_url"]

pytestmark = pytest.mark.usefixtures("redis_url")


class Rights:
    """The rights of a reader who may read everything, and the stored answers of the runs."""

    def __init__(self) -> None:
        self.may_read = True
        self.unfinished = True
        self.stored: list[parts.Chunk] = [text("stored"), FINISH]
        self.checks = 0

    @property
    def reader(self) -> streams.Reader:
        return streams.Reader(id(self), (), self._check)

    async def _check(self, run_ids: Collection[streams.RunId]) -> dict[streams.RunId, streams.Answer]:
        self.checks += 1
        if not self.may_read:
            return {}
        return {run_id: streams.Answer(self.unfinished, lambda: self.stored) for run_id in run_ids}


class Follower:
    """A follower in the background, and the events that it has got so far."""

    def __init__(self, run: streams.RunId, start_index: int = 0, rights: Rights | None = None):
        self.chunks: list[parts.Chunk] = []
        """Without those that are void, since the answer began anew."""
        self.events: list[streams.Event] = []
        self._rights = rights or Rights()
        self.task = asyncio.create_task(self._follow(run, start_index))

    async def _follow(self, run: streams.RunId, start_index: int) -> list[parts.Chunk]:
        async with aclosing(streams.follow(run, self._rights.reader, start_index)) as events:
            async for event in events:
                self.events.append(event)
                if isinstance(event, streams.Batch):
                    self.chunks = [*([] if event.restarts else self.chunks), *event.chunks]
        return self.chunks

    async def has(self, count: int) -> None:
        await until(lambda: len(self.chunks) >= count)

    async def loses(self) -> streams.Lost:
        """The first event that says that the run cannot be followed."""
        await until(lambda: any(isinstance(one, streams.Lost) for one in self.events))
        return next(one for one in self.events if isinstance(one, streams.Lost))

    async def ends(self) -> list[parts.Chunk]:
        async with asyncio.timeout(10):
            return await self.task

    async def leaves(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Followers look after a short silence."""
    monkeypatch.setattr(hubs, "SILENCE_SECONDS", 0.05)


async def no_followers() -> None:
    await until(lambda: not hubs.hub()._tails)
    assert hubs.hub()._task is None


async def test_followers_from_any_index_miss_nothing_and_see_nothing_twice() -> None:
    """Fifty followers join while the writer writes."""
    run = uuid4()
    writer = streams.Writer(run, "token")
    chunks = [text(str(number)) for number in range(600)] + [FINISH]
    dice = random.Random(7)
    followers: list[tuple[int, Follower]] = []

    def follow(start: int) -> None:
        followers.append((start, Follower(run, start)))

    follow(0)
    while writer.index < len(chunks):
        await writer.append(chunks[writer.index : writer.index + dice.randint(1, 20)])
        for _ in range(dice.randint(0, 2)):
            follow(dice.randint(0, min(writer.index, 600)))
        await asyncio.sleep(dice.choice([0, 0, 0.002]))
    while len(followers) < 50:
        follow(dice.randint(0, 600))
    for start, follower in followers:
        assert await follower.ends() == chunks[start:]
    await no_followers()


async def test_a_follower_of_a_stream_that_does_not_exist_yet_waits() -> None:
    run = uuid4()
    follower = Follower(run)
    await until(lambda: bool(hubs.hub()._tails))
    await streams.Writer(run, "token").append([text("a"), FINISH])
    assert await follower.ends() == [text("a"), FINISH]


async def test_a_new_follower_need_not_wait_for_the_blocked_read() -> None:
    """The hub's read blocks for two seconds on other streams; it looks again at once."""
    quiet = Follower(uuid4())
    await until(lambda: bool(hubs.hub()._tails))
    await asyncio.sleep(0.05)
    run = uuid4()
    follower = Follower(run)
    await until(lambda: len(hubs.hub()._tails) == 2)
    loop = asyncio.get_running_loop()
    await streams.Writer(run, "token").append([FINISH])
    began = loop.time()
    await follower.ends()
    assert loop.time() - began < 1.5
    quiet.task.cancel()
    await asyncio.gather(quiet.task, return_exceptions=True)
    await no_followers()


async def test_hundreds_of_followers_share_one_connection() -> None:
    runs = [uuid4() for _ in range(20)]
    followers = [Follower(runs[number % 20]) for number in range(300)]
    writers = [streams.Writer(run, "token") for run in runs]
    for writer in writers:
        await writer.append([text("a")])
    for follower in followers:
        await follower.has(1)
    clients = await redis.client().client_list()
    blocked = [client for client in clients if client["cmd"] == "xread"]
    assert len(blocked) == 1
    for writer in writers:
        await writer.append([FINISH])
    for follower in followers:
        await follower.ends()
    await no_followers()


async def test_a_slow_follower_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads what the hub no longer keeps from Redis itself."""
    monkeypatch.setattr(hubs, "_KEPT_CHUNKS", 20)
    run = uuid4()
    writer = streams.Writer(run, "token")
    slow = streams.follow(run, Rights().reader)
    quick = Follower(run)
    await writer.append([text("0")])
    got = _chunks(await anext(slow))
    chunks = [text(str(number)) for number in range(1, 200)] + [FINISH]
    for place in range(0, 200, 8):
        await writer.append(chunks[place : place + 8])
        await quick.has(place + 9)
    assert await quick.ends() == [text("0"), *chunks]
    async for event in slow:
        got += _chunks(event)
    assert got == [text("0"), *chunks]
    await no_followers()


def _chunks(event: streams.Event) -> list[parts.Chunk]:
    assert isinstance(event, streams.Batch)
    return [*event.chunks]


async def test_leaving_early_ends_the_reading() -> None:
    run = uuid4()
    await streams.Writer(run, "token").append([text("a")])
    async with aclosing(streams.follow(run, Rights().reader)) as events:
        async for event in events:
            assert _chunks(event) == [text("a")]
            break
    await no_followers()


async def test_a_fresh_reader_is_not_sent_what_a_rewind_dropped_a_live_one_is_told() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    live = Follower(run)
    kept: list[parts.Chunk] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
    await writer.append([*kept, {"type": "text-start", "id": "t"}, text("lost")])
    await live.has(4)
    again: list[parts.Chunk] = [{"type": "text-start", "id": "u"}, {"type": "text-delta", "id": "u", "delta": "kept"}]
    rewind: parts.Chunk = {"type": parts.REWIND, "data": {"index": 2}, "transient": True}
    await writer.append([rewind, *again, FINISH])
    fresh = await Follower(run).ends()
    told = await live.ends()
    assert "lost" not in str(fresh)
    assert len(fresh) == len(told) == 8
    assert parts.fold(fresh) == parts.fold(told) == parts.fold([*kept, *again, FINISH])
    assert await streams.read(run) == fresh


@pytest.mark.usefixtures("impatient")
async def test_a_run_whose_stream_is_lost_is_followed_anew() -> None:
    """The run goes on: its chunks come from the beginning, when there are some again. # 000-59"""
    run = uuid4()
    await streams.Writer(run, "token").append([text("a"), text("b")])
    followers = [Follower(run), Follower(run, 1)]
    for follower in followers:
        await follower.has(1)
    await streams.delete(run)
    for follower in followers:
        assert (await follower.loses()).gone
    await streams.Writer(run, "token").append([text("c"), FINISH])
    for follower in followers:
        assert await follower.ends() == [text("c"), FINISH]
    await no_followers()


@pytest.mark.usefixtures("impatient")
async def test_other_chunks_at_the_same_indexes_are_another_stream() -> None:
    """Redis was lost and the run started over while nobody looked."""
    run = uuid4()
    await streams.Writer(run, "token").append([text("a"), text("b")])
    follower = Follower(run)
    await follower.has(2)
    pipeline: Any = redis.client().pipeline(transaction=True)
    pipeline.delete(streams.keys(run).chunks)
    for number in (1, 2):
        pipeline.xadd(streams.keys(run).chunks, {"c": '{"type":"start"}', "w": "x"}, id=f"0-{number}")
    await pipeline.execute()
    assert (await follower.loses()).gone
    await until(lambda: follower.chunks == [{"type": "start"}, {"type": "start"}])
    await follower.leaves()


@pytest.mark.usefixtures("impatient")
async def test_a_stream_that_ends_without_finish_is_read_on_from_the_database() -> None:
    """The row of an ended run has the whole answer, even if its stream is cut. # 000-59"""
    run, rights = uuid4(), Rights()
    unwritten = Follower(run, rights=rights)
    await streams.Writer(run, "token").append([text("a")])
    follower = Follower(run, rights=rights)
    await follower.has(1)
    await unwritten.has(1)
    nothing = Follower(uuid4(), rights=rights)
    checks = rights.checks
    await until(lambda: rights.checks > checks + 3)
    assert not follower.task.done()
    assert not nothing.task.done()
    rights.unfinished = False
    for one in (follower, unwritten, nothing):
        assert await one.ends() == rights.stored
        assert isinstance(one.events[-1], streams.Batch)
        assert one.events[-1].stored
    assert await Follower(uuid4(), rights=rights).ends() == rights.stored


@pytest.mark.usefixtures("impatient")
async def test_a_worker_that_is_late_with_finish_is_waited_for() -> None:
    """It stores the answer first; as long as it holds the run's lease, that does not stand in for `finish`.

    # 000-30, 000-59
    """
    run, rights = uuid4(), Rights()
    assert await streams.Lease(run, "token", seconds=60).renew()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    follower = Follower(run, rights=rights)
    await follower.has(1)
    rights.unfinished, checks = False, rights.checks
    await until(lambda: rights.checks > checks + 3)
    await writer.finish([FINISH])
    assert await follower.ends() == [text("a"), FINISH]
    assert not any(isinstance(event, streams.Batch) and event.stored for event in follower.events)


@pytest.mark.usefixtures("impatient")
async def test_one_check_serves_all_runs_of_a_reader() -> None:
    """However many streams look at the same time."""
    rights = Rights()
    runs = [uuid4() for _ in range(20)]
    followers = [Follower(run, rights=rights) for run in runs]
    await until(lambda: rights.checks > 2)
    before = rights.checks
    await asyncio.gather(*(streams.Writer(run, "token").append([text("a"), FINISH]) for run in runs))
    for follower in followers:
        await follower.ends()
    assert rights.checks - before < 20


@pytest.mark.usefixtures("impatient")
async def test_chunks_that_the_hub_missed_are_found_after_a_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs.Tail, "extend", lambda self, entries: None)
    run = uuid4()
    follower = Follower(run)
    await until(lambda: bool(hubs.hub()._tails))
    await streams.Writer(run, "token").append([text("a"), FINISH])
    assert await follower.ends() == [text("a"), FINISH]


async def test_following_from_the_end_brings_only_what_is_new() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a"), text("b")])
    follower = Follower(run, 2)
    await until(lambda: bool(hubs.hub()._tails))
    await writer.append([FINISH])
    assert await follower.ends() == [FINISH]


async def test_a_finished_run_is_replayed() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    await writer.finish([FINISH])
    assert await Follower(run).ends() == [text("a"), FINISH]
    assert await Follower(run, 1).ends() == [FINISH]


async def test_a_run_that_no_worker_takes_says_so_until_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its worker has gone in the middle. # 001-21"""
    monkeypatch.setattr(sys.modules["leaf.streams.follow"], "UNTAKEN_SECONDS", 0.2)
    monkeypatch.setattr(hubs, "SILENCE_SECONDS", 0.1)
    run = uuid4()
    follower = Follower(run)

    def waits() -> list[bool]:
        return [one.waits for one in follower.events if isinstance(one, streams.Untaken)]

    await until(lambda: waits() == [True])
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    await until(lambda: waits() == [True, False])
    writer = streams.Writer(run, lease.token)
    await writer.append([text("a")])
    await follower.has(1)
    await lease.release()
    await until(lambda: waits() == [True, False, True])
    await writer.append([FINISH])
    await follower.ends()
    assert waits() == [True, False, True, False]
    assert isinstance(follower.events[-2], streams.Untaken)


async def test_the_longer_a_run_is_silent_the_more_rarely_the_database_is_asked(
    monkeypatch: pytest.MonkeyPatch, impatient: None
) -> None:
    """A model that thinks for a minute costs a few questions about its end, not one every two seconds."""
    asked: list[float] = []
    rights = Rights()
    check = rights._check

    async def noted(run_ids: Collection[streams.RunId]) -> dict[streams.RunId, streams.Answer]:
        asked.append(asyncio.get_running_loop().time())
        return await check(run_ids)

    monkeypatch.setattr(rights, "_check", noted)
    run = uuid4()
    await streams.Writer(run, "token").append([text("a")])
    follower = Follower(run, rights=rights)
    await follower.has(1)
    await until(lambda: len(asked) >= 5)
    pauses = [after - before for before, after in itertools.pairwise(asked[1:])]
    assert all(after >= 1.5 * before for before, after in itertools.pairwise(pauses)), pauses
    rights.unfinished = False
    assert await follower.ends() == rights.stored


async def test_a_reader_whose_rights_end_in_a_silence_gets_nothing_of_the_stored_answer(impatient: None) -> None:
    run = uuid4()
    await streams.Writer(run, "token").append([text("a")])
    rights = Rights()
    follower = Follower(run, rights=rights)
    await follower.has(1)
    rights.may_read, rights.unfinished = False, False
    await follower.ends()
    assert isinstance(follower.events[-1], streams.Revoked)
    assert follower.chunks == [text("a")]
