"""Reads that callers share: nobody gets what was read before they asked, and nobody's end is another's."""

import asyncio
import gc
from collections.abc import Sequence
from contextlib import suppress

import pytest

from leaf import errors
from leaf.services import joint_reads
from leaf.services.joint_reads import JointRead


class Source:
    """What is read: each read waits until it may end, and finds what its callers wished."""

    def __init__(self) -> None:
        self.reads: list[tuple[str, list[int]]] = []
        self.may_end = asyncio.Event()
        self.begun = asyncio.Event()
        self.at_once = self.most_at_once = 0

    async def read(self, key: str, wishes: Sequence[int]) -> int:
        number = len(self.reads)
        self.reads.append((key, [*wishes]))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        await self.may_end.wait()
        self.at_once -= 1
        if key == "broken":
            raise OSError(key)
        return number


async def test_callers_share_a_read_that_begins_after_they_asked() -> None:
    source = Source()
    read = JointRead(source.read)
    first = [asyncio.create_task(read("a", wish)) for wish in (1, 2, 3)]
    other = asyncio.create_task(read("b", 4))
    await source.begun.wait()
    later = [asyncio.create_task(read("a", wish)) for wish in (5, 6)]
    await asyncio.sleep(0)
    source.may_end.set()
    assert await asyncio.gather(*first, other, *later) == [0, 0, 0, 1, 2, 2]
    assert source.reads == [("a", [1, 2, 3]), ("b", [4]), ("a", [5, 6])]


async def test_a_cancelled_caller_and_a_failed_read_end_nobody_elses() -> None:
    source = Source()
    read = JointRead(source.read)
    hasty, patient = (asyncio.create_task(read("a", wish)) for wish in (1, 2))
    broken = [asyncio.create_task(read("broken", wish)) for wish in (1, 2)]
    await source.begun.wait()
    hasty.cancel()
    source.may_end.set()
    assert await patient == 0
    for one in broken:
        with pytest.raises(OSError, match="broken"):
            await one
    assert await read("a", 7) == 2, "a read after an end begins anew"


async def test_the_error_of_a_read_that_nobody_awaits_any_more_is_not_reported() -> None:
    source, reported, loop = Source(), [], asyncio.get_running_loop()
    of_other_tests = asyncio.all_tasks()
    loop.set_exception_handler(lambda _, context: reported.append(context))
    try:
        alone = asyncio.create_task(JointRead(source.read)("broken", 1))
        await source.begun.wait()
        alone.cancel()
        await asyncio.wait({alone})
        del alone
        source.may_end.set()
        await asyncio.wait(asyncio.all_tasks() - of_other_tests)
        gc.collect()
    finally:
        loop.set_exception_handler(None)
    assert reported == []


async def test_of_many_keys_so_many_are_read_at_the_same_time() -> None:
    """What is asked while a read waits for its turn is part of it."""
    source = Source()
    read = JointRead(source.read, at_once=2)
    tasks = [asyncio.create_task(read(f"{number}", 1)) for number in range(5)]
    await source.begun.wait()
    joined = asyncio.create_task(read("4", 2))
    await asyncio.sleep(0)
    source.may_end.set()
    await asyncio.gather(*tasks, joined)
    assert source.most_at_once == 2
    assert source.reads[-1] == ("4", [1, 2])


async def test_a_read_that_never_ends_holds_up_no_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where it does not end when it is cancelled, like a connection that is stuck. # 000-40"""
    monkeypatch.setattr(joint_reads, "SECONDS", 0.05)
    stuck, may_end, reads = asyncio.Event(), asyncio.Event(), []

    async def read_it(key: str, _: Sequence[int]) -> str:
        reads.append(key)
        while len(reads) == 1 and not may_end.is_set():
            with suppress(asyncio.CancelledError):
                await may_end.wait()
            stuck.set()
        return key

    read = JointRead(read_it, at_once=1)
    with pytest.raises(errors.DatabaseUnavailable):
        await read("a", 1)
    assert await read("a", 2) == "a"
    assert reads == ["a", "a"]
    await stuck.wait()
    may_end.set()
