"""Files are read in processes of their own: one that is slow is ended, and nobody else notices."""

import asyncio
import time
from collections.abc import Iterator

import psutil
import pytest

from leaf.documents import Unreadable, isolation
from tests.integration.redis_fixtures import until
from tests.uploads import slow_document

LIMIT_SECONDS = 8.0


@pytest.fixture(autouse=True)
def short_limit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(isolation, "SECONDS", LIMIT_SECONDS)
    yield
    isolation.close()


async def _timed(data: bytes, kind: str, owner: str) -> tuple[float, str]:
    begun = time.monotonic()
    try:
        parsed = await isolation.parse(data, kind, owner=owner)
    except Unreadable as refused:
        return time.monotonic() - begun, refused.reason
    return time.monotonic() - begun, parsed.segments[0].text


async def test_slow_files_hold_up_neither_others_nor_get_them_blamed() -> None:
    """Two slow ones of one person; small ones of the same person, and of another one."""
    slow = slow_document()
    # All processes are started first, because a start may take seconds on a busy machine.
    await asyncio.gather(*(_timed(b"# warm\n", "markdown", who) for who in ("ada", "ada", "ben", "ben")))
    tasks = [asyncio.create_task(_timed(slow, "word", "ada")) for _ in range(2)]
    tasks += [asyncio.create_task(_timed(f"# Ada {n}\n".encode(), "markdown", "ada")) for n in range(3)]
    tasks += [asyncio.create_task(_timed(f"# Ben {n}\n".encode(), "markdown", "ben")) for n in range(3)]
    results = await asyncio.gather(*tasks)
    assert [said for _, said in results[:2]] == [
        f"This file takes longer than {LIMIT_SECONDS:.0f} seconds to read."
    ] * 2
    assert [said.strip() for _, said in results[2:]] == [f"# {who} {n}" for who in ("Ada", "Ben") for n in range(3)]
    assert max(seconds for seconds, _ in results[5:]) < min(seconds for seconds, _ in results[:2])


async def test_a_text_that_nobody_wants_any_more_is_not_waited_for() -> None:
    slow = slow_document()
    given_up = [asyncio.create_task(isolation.parse(slow, "word", owner="ada")) for _ in range(2)]
    await asyncio.wait(given_up, timeout=0.5)
    for task in given_up:
        task.cancel()
    await asyncio.gather(*given_up, return_exceptions=True)
    seconds, said = await _timed(b"# next\n", "markdown", "ada")
    assert said.startswith("# next")
    assert seconds < LIMIT_SECONDS


async def test_a_process_that_is_idle_ends_and_the_next_file_starts_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would keep the memory of the libraries for pictures and tables. # 000-22"""
    monkeypatch.setattr(isolation, "IDLE_SECONDS", 0.3)
    before = {*psutil.Process().children()}
    assert (await _timed(b"# one\n", "markdown", "ada"))[1] == "# one\n"
    (process,) = {*psutil.Process().children()} - before
    await until(lambda: not process.is_running())
    assert (await _timed(b"# two\n", "markdown", "ada"))[1] == "# two\n"
