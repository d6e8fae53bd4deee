"""Releases claims of feeds and texts after an outage of the database, so that nobody waits until they expire."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from leaf import errors, unattended

PAUSE_SECONDS = 1.0
"""The pause between two tries."""


def release_in_background(release: Callable[[], Awaitable[object]], lease: timedelta) -> None:
    """Releases a claim in the background as soon as the database answers.

    Args:
        release: Releases the claim. It does nothing or raises if another worker has claimed the row since.
        lease: The time after which the claim expires by itself; no more tries are made then.
    """
    unattended.keep(asyncio.create_task(_release(release, lease)))


async def _release(release: Callable[[], Awaitable[object]], lease: timedelta) -> None:
    async with asyncio.timeout(lease.total_seconds()):
        while True:
            try:
                await release()
            except errors.DatabaseUnavailable:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return
