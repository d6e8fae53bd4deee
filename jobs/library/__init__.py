"""The part of a worker that keeps the index of members' Drives: it follows feeds, reads texts, makes
vectors, looks for quotes of answers in files that have changed, and asks watched questions again.

It takes no job from the queue and no place of an answer. The database says what is to be done; a feed or file is
claimed for a short time there, so that another worker goes on where one has died.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from jobs.library import feeds, quotes, texts, vectors, watches
from leaf import errors
from leaf.services.library import pace

log = logging.getLogger(__name__)

Done = TypeVar("Done")

IDLE_SECONDS = 2.0
"""The pause where nothing is to be done."""
CITED_SECONDS = 10.0
"""The same for files that quotes wait for: members with unread files are looked for a second time."""
WATCHED_SECONDS = 10.0
"""The same for watched questions, which are asked daily at most."""
AWAY_SECONDS = 5.0
"""The pause after a failure of the database or of Redis."""


async def run() -> None:
    """Keeps the index until it is cancelled."""
    async with asyncio.TaskGroup() as group:
        for kind, places in feeds.PLACES.items():
            looking = asyncio.Lock()
            for _ in range(places):
                group.create_task(_follow_feeds(kind, looking))
        group.create_task(_forever("texts", _read_and_embed))
        group.create_task(_forever("cited texts", texts.read_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("slow cited texts", texts.read_slow_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("quotes", quotes.check_due))
        group.create_task(_forever("watches", watches.check_due, idle_seconds=WATCHED_SECONDS))


async def _read_and_embed() -> bool:
    """Reads some files, then makes vectors: one after the other, so that the index takes one core at most, but for the
    few files that quotes wait for (`texts.read_cited`).
    """
    reads = await texts.read_waiting()
    return await vectors.embed_waiting(reads=reads) or reads


async def _follow_feeds(kind: feeds.Kind, looking: asyncio.Lock) -> None:
    """One of several that follow feeds. Only one looks for the next feed at a time; the others read meanwhile, and one
    that hangs holds up none of them.
    """
    name = f"{kind} feeds"
    while True:
        async with looking:
            feed = await _guarded(name, partial(_paced, name, partial(feeds.claim_due, kind)))
        if feed is not None:
            await _guarded(name, partial(feeds.follow, feed))


async def _forever(name: str, step: Callable[[], Awaitable[bool]], *, idle_seconds: float = IDLE_SECONDS) -> None:
    while True:
        await _guarded(name, partial(_paced, name, step), idle_seconds=idle_seconds)


async def _paced(name: str, step: Callable[[], Awaitable[Done]]) -> Done:
    """Takes a step as soon as the pace of the index allows it."""
    if wait := await pace.wait_seconds():
        log.info("the index waits %.0f s (%s): Google limits calls, and answers go first", wait, name)
        await asyncio.sleep(wait)
    return await step()


async def _guarded(
    name: str, step: Callable[[], Awaitable[Done]], *, idle_seconds: float = IDLE_SECONDS
) -> Done | None:
    """Takes a step, with a pause where there was nothing to do; None after a failure."""
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
