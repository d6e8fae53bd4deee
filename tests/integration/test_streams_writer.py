"""Writing a run: fencing, retries, checkpoints, leases, the end."""

import asyncio
import time
from uuid import uuid4

import orjson
import pytest

from leaf import parts, redis, streams
from tests.integration.redis_fixtures import durable_redis, redis_server, redis_url, until

__all__ = ["durable_redis", "redis_server", "redis_url"]

pytestmark = pytest.mark.usefixtures("redis_url")


def text(delta: str) -> parts.Chunk:
    return {"type": "text-delta", "id": "t", "delta": delta}


FINISH: parts.Chunk = {"type": "finish"}


async def test_chunks_come_back_as_they_were_written() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    assert await writer.append([{"type": "start", "messageId": "m"}, text("ä🙂\n")]) is False
    assert await writer.append([{"type": "tool-output-available", "toolCallId": "c", "output": None}]) is False
    assert writer.index == await streams.length(run) == 3
    assert await streams.read(run) == [
        {"type": "start", "messageId": "m"},
        text("ä🙂\n"),
        {"type": "tool-output-available", "toolCallId": "c", "output": None},
    ]
    entries = await redis.client().xrange(streams.keys(run).chunks)
    assert [entry[0] for entry in entries] == [b"0-1", b"0-2", b"0-3"]


async def test_a_writer_with_a_stale_index_is_refused_whole() -> None:
    """The writer adds none of its chunks, not even those whose ids are free."""
    run = uuid4()
    first = streams.Writer(run, "one")
    await first.append([text("a")])
    second = await streams.Writer.open(run, "two")
    await second.append([text("b")])
    with pytest.raises(streams.Replaced):
        await first.append([text("x"), text("y"), text("z")])
    assert await streams.read(run) == [text("a"), text("b")]


async def test_a_writer_without_the_lease_is_refused_even_with_the_right_index() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    await streams.Writer(run, lease.token).append([text("a")])
    with pytest.raises(streams.Replaced):
        await streams.Writer(run, "another", index=1).append([text("b")])
    with pytest.raises(streams.Replaced):
        await streams.Writer(run, "another", index=1).checkpoint(b"[]")
    assert await streams.read_checkpoint(run) is None


async def test_a_writer_whose_stream_is_gone_is_refused() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    await streams.delete(run)
    with pytest.raises(streams.Replaced):
        await writer.append([text("b")])
    assert await streams.length(run) == 0


async def test_an_append_whose_reply_was_lost_is_written_once() -> None:
    """The same append sent twice, as a retry after a broken connection does it."""
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    writer.index, writer._appends = 0, 0
    await writer.append([text("a")])
    assert writer.index == 1
    assert await streams.read(run) == [text("a")]


async def test_an_append_after_one_of_unknown_outcome_goes_behind_it() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    writer.index = 0
    await writer.append([text("b")])
    assert await streams.read(run) == [text("a"), text("b")]
    assert writer.index == 2


async def test_an_append_that_arrives_late_is_refused() -> None:
    """A cancelled append that Redis meets only after the next one."""
    run = uuid4()
    writer = streams.Writer(run, "token")
    await writer.append([text("a")])
    await writer.append([text("b")])
    writer.index, writer._appends = 0, 0
    with pytest.raises(streams.Replaced):
        await writer.append([text("late")])


async def test_a_cancelled_append_does_not_confuse_the_next_one() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    for number in range(30):
        task = asyncio.create_task(writer.append([text(f"x{number}")]))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await writer.append([text("end")])
    written = [chunk["delta"] for chunk in await streams.read(run)]
    assert written[-1] == "end"
    numbers = [int(delta[1:]) for delta in written[:-1]]
    assert numbers == sorted(set(numbers))
    assert writer.index == len(written)


async def test_a_checkpoint_names_the_next_chunk() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    assert await streams.read_checkpoint(run) is None
    await writer.append([text("a"), text("b")])
    begun = int(time.time())
    await writer.checkpoint(b'[{"kind":"request"}]')
    first = await streams.read_checkpoint(run)
    assert first is not None
    assert (first.index, first.messages_json, first.results) == (2, b'[{"kind":"request"}]', {})
    assert begun <= first.began <= time.time()
    await writer.keep_result("call_1", b'{"kept":1}')
    await writer.append([text("c")])
    await writer.checkpoint(b"[]")
    expected = streams.Checkpoint(3, b"[]", first.began, {"call_1": b'{"kept":1}'})
    assert await streams.read_checkpoint(run) == expected


async def test_a_result_of_a_replaced_worker_is_not_kept() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    with pytest.raises(streams.Replaced):
        await streams.Writer(run, "another").keep_result("call_1", b"{}")
    await streams.Writer(run, lease.token).keep_result("call_1", b"{}")


async def test_every_key_of_a_run_expires() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    writer = streams.Writer(run, lease.token)
    await writer.append([text("a")])
    await writer.checkpoint(b"[]")
    await streams.request_stop(run)
    names = streams.keys(run)
    for key in (names.chunks, names.lease, names.stop, names.checkpoint):
        assert 0 < await redis.client().ttl(key) <= 24 * 3600
    await writer.finish([FINISH])
    assert await redis.client().ttl(names.chunks) <= 3600
    assert await redis.client().ttl(names.stop) <= 3600
    assert await streams.read_checkpoint(run) is None
    await streams.delete(run)
    assert await redis.client().keys("*") == []


async def test_a_stop_is_seen_by_the_next_append_and_by_who_waits() -> None:
    run = uuid4()
    writer = streams.Writer(run, "token")
    waiting = asyncio.create_task(streams.wait_for_stop(run))
    assert await writer.append([text("a")]) is False
    assert await streams.stop_requested(run) is False
    await streams.request_stop(run)
    await streams.request_stop(run)
    async with asyncio.timeout(1):
        await waiting
    assert await writer.append([]) is True
    assert await streams.stop_requested(run) is True
    async with asyncio.timeout(1):
        await streams.wait_for_stop(run)


async def test_only_one_worker_gets_the_lease() -> None:
    run = uuid4()
    leases = await asyncio.gather(*(streams.acquire(run, f"w{number}") for number in range(10)))
    (lease,) = [lease for lease in leases if lease]
    other = uuid4()
    assert await streams.leased([run, other]) == {run}
    assert await streams.leased([]) == set()
    assert await lease.renew()
    assert await lease.release()
    assert not await lease.release()
    assert await streams.acquire(run, "next")
    assert not await lease.renew()
    assert lease.lost.is_set()


async def test_a_lease_outlives_its_time_only_while_it_is_renewed() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker", seconds=0.3)
    assert lease is not None
    async with streams.renewing(lease, every_seconds=0.05):
        async with asyncio.timeout(5):
            for _ in range(4):
                await asyncio.sleep(0.1)
                assert await streams.acquire(run, "other") is None
    await until(lambda: _gone(run))
    assert not lease.lost.is_set()


async def test_a_lease_that_another_worker_took_is_lost() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    async with streams.renewing(lease, every_seconds=0.02):
        await redis.client().delete(streams.keys(run).lease)
        await redis.client().set(streams.keys(run).lease, "another")
        async with asyncio.timeout(5):
            await lease.lost.wait()
    assert not await lease.release()


async def _gone(run: streams.RunId) -> bool:
    return not await streams.leased([run])


async def test_the_end_of_a_run_without_a_worker_is_written_once() -> None:
    run = uuid4()
    lease = await streams.acquire(run, "worker")
    assert lease is not None
    writer = streams.Writer(run, lease.token)
    await writer.append([{"type": "start"}, text("a")])
    tail: list[parts.Chunk] = [{"type": "text-end", "id": "t"}, FINISH]
    assert not await streams.append_tail(run, tail, index=2), "somebody writes it"
    await lease.release()
    assert not await streams.append_tail(run, tail, index=1), "made from an older state"
    assert await streams.append_tail(run, tail, index=2)
    assert not await streams.append_tail(run, tail, index=2 + len(tail)), "it has ended"
    assert (await streams.read(run))[2:] == tail
    assert 0 < await redis.client().ttl(streams.keys(run).chunks) <= 3600
    with pytest.raises(streams.Replaced):
        await writer.append([text("b")])


async def test_the_end_of_a_run_that_never_began_can_be_written() -> None:
    run = uuid4()
    assert await streams.append_tail(run, [{"type": "error", "errorText": "x"}, FINISH], index=0)
    assert await streams.length(run) == 2


async def test_entries_are_compact_json() -> None:
    run = uuid4()
    await streams.Writer(run, "token").append([text("a")])
    ((_, fields),) = await redis.client().xrange(streams.keys(run).chunks)
    assert fields[b"c"] == orjson.dumps(text("a"))
