"""The stored summaries of a chat, for tests."""

from collections.abc import Sequence
from uuid import UUID

from sqlmodel import col, select

from leaf.db import Actor, models, transaction


async def stored_summaries(actor: Actor, chat_id: UUID) -> Sequence[models.ChatSummary]:
    """The summaries of a chat with their usage, the oldest first."""
    query = select(models.ChatSummary).where(col(models.ChatSummary.chat_session_id) == chat_id)
    async with transaction(actor, read_only=True) as tx:
        return (await tx.session.exec(query.order_by(col(models.ChatSummary.created_at)))).all()
