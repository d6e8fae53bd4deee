"""Following a run: backlog, live chunks, many followers, ends."""

import asyncio
import random
from contextlib import aclosing
from uuid import uuid4

import pytest

from leaf import parts, redis, streams
from tests.integration.redis_fixtures import durable_redis, redis_server, redis_url, until
from tests.integration.test_streams_writer import FINISH, text

__all__ = ["durable_redis", "redis_server", "redis_url"]

pytestmark = pytest.mark.usefixtures("redis_url")


async def collect(run: streams.RunId, start_index: int = 0) -> list[parts.Chunk]:
    chunks: list[parts.Chunk] = []
    async with aclosing(streams.follow(run, start_index)) as batches:
        async for batch in batches:
            chunks += batch
    return chunks


async def test_followers_from_any_index_miss_nothing_and_see_nothing_twice() -> None:
    """Fifty followers join while the writer writes."""
    run = uuid4()
    writer = streams.Writer(run, "token")
    chunks = [text(str(number)) for number in range(600)] + [FINISH]
    dice = random.Random(7)
    starts: list[int] = []
    tasks: list[asyncio.Task[list[parts.Chunk]]] = []
    while writer.index < len(chunks):
        await writer.append(chunks[writer.index : writer.index + dice.randint(1, 20)])
        for _ in range(dice.randint(0, 2)):
            starts.append(dice.randint(0, writer.index))
            tasks.append(asyncio.create_task(collect(run, starts[-1])))
            await asyncio.sleep(0)
    while len(tasks) < 50:
        starts.append(dice.randint(0, 599))
        tasks.append(asyncio.create_task(collect(run, starts[-1])))
    async with asyncio.timeout(20):
        results = await asyncio.gather(*tasks)
    for start, result in zip(starts, results, strict=True):
        assert result == chunks[start:]
