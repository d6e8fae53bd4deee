"""Watched questions: checks for changes without a model, and asks a question again if something has changed."""

import logging

from leaf import errors
from leaf.db.session import Actor
from leaf.services import conversations, watches
from leaf.services.watches import Due

log = logging.getLogger(__name__)

MEMBERS = 8


async def check_due() -> bool:
    """Checks some watches that are due, and compares answers that have ended; returns whether there were any."""
    some = False
    for actor in await watches.due(MEMBERS):
        some |= await watches.conclude(actor)
        some |= await watches.postpone_unchanged(actor)
        for watch in await watches.claim_due(actor):
            some = True
            await _check(actor, watch)
    return some


async def _check(actor: Actor, watch: Due) -> None:
    if not watch.has_answer:
        if watch.answer_id is None:
            # The member has just requested a new version of the answer.
            return
        found = await watches.check(actor, watch)
        if not found.matches:
            await watches.postpone(actor, watch, found)
            return
        try:
            await conversations.regenerate(actor, watch.answer_id, answer_id=watch.next_answer_id, away=True)
        except errors.LimitReached as error:
            await watches.refuse(actor, watch, error)
            return
        except errors.NotFound:
            return
        except errors.Conflict as error:
            if error.code != conversations.SENT:
                log.info("a watched question is asked later: %s", error.code)
                return
        log.info("a watched question is asked again: watch %s, attempt %d", watch.id, watch.attempt + 1)
    await watches.note_asked(actor, watch)
