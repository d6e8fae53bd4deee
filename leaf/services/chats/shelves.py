"""Shelves of the chat list: pinning, archiving, moving to projects and marking as read.

Each function takes several chats at once. Chats of others are skipped. If no chat is left, it raises errors.NotFound.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services.chats.lists import require_project

MOST_AT_ONCE = 500
MOST_PINNED = 100


async def pin(actor: Actor, chat_ids: Sequence[UUID], pinned: bool) -> None:
    """Pins chats to the top of the member's list, or unpins them; a pinned chat is no longer archived.

    Raises:
        errors.Invalid: More than 500 at once, or more than 100 would be pinned.
        errors.NotFound: The member takes part in none of the chats.
    """
    values: dict[str, Any] = {"pinned_at": func.now() if pinned else None}
    async with transaction(actor) as tx:
        await _change(tx, chat_ids, values | ({"archived_at": None} if pinned else {}))
        if pinned:
            mine = col(models.ChatParticipant.user_id) == actor.user_id, col(models.ChatParticipant.listed)
            count = select(func.count()).where(*mine, col(models.ChatParticipant.pinned_at).is_not(None))
            if (await tx.session.exec(count)).one() > MOST_PINNED:
                raise errors.Invalid(texts.english("errors.most_pinned", most=MOST_PINNED), field="chats")


async def archive(actor: Actor, chat_ids: Sequence[UUID], archived: bool) -> None:
    """Archives chats of the member's list, or restores them; an archived chat is no longer pinned.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The member takes part in none of the chats.
    """
    values: dict[str, Any] = {"archived_at": func.now() if archived else None}
    async with transaction(actor) as tx:
        await _change(tx, chat_ids, values | ({"pinned_at": None} if archived else {}))


async def move(actor: Actor, chat_ids: Sequence[UUID], project_id: UUID | None) -> None:
    """Moves chats into a project of the member, or out of their projects. The chats keep their scopes.

    Args:
        actor: The member.
        chat_ids: The chats.
        project_id: The project; None to take the chats out of their projects.

    Raises:
        errors.Invalid: More than 500 at once.
        errors.NotFound: The project is not the member's, or the member takes part in none of the chats.
    """
    async with transaction(actor) as tx:
        if project_id is not None:
            await require_project(tx, project_id)
        await _change(tx, chat_ids, {"project_id": project_id})
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
        await _change(tx, [chat_id], {"read_at": func.greatest(models.ChatParticipant.read_at, answered)})


async def _change(tx: Transaction, chat_ids: Sequence[UUID], values: dict[str, Any]) -> None:
    """Sets values in the member's own participant rows of the chats."""
    require_few(chat_ids)
    actor = tx.actor
    mine = col(models.ChatParticipant.user_id) == actor.user_id
    statement = sqlalchemy.update(models.ChatParticipant).where(
        mine, col(models.ChatParticipant.chat_session_id).in_(chat_ids)
    )
    errors.found((await tx.session.exec(statement.values(values))).rowcount, "chat")
    # A watch shows whether its answer was read, and whether its chat is archived.
    watched = select(models.Watch.id).where(
        col(models.Watch.user_id) == actor.user_id, col(models.Watch.chat_session_id).in_(chat_ids)
    )
    is_watched = (await tx.session.exec(watched.limit(1))).first() is not None
    topic = events.user if is_watched else events.chats_of
    tx.after_commit(events.publish, [topic(actor.member_id)])


def require_few(chat_ids: Sequence[UUID]) -> None:
    """Limits the number of chats of one call.

    Raises:
        errors.Invalid: More than 500 at once.
    """
    if len(chat_ids) > MOST_AT_ONCE:
        raise errors.Invalid(texts.english("errors.most_at_once", most=MOST_AT_ONCE), field="chats")
