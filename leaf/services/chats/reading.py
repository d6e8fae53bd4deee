"""Listing and opening chats."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import exists, text
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.shapes import UNFINISHED, Chat, ChatRow, Summary, message_of, title_of


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
    people = await _people(tx, chat_id)
    return Chat(chat.id, title_of(chat), chat.used_drive, messages, chat.approvals, people=people, summary=summary)


async def _people(tx: Transaction, chat_id: UUID) -> dict[UUID, str]:
    """Who takes part, who began the chat first."""
    query = text("SELECT user_id, name FROM leaf_participants(:chat)")
    found = await (await tx.session.connection()).execute(query, {"chat": chat_id})
    return {row.user_id: row.name for row in found}


async def _summary(tx: Transaction, message_id: UUID, known: Chat | None) -> Summary | None:
    """The summary that ends with an answer; it never changes."""
    if known is not None and known.summary is not None and known.summary.message_id == message_id:
        return known.summary
    query = select(models.ChatSummary.text).where(col(models.ChatSummary.message_id) == message_id)
    text_of = (await tx.session.exec(query)).one_or_none()
    return Summary(message_id, text_of) if text_of is not None else None


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
