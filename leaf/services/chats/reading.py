"""Opening chats."""

from uuid import UUID

from sqlalchemy import exists
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.shapes import Chat, Summary, message_of, title_of


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
