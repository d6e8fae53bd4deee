"""Summaries of earlier turns. A run makes a summary if its model cannot take all turns, and the chat shows it."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts.summaries import Summary
from leaf.services import chats, usage


async def keep(actor: Actor, chat_id: UUID, summary: Summary) -> None:
    """Stores a summary of a chat, made in a run of a participant, and its usage. An existing summary stays.

    Raises:
        errors.NotFound: The chat does not exist for this member.
    """
    row = {**vars(summary), "text": storable.text(summary.text), "chat_session_id": chat_id, "user_id": actor.user_id}
    async with transaction(actor) as tx:
        await chats.find(tx, chat_id)
        await tx.session.exec(insert(models.ChatSummary).values(row).on_conflict_do_nothing())
        if summary.model is not None:
            # Each summary was a request of its own, even if another worker has stored one before.
            made = usage.Entry(
                uuid4(), "summary", summary.model, input_tokens=summary.input_tokens,
                output_tokens=summary.output_tokens, cost_usd=summary.cost_usd,
            )  # fmt: skip
            await usage.enter(tx, actor, made, chat_id=chat_id, message_id=summary.message_id)


async def newest(tx: Transaction, chat: models.ChatSession, path: Sequence[UUID]) -> Summary | None:
    """The newest summary of turns along a path; None if there is none.

    Args:
        tx: A transaction of a participant.
        chat: The chat, as found by the transaction's actor.
        path: Ids of messages from the beginning of the chat. A summary that ends elsewhere belongs to another branch.
    """
    query = (
        select(models.ChatSummary)
        .join(models.Message, col(models.Message.id) == col(models.ChatSummary.message_id))
        .where(col(models.ChatSummary.chat_session_id) == chat.id, chats.among(path))
        .order_by(col(models.Message.position).desc())
        .limit(1)
    )
    found = (await tx.session.exec(query)).first()
    return Summary(found.message_id, found.text) if found is not None else None


async def times(tx: Transaction, chat_id: UUID) -> dict[UUID, datetime]:
    """The times at which a chat's summaries were made, by the id of the last answer that each covers."""
    query = select(models.ChatSummary.message_id, models.ChatSummary.created_at).where(
        col(models.ChatSummary.chat_session_id) == chat_id
    )
    return dict((await tx.session.exec(query)).all())
