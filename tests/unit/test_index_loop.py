"""The loops of a worker that keep the index."""

import asyncio
from typing import Any

import pytest

from jobs import library


async def test_one_looks_for_a_feed_while_the_others_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One feed that hangs holds up none of the others, and several readers do not look more often than one. # 000-63"""
    waiting: dict[str, list[Any]] = {"followed": ["hangs", "second", "third"], "listed": []}
    looks: list[str] = []
    looking: set[str] = set()
    read: list[Any] = []
    all_read = asyncio.Event()

    async def nothing(*_: Any, **__: Any) -> bool:
        return False

    async def no_wait() -> float:
        return 0.0

    async def claim_due(kind: str) -> Any:
        assert kind not in looking, "two look at the same time"
        looking.add(kind)
        looks.append(kind)
        await asyncio.sleep(0)
        looking.discard(kind)
        return waiting[kind].pop(0) if waiting[kind] else None

    async def follow(feed: Any) -> bool:
        read.append(feed)
        if len(read) == 3:
            all_read.set()
        if feed == "hangs":
            await asyncio.Event().wait()
        return True

    monkeypatch.setattr(library.pace, "wait_seconds", no_wait)
    monkeypatch.setattr(library.feeds, "claim_due", claim_due)
    monkeypatch.setattr(library.feeds, "follow", follow)
    for module, name in (
        (library.texts, "read_waiting"), (library.vectors, "embed_waiting"), (library.texts, "read_cited"),
        (library.texts, "read_slow_cited"), (library.quotes, "check_due"), (library.watches, "look_at_due"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, nothing)
    running = asyncio.create_task(library.run())
    async with asyncio.timeout(5):
        await all_read.wait()
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert read == ["hangs", "second", "third"]
    assert looks.count("listed") == 1, "its readers pause together"
