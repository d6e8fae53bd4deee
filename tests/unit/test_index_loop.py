"""The loops of a worker that keep the index."""

import asyncio
from typing import Any

import pytest

from jobs import library
from leaf import errors
from leaf.db import Actor
from leaf.services.library.feeds import Overtaken

CLAIM_DUE = library.feeds.claim_due


@pytest.fixture(autouse=True)
def nothing_else_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any, **__: Any) -> bool:
        return False

    async def no_wait() -> float:
        return 0.0

    monkeypatch.setattr(library.pace, "wait_seconds", no_wait)
    for module, name in (
        (library.feeds, "claim_due"), (library.reader, "read_waiting"), (library.vectors, "embed_waiting"),
        (library.reader, "read_cited"), (library.reader, "read_slow_cited"), (library.quotes, "check_due"),
        (library.watches, "check_due"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, nothing)


async def test_one_looks_for_a_feed_while_the_others_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One feed that hangs holds up none of the others, and several readers do not look more often than one. # 000-63"""
    waiting: dict[str, list[Any]] = {"followed": ["hangs", "second", "third"], "listed": []}
    looks: list[str] = []
    looking: set[str] = set()
    read: list[Any] = []
    all_read = asyncio.Event()

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

    monkeypatch.setattr(library.feeds, "claim_due", claim_due)
    monkeypatch.setattr(library.feeds, "follow", follow)
    running = asyncio.create_task(library.run())
    async with asyncio.timeout(5):
        await all_read.wait()
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert read == ["hangs", "second", "third"]
    assert looks.count("listed") == 1, "its readers pause together"


@pytest.mark.parametrize("failure", [Overtaken(), errors.DatabaseUnavailable()])
async def test_a_worker_ends_also_where_its_feed_cannot_be_given_back(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """The member has disconnected meanwhile, or the database has ended first."""
    given = ["feed"]
    begun = asyncio.Event()

    async def claim_due(_kind: str) -> Any:
        return given.pop() if given else None

    async def hangs(_feed: Any) -> bool:
        begun.set()
        return await asyncio.Event().wait()

    async def release(_feed: Any) -> None:
        raise failure

    monkeypatch.setattr(library.feeds, "claim_due", claim_due)
    monkeypatch.setattr(library.feeds, "_read", hangs)
    monkeypatch.setattr(library.feeds.feeds, "release", release)
    await _begins_and_ends(begun)


async def test_a_feed_is_given_back_whose_claim_is_stored_while_the_worker_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would be nobody's for a minute, and an edit in it be marked that much later."""
    begun, stored = asyncio.Event(), asyncio.Event()
    released: list[Any] = []

    async def due(*_: Any) -> list[str]:
        return ["due"]

    async def claim(_due: str) -> Any:
        begun.set()
        # As a transaction does, which ends its commit first.
        await stored.wait()
        return "feed"

    async def release(feed: Any) -> None:
        released.append(feed)

    for name, replaced in (("due", due), ("claim", claim), ("release", release)):
        monkeypatch.setattr(library.feeds.feeds, name, replaced)
    claiming = asyncio.create_task(CLAIM_DUE("followed"))
    await begun.wait()
    claiming.cancel()
    await asyncio.sleep(0)
    stored.set()
    with pytest.raises(asyncio.CancelledError):
        await claiming
    assert released == ["feed"]


async def test_a_worker_ends_also_where_its_text_cannot_be_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def unread(_most: int) -> list[Actor]:
        return [Actor.system()]

    async def waiting(*_: Any) -> list[Any]:
        return ["file"]

    async def claim_file(*_: Any) -> Any:
        return type("Claimed", (), {"attempt": 1})

    async def hangs(*_: Any) -> bool:
        begun.set()
        return await asyncio.Event().wait()

    async def release_file(*_: Any) -> None:
        raise errors.DatabaseUnavailable

    async def at_once() -> None:
        return

    async def read_cited() -> bool:
        return await library.reader._read_some(1)  # pyright: ignore[reportPrivateUsage]

    for name, replaced in (
        ("unread", unread),
        ("waiting", waiting),
        ("claim_file", claim_file),
        ("release_file", release_file),
    ):
        monkeypatch.setattr(library.reader.file_texts, name, replaced)
    monkeypatch.setattr(library.reader.registry, "give_way", at_once)
    monkeypatch.setattr(library.reader, "_read_and_store", hangs)
    monkeypatch.setattr(library.reader, "read_cited", read_cited)
    await _begins_and_ends(begun)


async def _begins_and_ends(begun: asyncio.Event) -> None:
    running = asyncio.create_task(library.run())
    async with asyncio.timeout(5):
        await begun.wait()
    running.cancel()
    _, pending = await asyncio.wait([running], timeout=2)
    running.cancel()
    assert not pending
