"""Garbage collections beside long texts."""

import asyncio
import gc
import threading

from leaf.telemetry import responsiveness


async def test_no_garbage_is_looked_for_while_long_texts_are_handled() -> None:
    """Not until the last of several threads is through."""
    begun = threading.Barrier(3)

    def work(until: threading.Event) -> bool:
        begun.wait()
        until.wait()
        return gc.isenabled()

    events = [threading.Event(), threading.Event()]
    running = [asyncio.create_task(responsiveness.in_thread(work, until)) for until in events]
    await asyncio.to_thread(begun.wait)
    for until, task in zip(events, running, strict=True):
        assert not gc.isenabled()
        until.set()
        assert await task is False
    assert gc.isenabled()
