"""The part of a worker that keeps the index of members' Drives: it follows feeds, reads texts, makes
vectors, looks for quotes of answers in files that have changed, and asks watched questions again.

It takes no job from the queue and no place of an answer. The database says what is to be done; a feed or file is
claimed for a short time there, so that another worker goes on where one has died.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from jobs.library import feeds, quotes, texts, vectors, watches
from leaf import errors
from leaf.services.library import pace

log = logging.getLogger(__name__)

IDLE_SECONDS = 2.0
"""The pause where nothing is to be done."""
CITED_SECONDS = 10.0
"""The same for files that quotes wait for: members with unread files are looked for a second time."""
AWAY_SECONDS = 5.0
"""The pause after a failure of the database or of Redis."""


async def run() -> None:
    """Keeps the index until it is cancelled."""
    async with asyncio.TaskGroup() as group:
        # Each goes on to the next feed by itself: one that hangs holds up none of the others.
        for _ in range(feeds.FOLLOWED):
            group.create_task(_forever("feeds", partial(feeds.follow_due, "followed")))
        for _ in range(feeds.LISTED):
            group.create_task(_forever("listings", partial(feeds.follow_due, "listed")))
        group.create_task(_forever("texts", _read_and_embed))
        group.create_task(_forever("cited texts", texts.read_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("slow cited texts", texts.read_slow_cited, idle_seconds=CITED_SECONDS))
        group.create_task(_forever("quotes", quotes.check_due))
        group.create_task(_forever("watches", watches.look_at_due))


async def _read_and_embed() -> bool:
    """Reads some files, then makes vectors: one after the other, so that the index takes one core at most, but for the
    few files that quotes wait for (`texts.read_cited`).
    """
    reads = await texts.read_waiting()
    return await vectors.embed_waiting(reads=reads) or reads


async def _forever(name: str, step: Callable[[], Awaitable[bool]], *, idle_seconds: float | None = None) -> None:
    """Takes one step after another, with a pause where there was nothing to do."""
    while True:
        pause = 0.0
        try:
            if wait := await pace.wait_seconds():
                log.info("the index waits %.0f s (%s): Google limits calls, and answers go first", wait, name)
                await asyncio.sleep(wait)
            pause = 0.0 if await step() else idle_seconds or IDLE_SECONDS
        except (errors.DatabaseUnavailable, errors.RedisUnavailable) as error:
            log.warning("the index waits (%s): %s", name, error.code)
            pause = AWAY_SECONDS
        except Exception:
            log.exception("a step of the index failed (%s)", name)
            pause = AWAY_SECONDS
        await asyncio.sleep(pause)
