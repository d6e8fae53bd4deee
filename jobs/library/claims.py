"""Giving back feeds and texts whose worker has lost the database, so that their claims need not run out first."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from leaf import errors, unattended

PAUSE_SECONDS = 1.0
"""The pause between two tries."""


def give_back_later(release: Callable[[], Awaitable[object]], lease: timedelta) -> None:
    """Gives something back as soon as the database answers. Nobody waits for it.

    Args:
        release: Gives it back; does nothing, or raises, where it is another worker's by now.
        lease: The time after which its claim runs out anyway.
    """
    unattended.keep(asyncio.create_task(_give_back(release, lease)))


async def _give_back(release: Callable[[], Awaitable[object]], lease: timedelta) -> None:
    async with asyncio.timeout(lease.total_seconds()):
        while True:
            try:
                await release()
            except errors.DatabaseUnavailable:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return
