"""Making, renaming and deleting chats."""

import asyncio
import logging
from uuid import UUID

import sqlalchemy
from sqlalchemy import exists, text
from sqlmodel import col, select

from leaf import errors, events, streams, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.reading import find

log = logging.getLogger(__name__)

TITLE_CHARACTERS = 120
_CLEANING_SECONDS = 2
"""Nobody waits longer than this for a Redis that is away, only to have a chat deleted."""


async def new(actor: Actor) -> UUID:
    """A chat without messages: the person's empty one if there is one, so that no litter of empty chats grows.

    One that has files is none of these: somebody has uploaded them in order to ask about them.
    """
    if actor.user_id is None or actor.workspace_id is None:
        raise errors.Unauthenticated
    async with transaction(actor) as tx:
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
        await (await tx.session.connection()).execute(lock, {"key": f"leaf:new-chat:{actor.user_id}"})
        has_messages = exists().where(col(models.Message.chat_session_id) == col(models.ChatSession.id))
        has_files = exists().where(col(models.ChatFile.chat_session_id) == col(models.ChatSession.id))
        invites = exists().where(col(models.ChatInvitation.chat_session_id) == col(models.ChatSession.id))
        has_others = exists().where(
            col(models.ChatParticipant.chat_session_id) == col(models.ChatSession.id),
            col(models.ChatParticipant.user_id) != actor.user_id,
        )
        empty = select(models.ChatSession.id).where(
            ~has_messages,
            ~has_files,
            ~invites,
            ~has_others,
            col(models.ChatSession.created_by) == actor.user_id,
            col(models.ChatSession.workspace_id) == actor.workspace_id,
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
        errors.Invalid: The title is empty or too long.
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    title = " ".join(storable.text(title).split())
    if not 1 <= len(title) <= TITLE_CHARACTERS:
        raise errors.Invalid(f"A title has between 1 and {TITLE_CHARACTERS} characters.", field="title")
    async with transaction(actor) as tx:
        await find(tx, chat_id)
        # A new name is no activity: the chat keeps its place in the list.
        values = {"title": title, "title_source": "user", "updated_at": models.ChatSession.updated_at}
        await tx.session.exec(
            sqlalchemy.update(models.ChatSession).where(col(models.ChatSession.id) == chat_id).values(values)
        )
        _announce(tx, actor, chat_id)
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
            _announce(tx, actor, chat_id)
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
        _announce(tx, actor, chat_id)


async def delete(actor: Actor, chat_id: UUID) -> None:
    """Deletes a chat with its messages, and the streams of its runs; a run that is still going is stopped.

    Raises:
        errors.Forbidden: Somebody else began it: whoever takes part may leave it.
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    async with transaction(actor) as tx:
        if (await find(tx, chat_id, lock=True)).created_by != actor.user_id:
            raise errors.Forbidden(texts.english("sharing.refused_delete"))
        query = select(models.Message.workflow_run_id).where(
            col(models.Message.chat_session_id) == chat_id, col(models.Message.workflow_run_id).is_not(None)
        )
        runs = [run_id for run_id in (await tx.session.exec(query)).all() if run_id is not None]
        await tx.session.exec(sqlalchemy.delete(models.ChatSession).where(col(models.ChatSession.id) == chat_id))
        _announce(tx, actor, chat_id)
    try:
        async with asyncio.timeout(_CLEANING_SECONDS):
            for run_id in runs:
                await streams.request_stop(run_id)
                await streams.delete(run_id)
    except (errors.RedisUnavailable, TimeoutError):
        log.warning("the streams of a deleted chat could not be deleted; they expire within a day")


def _announce(tx: Transaction, actor: Actor, chat_id: UUID) -> None:
    if actor.user_id is not None:
        topics = [events.chat(chat_id), events.user(actor.user_id)]
        tx.after_commit(lambda: events.publish(topics))
