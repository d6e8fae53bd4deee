"""The cost of beginning a run: CPU of each process, and the wait, until the model has a question.

The exchange with the database is counted by `tests/integration/test_turn_cost.py`, which holds it.
"""

import asyncio
import time
from statistics import median
from uuid import UUID

import httpx
import psycopg

from leaf.callers import tokens
from tests.bench.figures import Figures
from tests.bench.opening import long_chat
from tests.bench.page import Scenario
from tests.bench.sockets import Boot, Tab
from tests.bench.system import System, between

LENGTHS = (0, 200, 2000)
QUESTIONS = 8
"""For each length of a chat in each round, one after the other; the answers begin when all are asked."""
SILENCE_MS = 6000
TARGETS = {"web": 8, "worker": 12, "postgres": 4}


async def turn(system: System, figures: Figures) -> None:
    """Questions over the API and on pages, in chats of several lengths."""
    system.pace(20, 0)
    key = await asyncio.to_thread(_api_key, system)
    chats = {length: await asyncio.to_thread(_chats, system, length) for length in LENGTHS}
    async with httpx.AsyncClient(trust_env=False, base_url=system.leaf.url, timeout=120) as http:
        http.headers["authorization"] = f"Bearer {key}"
        for length in LENGTHS:
            # The first questions load what later ones find loaded.
            await asyncio.gather(*[task for task, _ in [await _over_api(system, http, one) for one in chats[length]]])
        for _ in range(figures.rounds):
            for length in LENGTHS:
                await _round(system, figures, http, chats[length], f"API, chat of {length} messages")
    for length in LENGTHS:
        await _on_pages(system, figures, chats[length], f"page, chat of {length} messages")


async def _round(system: System, figures: Figures, http: httpx.AsyncClient, chats: list[UUID], name: str) -> None:
    system.leaf.use_model(f"openai-chat:paced-20-0-{SILENCE_MS}")
    await asyncio.sleep(0.5)
    before = system.consumed()
    asked = [await _over_api(system, http, one) for one in chats]
    _note(system, figures, before, [wait for _, wait in asked], name)
    await asyncio.gather(*[task for task, _ in asked])


def _note(system: System, figures: Figures, before: object, waits: list[float], name: str) -> None:
    used = between(before, system.consumed())  # pyright: ignore[reportArgumentType]
    for kind in ("web", "worker", "postgres", "redis"):
        figures.note(f"{name}: CPU of {kind}", used.cpu[kind] * 1000 / len(waits), "ms", TARGETS.get(kind))
    figures.note(f"{name}: until the model has the request", median(waits), "ms", 45)


async def _over_api(system: System, http: httpx.AsyncClient, chat: UUID) -> tuple[asyncio.Task[httpx.Response], float]:
    """A question whose answer is being read, and the milliseconds until the model had it."""
    question, key = system.question()
    begun = time.time()
    reading = asyncio.create_task(http.post("/api/chat", json={"message": question, "chatId": str(chat)}))
    asked = await system.sent(key)
    return reading, (asked["received_at"] - begun) * 1000


async def _on_pages(system: System, figures: Figures, chats: list[UUID], name: str) -> None:
    """The same, each on a tab of its own; all of them are one member's."""
    boot = await Boot.record(system, chats[0])
    tabs = [await Tab.open(system, boot, one) for one in chats]
    for together in [False] * figures.rounds + [True] * figures.rounds:
        system.leaf.use_model(f"openai-chat:paced-20-0-{SILENCE_MS}")
        await asyncio.sleep(2)
        before = system.consumed()
        begun: list[float] = []
        keys: list[str] = []
        for tab, chat in zip(tabs, chats, strict=True):
            tab.ended.clear()
            tab.seen.clear()
            question, key = system.question()
            begun.append(time.time())
            keys.append(key)
            tab.ask(chat, question)
            if not together:
                await system.sent(key)
        received = [(await system.sent(key))["received_at"] for key in keys]
        waits = [(at - since) * 1000 for at, since in zip(received, begun, strict=True)]
        _note(system, figures, before, waits, f"{name}, all at once" if together else name)
        async with asyncio.timeout(60):
            await asyncio.gather(*(tab.ended.wait() for tab in tabs))
    for tab in tabs:
        tab.close()


def _chats(system: System, length: int) -> list[UUID]:
    return [long_chat(system, length) for _ in range(QUESTIONS)]


def _api_key(system: System) -> str:
    key = tokens.new("key")
    with psycopg.connect(system.leaf.database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO api_keys (user_id, name, hint, token_hash, scopes) "
            "SELECT user_id, 'Bench', 'leaf_key', %s, '{read,write}' FROM workspace_members LIMIT 1",
            (tokens.digest(key),),
        )
    return key


SCENARIOS: dict[str, Scenario] = {"turn": turn}
