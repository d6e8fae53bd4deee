"""Work of a run that ends early."""

import asyncio

import pytest

from jobs.run.stop import unless


async def test_work_that_ends_first_gives_its_result() -> None:
    """# 004-12"""

    async def work() -> str:
        return "done"

    assert await unless(asyncio.Event(), work()) == "done"


async def test_work_is_cancelled_when_the_event_is_set_first() -> None:
    """# 004-12"""
    begun, ending, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "done"

    waiting = asyncio.create_task(unless(ending, work()))
    await begun.wait()
    ending.set()
    assert await waiting is None
    assert ended.is_set()


async def test_an_error_of_the_work_is_raised() -> None:
    """# 004-12"""

    async def work() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await unless(asyncio.Event(), work())
