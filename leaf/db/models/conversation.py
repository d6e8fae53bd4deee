"""Chats and what is said in them."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    Numeric,
    UniqueConstraint,
    text,
)
from sqlalchemy import Identity as IdentityColumn
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import Base, MessageRole, MessageStatus, created, enum, key, owner, updated
from leaf.db.storable import StorableString, StorableText


class ChatSession(Base, table=True):
    """A conversation, seen by its participants alone."""

    __tablename__ = "chat_sessions"
    __table_args__ = (Index("chat_sessions_workspace_id_updated_at_idx", "workspace_id", text("updated_at DESC")),)

    id: UUID = key()
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    created_by: UUID = owner()
    title: str | None = Field(default=None, sa_type=StorableString(255))
    title_source: str = Field(
        default="question", sa_type=StorableText, sa_column_kwargs={"server_default": text("'question'")}
    )
    """question (its first words), model, or user."""
    used_drive: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether an answer in it has read from Drive."""
    approvals: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    """Whether its people are asked before an answer could send out what it has read."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class ChatParticipant(Base, table=True):
    """Who takes part in a chat. Its creator adds themselves, in the transaction that makes the chat."""

    __tablename__ = "chat_participants"

    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    joined_at: datetime = created()


class Message(Base, table=True):
    """A question or an answer. An answer's row exists before its run starts and is finished by one UPDATE."""

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        CheckConstraint("jsonb_typeof(metadata) = 'object'", name="metadata"),
        CheckConstraint("role <> 'assistant' OR workflow_run_id IS NOT NULL", name="run"),
        Index(None, "chat_session_id", "position"),
        Index("messages_unfinished_idx", "created_at", postgresql_where=text("status IN ('pending', 'streaming')")),
        Index("messages_failed_idx", "updated_at", postgresql_where=text("status = 'error'")),
    )

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    role: MessageRole = Field(sa_type=enum(MessageRole, "message_role"))
    parts: list[dict[str, Any]] = Field(
        default_factory=list, sa_type=JSONB, sa_column_kwargs={"server_default": text("'[]'::jsonb")}
    )
    """AI SDK UIMessage parts: the full record of what is shown."""
    details: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column("metadata", JSONB, nullable=False, server_default=text("'{}'::jsonb"))
    )
    """The column `metadata`, a name that SQLAlchemy keeps for itself."""
    status: MessageStatus = Field(
        default=MessageStatus.COMPLETED,
        sa_type=enum(MessageStatus, "message_status"),
        sa_column_kwargs={"server_default": "completed"},
    )
    workflow_run_id: UUID | None = Field(default=None, unique=True)
    """The run that writes, or wrote, this answer."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """The asker, on both rows of a turn; none after that person is gone."""
    model: str | None = Field(default=None, sa_type=StorableText)
    """`provider:name` of the model that answered."""
    model_messages: list[dict[str, Any]] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The turn as pydantic-ai `ModelMessages`: what the model is sent on later turns."""
    answers: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """What the reader has answered to the calls that it waits for, by tool call id."""
    input_tokens: int | None = Field(default=None, sa_type=Integer)
    output_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_read_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_write_tokens: int | None = Field(default=None, sa_type=Integer)
    thinking_tokens: int | None = Field(default=None, sa_type=Integer)
    """Those of the output tokens that were thinking."""
    requests: int | None = Field(default=None, sa_type=Integer)
    """How often the model was asked."""
    duration_ms: int | None = Field(default=None, sa_type=Integer)
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    reserved_tokens: int | None = Field(default=None, sa_type=BigInteger)
    """What its run may use at most of the asker's budgets; none where no budget is set."""
    reserved_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    error_code: str | None = Field(default=None, sa_type=StorableText)
    error_text: str | None = Field(default=None, sa_type=StorableText)
    """What the reader is told."""
    position: int = Field(default=None, sa_column=Column(BigInteger, IdentityColumn(always=True), nullable=False))
    """The stable order within a chat; given by the database at the flush."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class ChatSummary(Base, table=True):
    """What stands for the turns of a chat up to an answer, for models that cannot be sent all of it."""

    __tablename__ = "chat_summaries"
    __table_args__ = (UniqueConstraint("message_id"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE")
    """The last answer that it covers: without that one there is no summary."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """In whose run it was made."""
    model: str | None = Field(default=None, sa_type=StorableText)
    """`provider:name` of the model that wrote it; none where it was put together without one."""
    input_tokens: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    output_tokens: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    created_at: datetime = created()
    text: str = Field(sa_type=StorableText)
