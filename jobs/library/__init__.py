"""The part of a worker that maintains the index of members' Drives.

It follows feeds, reads texts, computes vectors, checks quotes of answers in files that have changed, and asks watched
questions again. It takes no jobs from the queue, and does not count against the limit of concurrent answers. The
database says what is to be done. A feed or file is claimed for a short time, so that another worker continues if one
dies.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from jobs.library import feeds, quotes, reader, vectors, watches
from leaf import errors
from leaf.services.library import pace

log = logging.getLogger(__name__)

Done = TypeVar("Done")

IDLE_SECONDS = 2.0
"""The pause after a step that found nothing to do."""
CITED_SECONDS = 10.0
"""The same for cited files. It is longer because this step searches the members with unread files a second time."""
WATCHED_SECONDS = 10.0
"""The same for watched questions, which are asked daily at most."""
AWAY_SECONDS = 5.0
"""The pause after a failure of the database or of Redis."""


async def run() -> None:
    """Maintains the index until it is cancelled."""
    async with asyncio.TaskGroup() as group:
        for kind, places in feeds.PLACES.items():
            claiming = asyncio.Lock()
            for _ in range(places):
                group.create_task(_follow_feeds(kind, claiming))
        group.create_task(_forever("texts", _read_and_embed))
        group.create_task(_forever("cited texts", reader.read_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("slow cited texts", reader.read_slow_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("quotes", quotes.check_due))
        group.create_task(_forever("watches", watches.check_due, idle_seconds=WATCHED_SECONDS))


async def _read_and_embed() -> bool:
    """Reads some files, then computes vectors. Returns whether there was anything to do.

    The two take turns, so that the index uses at most one core. Only cited files are read at the same time
    (`reader.read_cited`).
    """
    reads = await reader.read_waiting()
    return await vectors.embed_waiting(reads=reads) or reads


async def _follow_feeds(kind: feeds.Kind, claiming: asyncio.Lock) -> None:
    """Follows one feed after the other, as one of several tasks.

    Only one task at a time looks for its next feed. The others read meanwhile, so a task that hangs delays no others.

    Args:
        kind: The feeds of this task.
        claiming: The lock that the tasks for this kind share.
    """
    name = f"{kind} feeds"
    while True:
        async with claiming:
            feed = await _guarded(name, partial(_paced, name, partial(feeds.claim_due, kind)))
        if feed is not None:
            await _guarded(name, partial(feeds.follow, feed))


async def _forever(name: str, step: Callable[[], Awaitable[bool]], *, idle_seconds: float = IDLE_SECONDS) -> None:
    while True:
        await _guarded(name, partial(_paced, name, step), idle_seconds=idle_seconds)


async def _paced(name: str, step: Callable[[], Awaitable[Done]]) -> Done:
    """Runs a step as soon as the pace of the index allows it."""
    if wait := await pace.wait_seconds():
        log.info("the index waits %.0f s (%s): Google limits calls, and answers go first", wait, name)
        await asyncio.sleep(wait)
    return await step()


async def _guarded(
    name: str, step: Callable[[], Awaitable[Done]], *, idle_seconds: float = IDLE_SECONDS
) -> Done | None:
    """Runs a step, and pauses if there was nothing to do. Returns None after a failure, which is logged."""
    try:
        done = await step()
    except (errors.DatabaseUnavailable, errors.RedisUnavailable) as error:
        log.warning("the index waits (%s): %s", name, error.code)
    except Exception:
        log.exception("a step of the index failed (%s)", name)
    else:
        if not done:
            await asyncio.sleep(idle_seconds)
        return done
    await asyncio.sleep(AWAY_SECONDS)
    return None
