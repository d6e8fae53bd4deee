"""Summaries of earlier turns. A run makes one if its model cannot take all turns, and the chat shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID, uuid4

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import chats, usage
from leaf.services.chats import Summary


@dataclass(frozen=True)
class Spent:
    """Usage of one summary. `cost_usd` is None if the price is unknown."""

    message_id: UUID
    model: str | None
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True)
class ChatSummaries:
    """The summaries of one chat, for the run of a participant (`leaf.agent.context.SummaryStore`)."""

    actor: Actor
    chat_id: UUID

    async def keep(
        self,
        message_id: UUID,
        text: str,
        *,
        model: str | None,
        input_tokens: int,
        output_tokens: int,
        cost_usd: Decimal | None,
    ) -> None:
        """Stores the summary of the turns up to an answer, and its usage. An existing summary stays.

        Raises:
            errors.NotFound: The chat does not exist for this member.
        """
        row = {
            "chat_session_id": self.chat_id,
            "message_id": message_id,
            "user_id": self.actor.user_id,
            "text": storable.text(text),
            "model": model,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "cost_usd": cost_usd,
        }
        async with transaction(self.actor) as tx:
            await chats.find(tx, self.chat_id)
            await tx.session.exec(insert(models.ChatSummary).values(row).on_conflict_do_nothing())
            if model is not None:
                # Each summary was a separate request, also the second of a run, or if another worker was faster.
                made = usage.Entry(
                    uuid4(), "summary", model, input_tokens=input_tokens, output_tokens=output_tokens, cost_usd=cost_usd
                )
                await usage.enter(tx, self.actor, made, chat_id=self.chat_id, message_id=message_id)


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


async def spent(actor: Actor, chat_id: UUID) -> list[Spent]:
    """The usage of a chat's summaries, the oldest first.

    Raises:
        errors.NotFound: The chat does not exist for this member.
    """
    async with transaction(actor, read_only=True) as tx:
        await chats.find(tx, chat_id)
        query = (
            select(models.ChatSummary)
            .where(col(models.ChatSummary.chat_session_id) == chat_id)
            .order_by(col(models.ChatSummary.created_at))
        )
        rows = (await tx.session.exec(query)).all()
    return [Spent(row.message_id, row.model, row.input_tokens, row.output_tokens, row.cost_usd) for row in rows]
