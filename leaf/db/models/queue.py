"""Messages that wait for the end of an answer."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKeyConstraint, Index
from sqlalchemy import Identity as IdentityColumn
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import Base, created, key, owner
from leaf.db.storable import StorableText


class QueuedMessage(Base, table=True):
    """A message that is sent when the answer that is being written in its chat has ended; seen by its writer alone."""

    __tablename__ = "queued_messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        ForeignKeyConstraint(
            ["chat_session_id", "user_id"],
            ["chat_participants.chat_session_id", "chat_participants.user_id"],
            name="queued_messages_participant_fkey",
            ondelete="CASCADE",
        ),
        Index(None, "chat_session_id", "position"),
    )

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    user_id: UUID = owner()
    parts: list[dict[str, Any]] = Field(sa_type=JSONB)
    """Those of the question that it becomes."""
    search_mode: str = Field(sa_type=StorableText)
    model_type: str = Field(sa_type=StorableText)
    problem: str | None = Field(default=None, sa_type=StorableText)
    """Why it could not be sent when its turn came (`budget`); it then waits for its writer, and others go first."""
    position: int = Field(default=None, sa_column=Column(BigInteger, IdentityColumn(always=True), nullable=False))
    """The order in which they are sent."""
    created_at: datetime = created()
