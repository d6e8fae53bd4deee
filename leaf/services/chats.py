"""Chats: making, listing, opening, renaming and deleting them. A chat is its participants' alone."""

import asyncio
import logging
from datetime import datetime
from uuid import UUID

import sqlalchemy
from sqlalchemy import exists, text
from sqlmodel import col, select

from leaf import errors, events, streams
from leaf.db import models, storable
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import models as model_service
from leaf.services.conversations import UNFINISHED, Chat, ChatRow, Message, Summary

log = logging.getLogger(__name__)

TITLE_CHARACTERS = 120
_CLEANING_SECONDS = 2
"""Nobody waits longer than this for a Redis that is away, only to have a chat deleted."""


async def recent(actor: Actor, *, limit: int = 50, before: datetime | None = None) -> list[ChatRow]:
    """The person's chats that have messages or files, the last active first.

    Args:
        actor: The person.
        limit: At most so many, 1-200.
        before: Only chats whose last activity lies before this, for the next page.
    """
    async with transaction(actor, read_only=True) as tx:
        return await list_recent(tx, limit=limit, before=before)


async def list_recent(tx: Transaction, *, limit: int, before: datetime | None = None) -> list[ChatRow]:
    """The chats of the transaction's actor (`recent`)."""
    has_messages = exists().where(col(models.Message.chat_session_id) == col(models.ChatSession.id))
    has_files = exists().where(col(models.ChatFile.chat_session_id) == col(models.ChatSession.id))
    running = has_messages.where(col(models.Message.status).in_(UNFINISHED))
    waiting = has_messages.where(col(models.Message.status) == MessageStatus.WAITING)
    query = (
        select(models.ChatSession, running.label("running"), waiting.label("waiting"))
        .where(has_messages | has_files)
        .order_by(col(models.ChatSession.updated_at).desc(), col(models.ChatSession.id))
        .limit(max(1, min(limit, 200)))
    )
    if before is not None:
        query = query.where(col(models.ChatSession.updated_at) < before)
    rows = (await tx.session.exec(query)).all()
    return [
        ChatRow(chat.id, title_of(chat), chat.updated_at, bool(is_running), bool(waits))
        for chat, is_running, waits in rows
    ]


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
        empty = select(models.ChatSession.id).where(
            ~has_messages,
            ~has_files,
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


async def open(actor: Actor, chat_id: UUID, *, known: Chat | None = None) -> Chat:  # noqa: A001 - read as chats.open
    """A chat with its messages, from the database alone.

    Args:
        actor: A participant.
        chat_id: The chat.
        known: How the chat was before (`read`).

    Raises:
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    async with transaction(actor, read_only=True) as tx:
        return await read(tx, chat_id, known=known)


async def read(tx: Transaction, chat_id: UUID, *, known: Chat | None = None) -> Chat:
    """A chat with its messages, as the transaction's actor may see it.

    Args:
        tx: A transaction of a participant.
        chat_id: The chat.
        known: How the chat was before. Messages that have not changed since are taken from it, as the same objects, so
            that looking again does not cost more in a long chat.

    Raises:
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    kept = {message.id: message for message in known.messages} if known is not None and known.id == chat_id else {}
    in_chat = col(models.Message.chat_session_id) == chat_id
    chat = await find(tx, chat_id)
    summarised = exists().where(col(models.ChatSummary.message_id) == col(models.Message.id))
    order = select(models.Message.id, models.Message.updated_at, summarised).where(in_chat)
    found = (await tx.session.exec(order.order_by(col(models.Message.position)))).all()
    changed = [key for key, at, _ in found if key not in kept or kept[key].updated_at != at]
    if changed:
        # A few are asked for by name; nearly all of them all together.
        query = select(models.Message).where(in_chat)
        if len(changed) < len(found):
            query = query.where(col(models.Message.id).in_(changed))
        kept |= {row.id: message_of(row) for row in (await tx.session.exec(query)).all()}
    if any(key not in kept for key, _, _ in found):
        # Deleted between the two queries.
        raise errors.NotFound("chat")
    last = next((key for key, _, is_summarised in reversed(found) if is_summarised), None)
    summary = await _summary(tx, last, known) if last is not None else None
    messages = [kept[key] for key, _, _ in found]
    return Chat(chat.id, title_of(chat), chat.used_drive, messages, chat.approvals, summary)


async def _summary(tx: Transaction, message_id: UUID, known: Chat | None) -> Summary | None:
    """The summary that ends with an answer; it never changes."""
    if known is not None and known.summary is not None and known.summary.message_id == message_id:
        return known.summary
    query = select(models.ChatSummary.text).where(col(models.ChatSummary.message_id) == message_id)
    text_of = (await tx.session.exec(query)).one_or_none()
    return Summary(message_id, text_of) if text_of is not None else None


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
        errors.NotFound: It does not exist, or the person takes no part in it.
    """
    async with transaction(actor) as tx:
        await find(tx, chat_id, lock=True)
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


async def find(tx: Transaction, chat_id: UUID, *, lock: bool = False) -> models.ChatSession:
    """The row of a chat that the transaction's actor takes part in.

    Raises:
        errors.NotFound: There is none.
    """
    query = select(models.ChatSession).where(col(models.ChatSession.id) == chat_id)
    chat = (await tx.session.exec(query.with_for_update() if lock else query)).one_or_none()
    if chat is None:
        raise errors.NotFound("chat")
    return chat


def message_of(row: models.Message) -> Message:
    """A stored message as the pages and the API show it."""
    return Message(
        id=row.id,
        role=row.role.value,
        status=row.status.value,
        parts=row.parts,
        created_at=row.created_at,
        updated_at=row.updated_at,
        run_id=row.workflow_run_id,
        error_code=row.error_code,
        error_text=row.error_text,
        model_label=model_service.label_of(row.model) if row.model else None,
        details=row.details,
        user_id=row.user_id,
        answers=row.answers or {},
    )


def title_of(chat: models.ChatSession) -> str:
    """What a chat is called; one without messages has no title yet."""
    return chat.title or "New chat"


def _announce(tx: Transaction, actor: Actor, chat_id: UUID) -> None:
    if actor.user_id is not None:
        topics = [events.chat(chat_id), events.user(actor.user_id)]
        tx.after_commit(lambda: events.publish(topics))
