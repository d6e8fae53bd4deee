"""What people do with chats in their lists: pinning, archiving, reading; deleting, and taking that back.

Each takes several chats at once. Those that the person has no part in are left out; where nothing is left, the chat is
not found.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import func, text
from sqlmodel import col, select

from leaf import errors, streams, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services.chats.shapes import UNFINISHED

log = logging.getLogger(__name__)

MOST_AT_ONCE = 500
MOST_PINNED = 100
KEPT_FOR = timedelta(minutes=5)
"""How long a deletion can be taken back."""
_PURGED_AT_ONCE = 100
_CLEANING_SECONDS = 2
"""Nobody waits longer than this for a Redis that is away, only to have chats deleted."""


async def pin(actor: Actor, chat_ids: Sequence[UUID], pinned: bool) -> None:
    """Keeps chats at the top of the person's list, or no longer; what is pinned is not archived any more.

    Raises:
        errors.Invalid: More than 500 at once, or more than 100 would be pinned.
        errors.NotFound: None of them is there.
    """
    values: dict[str, Any] = {"pinned_at": func.now() if pinned else None}
    async with transaction(actor) as tx:
        await _change(tx, actor, chat_ids, values | ({"archived_at": None} if pinned else {}))
        if pinned:
            mine = col(models.ChatParticipant.user_id) == actor.user_id, col(models.ChatParticipant.listed)
            count = select(func.count()).where(*mine, col(models.ChatParticipant.pinned_at).is_not(None))
            if (await tx.session.exec(count)).one() > MOST_PINNED:
                raise errors.Invalid(texts.english("errors.most_pinned", most=MOST_PINNED), field="chats")


async def archive(actor: Actor, chat_ids: Sequence[UUID], archived: bool) -> None:
    """Takes chats out of the person's list, or back into it; an archived one is pinned no more.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: None of them is there.
    """
    values: dict[str, Any] = {"archived_at": func.now() if archived else None}
    async with transaction(actor) as tx:
        await _change(tx, actor, chat_ids, values | ({"pinned_at": None} if archived else {}))


async def mark_read(actor: Actor, chat_id: UUID) -> None:
    """Says that the person has seen what stands in a chat now.

    Raises:
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    answered = (
        sqlalchemy.select(col(models.ChatSession.answered_at))
        .where(col(models.ChatSession.id) == chat_id)
        .scalar_subquery()
    )
    async with transaction(actor) as tx:
        await _change(tx, actor, [chat_id], {"read_at": func.greatest(models.ChatParticipant.read_at, answered)})


@dataclass(frozen=True)
class Deletion:
    """What became of chats that were to be deleted."""

    deleted: list[UUID]
    others: int
    """How many stay because somebody else began them."""


async def delete(actor: Actor, *chat_ids: UUID) -> Deletion:
    """Deletes chats that the person began: at once nobody sees them any more, and what is being written is stopped.

    For five minutes the person may take it back (`restore`); then `purge` removes all that belongs to them.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: None of them is there.
        errors.Forbidden: Others began all that are there: whoever takes part may leave them.
    """
    _few(chat_ids)
    async with transaction(actor) as tx:
        there = select(models.ChatSession.id, models.ChatSession.created_by).where(
            col(models.ChatSession.id).in_(chat_ids)
        )
        began = {row[0]: row[1] for row in (await tx.session.exec(there)).all()}
        own = [chat_id for chat_id, by in began.items() if by == actor.user_id]
        if began and not own:
            raise errors.Forbidden(texts.english("sharing.refused_delete"))
        topics = await _topics(tx, own)
        query = select(models.Message.workflow_run_id).where(
            col(models.Message.chat_session_id).in_(own), col(models.Message.status).in_(UNFINISHED)
        )
        runs = [run_id for run_id in (await tx.session.exec(query)).all() if run_id is not None]
        deleted = await _call(tx, "leaf_delete_chats", own)
        if not deleted:
            raise errors.NotFound("chat")
        tx.after_commit(lambda: events.publish(topics))
    await _clean(runs)
    return Deletion(deleted, len(began) - len(own))


async def restore(actor: Actor, chat_ids: Sequence[UUID]) -> list[UUID]:
    """Takes back deletions of the person's own; gives the chats that are there again.

    An answer that the deletion has cut off is written anew.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: None of them can be taken back.
    """
    _few(chat_ids)
    async with transaction(actor) as tx:
        restored = await _call(tx, "leaf_restore_chats", chat_ids)
        if not restored:
            raise errors.NotFound("chat")
        topics = await _topics(tx, restored)
        tx.after_commit(lambda: events.publish(topics))
    return restored


async def purge(older_than: timedelta = KEPT_FOR) -> int:
    """Removes for good what was deleted so long ago, with its messages, its files and the keys of its runs.

    Returns:
        How many chats are gone.

    Raises:
        errors.RedisUnavailable: Redis does not answer: keys would stay behind.
    """
    count = 0
    while True:
        async with transaction(Actor.system(), read_only=True) as tx:
            statement = text("SELECT chat_session_id, run_ids FROM leaf_deleted_runs(:older_than, :most)")
            values = {"older_than": older_than, "most": _PURGED_AT_ONCE}
            due = (await (await tx.session.connection()).execute(statement, values)).all()
        for chat_id, run_ids in due:
            for run_id in run_ids:
                await streams.delete(run_id)
            async with transaction(Actor.system()) as tx:
                statement = text("SELECT leaf_purge_chat(:chat, :older_than)")
                await (await tx.session.connection()).execute(statement, {"chat": chat_id, "older_than": older_than})
            count += 1
        if len(due) < _PURGED_AT_ONCE:
            return count


async def _change(tx: Transaction, actor: Actor, chat_ids: Sequence[UUID], values: dict[str, Any]) -> None:
    """Changes the person's own rows of chats."""
    _few(chat_ids)
    mine = col(models.ChatParticipant.user_id) == actor.user_id
    statement = sqlalchemy.update(models.ChatParticipant).where(
        mine, col(models.ChatParticipant.chat_session_id).in_(chat_ids)
    )
    if not (await tx.session.exec(statement.values(values))).rowcount:
        raise errors.NotFound("chat")
    if actor.user_id is not None:
        topic = events.user(actor.user_id)
        tx.after_commit(lambda: events.publish([topic]))


async def _topics(tx: Transaction, chat_ids: Sequence[UUID]) -> list[str]:
    """The notices for all who take part in chats."""
    participants = select(models.ChatParticipant.user_id).where(
        col(models.ChatParticipant.chat_session_id).in_(chat_ids)
    )
    people = {*(await tx.session.exec(participants)).all()}
    return [*(events.chat(chat_id) for chat_id in chat_ids), *(events.user(user_id) for user_id in people)]


async def _call(tx: Transaction, function: str, chat_ids: Sequence[UUID]) -> list[UUID]:
    statement = text(f"SELECT {function}(:chats)")
    found = await (await tx.session.connection()).execute(statement, {"chats": [*chat_ids]})
    return [*found.scalars().all()]


def _few(chat_ids: Sequence[UUID]) -> None:
    if len(chat_ids) > MOST_AT_ONCE:
        raise errors.Invalid(texts.english("errors.most_at_once", most=MOST_AT_ONCE), field="chats")


async def _clean(runs: Sequence[UUID]) -> None:
    """Ends what is being written, and those who read it."""
    try:
        async with asyncio.timeout(_CLEANING_SECONDS):
            for run_id in runs:
                await streams.request_stop(run_id)
                await streams.delete(run_id)
    except (errors.RedisUnavailable, TimeoutError):
        log.warning("the streams of a deleted chat could not be deleted; they go with it, or expire within a day")
