"""Shelves of the chat list: pinning, archiving, marking as read, deleting and restoring chats.

Each function takes several chats at once. Chats of others are skipped; if no chat is left, the error is NotFound.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, streams, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services.chats.lists import require_project
from leaf.services.chats.shapes import UNFINISHED

log = logging.getLogger(__name__)

MOST_AT_ONCE = 500
MOST_PINNED = 100
KEPT_FOR = timedelta(minutes=5)
"""Time within which a deletion can be undone."""
UNASKED_FOR = timedelta(days=7)
"""Time for which files are kept in a chat in which nobody has asked anything."""
_PURGED_AT_ONCE = 100
_CLEANING_SECONDS = 2
"""Deleting chats waits at most this long for an unreachable Redis."""


async def pin(actor: Actor, chat_ids: Sequence[UUID], pinned: bool) -> None:
    """Pins chats to the top of the member's list, or unpins them; a pinned chat is no longer archived.

    Raises:
        errors.Invalid: More than 500 at once, or more than 100 would be pinned.
        errors.NotFound: The member takes part in no chat of them.
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
    """Archives chats of the member's list, or restores them; an archived chat is no longer pinned.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The member takes part in no chat of them.
    """
    values: dict[str, Any] = {"archived_at": func.now() if archived else None}
    async with transaction(actor) as tx:
        await _change(tx, actor, chat_ids, values | ({"pinned_at": None} if archived else {}))


async def move(actor: Actor, chat_ids: Sequence[UUID], project_id: UUID | None) -> None:
    """Puts chats into a project of the member's, or takes them out of theirs. The chats keep their scopes.

    Args:
        actor: The member.
        chat_ids: The chats.
        project_id: The project; None for none.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The project is not the member's, or the member takes part in no chat of them.
    """
    async with transaction(actor) as tx:
        if project_id is not None:
            await require_project(tx, project_id)
        await _change(tx, actor, chat_ids, {"project_id": project_id})
        tx.after_commit(events.publish, [events.chat(chat_id) for chat_id in chat_ids])


async def mark_read(actor: Actor, chat_id: UUID) -> None:
    """Marks a chat as read up to its latest answer.

    Raises:
        errors.NotFound: The chat does not exist, or the member does not take part in it.
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
    """The result of deleting chats."""

    deleted: list[UUID]
    others: int
    """Number of chats that stay because another participant created them."""


async def delete(actor: Actor, *chat_ids: UUID) -> Deletion:
    """Deletes chats that the member created: they disappear for all participants at once, and running answers stop.

    The member may undo this for five minutes (`restore`); then `purge` removes everything that belongs to the chats.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The member takes part in no chat of them.
        errors.Forbidden: Others created all of these chats; a participant can leave them instead.
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
        deleted = [*(await tx.call("leaf_delete_chats", own)).scalars()]
        if not deleted:
            raise errors.NotFound("chat")
        tx.after_commit(events.publish, topics)
    await _clean(runs)
    return Deletion(deleted, len(began) - len(own))


async def restore(actor: Actor, chat_ids: Sequence[UUID]) -> list[UUID]:
    """Undoes the member's own deletions and returns the restored chats.

    An answer that the deletion interrupted is written again.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The deletion of none of these chats can be undone.
    """
    _few(chat_ids)
    async with transaction(actor) as tx:
        restored = [*(await tx.call("leaf_restore_chats", [*chat_ids])).scalars()]
        if not restored:
            raise errors.NotFound("chat")
        topics = await _topics(tx, restored)
        tx.after_commit(events.publish, topics)
    return restored


async def purge(older_than: timedelta = KEPT_FOR) -> int:
    """Removes chats for good that were deleted that long ago, with their messages, files and keys of runs in Redis.

    Returns:
        The number of removed chats.

    Raises:
        errors.RedisUnavailable: Redis does not answer: keys would stay behind.
    """
    count = 0
    while True:
        async with transaction(Actor.system(), read_only=True) as tx:
            due = (await tx.call("leaf_deleted_runs", older_than, _PURGED_AT_ONCE)).all()
        for row in due:
            for run_id in row.run_ids:
                await streams.delete(run_id)
            async with transaction(Actor.system()) as tx:
                await tx.call("leaf_purge_chat", row.chat_session_id, older_than)
            count += 1
        if len(due) < _PURGED_AT_ONCE:
            return count


async def delete_unasked() -> int:
    """Deletes chats in which nobody has asked anything, with the files that were put into them a week ago or earlier.

    Returns:
        The number of deleted chats.
    """
    count = 0
    while True:
        async with transaction(Actor.system()) as tx:
            deleted = int((await tx.call("leaf_delete_unasked_chats", UNASKED_FOR, _PURGED_AT_ONCE)).scalar_one())
        count += deleted
        if deleted < _PURGED_AT_ONCE:
            return count


async def _change(tx: Transaction, actor: Actor, chat_ids: Sequence[UUID], values: dict[str, Any]) -> None:
    """Changes the member's own rows of chats."""
    _few(chat_ids)
    mine = col(models.ChatParticipant.user_id) == actor.user_id
    statement = sqlalchemy.update(models.ChatParticipant).where(
        mine, col(models.ChatParticipant.chat_session_id).in_(chat_ids)
    )
    if not (await tx.session.exec(statement.values(values))).rowcount:
        raise errors.NotFound("chat")
    # A watch shows whether its answer was read, and whether its chat is archived.
    watched = select(models.Watch.id).where(
        col(models.Watch.user_id) == actor.user_id, col(models.Watch.chat_session_id).in_(chat_ids)
    )
    is_watched = (await tx.session.exec(watched.limit(1))).first() is not None
    topic = events.user if is_watched else events.chats_of
    tx.after_commit(events.publish, [topic(actor.member_id)])


async def _topics(tx: Transaction, chat_ids: Sequence[UUID]) -> list[str]:
    """The topics of notices for all participants of chats."""
    participants = select(models.ChatParticipant.user_id).where(
        col(models.ChatParticipant.chat_session_id).in_(chat_ids)
    )
    people = {*(await tx.session.exec(participants)).all()}
    return [*(events.chat(chat_id) for chat_id in chat_ids), *(events.user(user_id) for user_id in people)]


def _few(chat_ids: Sequence[UUID]) -> None:
    if len(chat_ids) > MOST_AT_ONCE:
        raise errors.Invalid(texts.english("errors.most_at_once", most=MOST_AT_ONCE), field="chats")


async def _clean(runs: Sequence[UUID]) -> None:
    """Stops runs and deletes their streams, which ends the connections of their readers."""
    try:
        async with asyncio.timeout(_CLEANING_SECONDS):
            for run_id in runs:
                await streams.request_stop(run_id)
                await streams.delete(run_id)
    except (errors.RedisUnavailable, TimeoutError):
        log.warning("the streams of a deleted chat could not be deleted; they expire within a day")
