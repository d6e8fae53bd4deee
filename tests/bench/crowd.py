"""Many at once: readers, followers of few answers, and answers in one worker."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from statistics import median
from typing import Any
from uuid import UUID

from redis.asyncio import Redis

from leaf import config, redis, streams
from leaf.db import session
from leaf.services import conversations
from tests.bench.figures import Figures, late
from tests.bench.page import Scenario
from tests.bench.sockets import Boot, Tab, lags
from tests.bench.system import System, between

READERS = 20
TOKENS = 500
FOLLOWERS = 500
FOLLOWED = 10
RUNS = 200
AT_ONCE = 25
"""So many tabs are opened at the same time."""


async def _tabs(system: System, chats: list[UUID], cookies: Sequence[str] = ()) -> list[Tab]:
    boot = await Boot.record(system, chats[0])
    cookies = cookies or [""] * len(chats)
    tabs: list[Tab] = []
    for start in range(0, len(chats), AT_ONCE):
        some = zip(chats[start : start + AT_ONCE], cookies[start : start + AT_ONCE], strict=True)
        tabs += await asyncio.gather(*(Tab.open(system, boot, chat, cookie) for chat, cookie in some))
    return tabs


async def readers(system: System, figures: Figures) -> None:
    """20 people, each with an answer of their own."""
    for _ in range(figures.rounds):
        system.pace(TOKENS, 20)
        _, chats = await asyncio.to_thread(system.chats, READERS)
        tabs = await _tabs(system, chats)
        await asyncio.sleep(1)
        questions = [system.question() for _ in tabs]
        before = system.consumed()
        for tab, chat, (text, _) in zip(tabs, chats, questions, strict=True):
            tab.ask(chat, text)
        await _ended(tabs)
        used = between(before, system.consumed())
        sent = [(await system.sent(key))["sent"] for _, key in questions]
        behind = [lag for tab, times in zip(tabs, sent, strict=True) for lag in lags(tab, times)]
        seconds = used.cpu_seconds * 1000 / TOKENS / READERS
        figures.note("server CPU per 1,000 tokens, 20 ms apart, 20 readers", seconds, "s", 1.2)
        for kind, of_it in used.cpu.items():
            figures.note(f"of it {kind} (20 readers)", of_it * 1000 / TOKENS / READERS, "s")
        figures.note("95th percentile of the lag of 20 readers", late(behind), "ms")
        for tab in tabs:
            tab.close()


async def followers(system: System, figures: Figures) -> None:
    """500 tabs at one web process that follow 10 answers."""
    store = Redis.from_url(_redis_url(system))
    for _ in range(figures.rounds):
        system.pace(TOKENS, 20)
        connections = await _following(store)
        _, chats = await asyncio.to_thread(system.chats, FOLLOWED)
        before = system.consumed()
        followed = [chats[number % FOLLOWED] for number in range(FOLLOWERS)]
        # The first one of each chat is Ada, who asks.
        cookies = await asyncio.to_thread(system.participants, followed[FOLLOWED:], await system.cookie_name())
        tabs = await _tabs(system, followed, [""] * FOLLOWED + cookies)
        await asyncio.sleep(2)
        opened = system.consumed()
        questions = [system.question() for _ in chats]
        for tab, chat, (text, _) in zip(tabs, chats, questions, strict=False):
            tab.ask(chat, text)
        await asyncio.sleep(2)
        figures.note("connections to Redis for following", await _following(store) - connections, "", 8)
        await _ended(tabs)
        sent = [(await system.sent(key))["sent"] for _, key in questions]
        behind = [lag for number, tab in enumerate(tabs) for lag in lags(tab, sent[number % FOLLOWED])]
        figures.note("95th percentile of the lag of 500 followers", late(behind), "ms", 500)
        figures.note("median of the lag of 500 followers", median(behind), "ms")
        each = (opened.memory["web"] - before.memory["web"]) / FOLLOWERS
        figures.note("memory of the web process per follower", each / 1000, "kB")
        for tab in tabs:
            tab.close()
        await asyncio.sleep(3)
    await store.aclose()


async def _following(store: Redis) -> int:
    """How many connections read or listen."""
    return sum(one["cmd"] in {"xread", "subscribe"} for one in await store.client_list())


async def _ended(tabs: list[Tab]) -> None:
    async with asyncio.timeout(120):
        await asyncio.gather(*(tab.ended.wait() for tab in tabs))


def _redis_url(system: System) -> str:
    return f"unix://{system.leaf.directory}/run/redis/redis.sock"


@asynccontextmanager
async def _services(system: System) -> AsyncGenerator[None]:
    """Leaf's services in this process, on the data of the system."""
    config.install(
        config.Settings(
            database_url=system.leaf.database_url,
            redis_url=_redis_url(system),
            model="openai-chat:paced-200-20",
            openai_api_key="sk-bench",
            requests_per_minute=0,
        )  # pyright: ignore[reportCallIssue]
    )
    try:
        yield
    finally:
        await session.dispose()
        await redis.close()


async def answers(system: System, figures: Figures) -> None:
    """200 answers at the same time in one worker, from the provider to Redis."""
    async with _services(system):
        for _ in range(figures.rounds):
            await _answers(system, figures)


async def _answers(system: System, figures: Figures) -> None:
    system.pace(TOKENS, 20)
    actor, chats = await asyncio.to_thread(system.chats, RUNS)
    questions = [system.question() for _ in chats]
    before = system.consumed()
    turns: list[conversations.Turn] = []
    for start in range(0, RUNS, 10):
        some = zip(chats[start : start + 10], questions[start : start + 10], strict=True)
        turns += await asyncio.gather(*(conversations.ask(actor, chat, text) for chat, (text, _) in some))
    keys = {streams.keys(str(turn.assistant.run_id)).chunks: number for number, turn in enumerate(turns)}
    seen = await _words(system, keys)
    used = between(before, system.consumed())
    highest = used.memory["worker"]
    behind: list[float] = []
    for number, (_, key) in enumerate(questions):
        sent = (await system.sent(key))["sent"]
        done = 0
        for at, word in seen[number]:
            behind += [(at - sent[token]) * 1000 for token in range(done, word + 1)]
            done = word + 1
        assert done == TOKENS, f"{done} of {TOKENS} tokens"
    figures.note("200 answers in one worker: 95th percentile of the lag", late(behind), "ms", 250)
    for kind, seconds in used.cpu.items():
        figures.note(f"CPU of {kind} for 200 answers", seconds, "s")
    figures.note("memory of the worker", highest / 1e6, "MB", 400)


async def _words(system: System, keys: dict[str, int]) -> dict[int, list[tuple[float, int]]]:
    """Follows all streams to their ends, over one connection."""
    store: Any = Redis.from_url(_redis_url(system))
    places = dict.fromkeys(keys, "0")
    seen: dict[int, list[tuple[float, int]]] = {number: [] for number in keys.values()}
    deadline = time.monotonic() + 180
    while places:
        assert time.monotonic() < deadline, f"{len(places)} answers have not ended"
        for key, entries in await store.xread(places, block=1000, count=100):
            name, now = key.decode(), time.time()
            text = b"".join(fields[b"c"] for _, fields in entries)
            words = re.findall(rb"w(\d+)", text)
            if words:
                seen[keys[name]].append((now, int(words[-1])))
            places[name] = entries[-1][0]
            if b'"type":"finish"' in text:
                del places[name]
        await asyncio.sleep(0.005)
    await store.aclose()
    return seen


SCENARIOS: dict[str, Scenario] = {"readers": readers, "followers": followers, "answers": answers}
