"""Making and renaming chats."""

from uuid import UUID

import sqlalchemy
from sqlalchemy import exists, text
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services.chats.paths import find

TITLE_CHARACTERS = 120


async def new(actor: Actor) -> UUID:
    """A chat without messages: the person's empty one if there is one, so that no litter of empty chats grows.

    One that has files is none of these: somebody has uploaded them in order to ask about them.
    """
    if actor.user_id is None or actor.workspace_id is None:
        raise errors.Unauthenticated
    async with transaction(actor) as tx:
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
        await (await tx.session.connection()).execute(lock, {"key": f"leaf:new-chat:{actor.user_id}"})
        invites = exists().where(col(models.ChatInvitation.chat_session_id) == col(models.ChatSession.id))
        others = aliased(models.ChatParticipant)
        has_others = exists().where(
            col(others.chat_session_id) == col(models.ChatSession.id), col(others.user_id) != actor.user_id
        )
        empty = (
            select(models.ChatSession.id)
            .join(models.ChatParticipant, col(models.ChatParticipant.chat_session_id) == col(models.ChatSession.id))
            .where(
                ~col(models.ChatParticipant.listed),
                col(models.ChatParticipant.user_id) == actor.user_id,
                ~col(models.ChatSession.begun),
                ~invites,
                ~has_others,
                col(models.ChatSession.created_by) == actor.user_id,
                col(models.ChatSession.workspace_id) == actor.workspace_id,
            )
        )
        found = (await tx.session.exec(empty.limit(1))).first()
        if found is not None:
            return found
        chat = models.ChatSession(workspace_id=actor.workspace_id, created_by=actor.user_id)
        tx.session.add(chat)
        await tx.session.flush()
        tx.session.add(models.ChatParticipant(chat_session_id=chat.id, user_id=actor.user_id))
    return chat.id


async def rename(actor: Actor, chat_id: UUID, title: str) -> str:
    """Gives a chat a title; returns it as stored.

    Args:
        actor: A participant.
        chat_id: The chat.
        title: 1-120 characters; blanks at its ends are dropped.

    Raises:
        errors.Invalid: The title is too long, or there is nothing to see of it.
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    title = " ".join(storable.text(title).split())
    # Signs without a width alone are a name that nobody can see.
    if not 1 <= len(title) <= TITLE_CHARACTERS or not any(map(str.isprintable, title.replace(" ", ""))):
        raise errors.Invalid(texts.english("errors.title_length", most=TITLE_CHARACTERS), field="title")
    async with transaction(actor) as tx:
        await find(tx, chat_id)
        # A new name is no activity: the chat keeps its place in the list.
        values = {"title": title, "title_source": "user", "updated_at": models.ChatSession.updated_at}
        await tx.session.exec(
            sqlalchemy.update(models.ChatSession).where(col(models.ChatSession.id) == chat_id).values(values)
        )
        await _announce(tx, chat_id)
    return title


async def entitle(actor: Actor, chat_id: UUID, title: str) -> bool:
    """Gives a chat the title that a model has written; a name that a person gave stays.

    Returns:
        Whether it has the title now.
    """
    kept = storable.text(" ".join(title.split()))[:TITLE_CHARACTERS]
    async with transaction(actor) as tx:
        values = {"title": kept, "title_source": "model", "updated_at": models.ChatSession.updated_at}
        in_place = (col(models.ChatSession.id) == chat_id, col(models.ChatSession.title_source) == "question")
        changed = await tx.session.exec(sqlalchemy.update(models.ChatSession).where(*in_place).values(values))
        if changed.rowcount:
            await _announce(tx, chat_id)
    return bool(changed.rowcount)


async def set_approvals(actor: Actor, chat_id: UUID, asks: bool) -> None:
    """Has a chat ask before an answer could send out what it has read, or not; what is being written is not concerned.

    Raises:
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    async with transaction(actor) as tx:
        await find(tx, chat_id)
        values = {"approvals": asks, "updated_at": models.ChatSession.updated_at}
        await tx.session.exec(
            sqlalchemy.update(models.ChatSession).where(col(models.ChatSession.id) == chat_id).values(values)
        )
        await _announce(tx, chat_id)


async def _announce(tx: Transaction, chat_id: UUID) -> None:
    """Tells the pages and the lists of all who take part."""
    query = select(models.ChatParticipant.user_id).where(col(models.ChatParticipant.chat_session_id) == chat_id)
    people = (await tx.session.exec(query)).all()
    topics = [events.chat(chat_id), *(events.user(user_id) for user_id in people)]
    tx.after_commit(lambda: events.publish(topics))
