"""Chats and what is said in them."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    Numeric,
    UniqueConstraint,
    text,
)
from sqlalchemy import Identity as IdentityColumn
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, MessageRole, MessageStatus, created, enum, key, owner, updated
from leaf.db.storable import StorableString, StorableText


def _mark() -> Any:
    return Field(default=False, sa_column_kwargs={"server_default": text("false")})


class ChatSession(Base, table=True):
    """A conversation, seen by its participants alone."""

    __tablename__ = "chat_sessions"
    __table_args__ = (
        Index("chat_sessions_workspace_id_updated_at_idx", "workspace_id", text("updated_at DESC")),
        Index("chat_sessions_deleted_at_idx", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL")),
        Index("chat_sessions_deleted_by_idx", "deleted_by", postgresql_where=text("deleted_by IS NOT NULL")),
        CheckConstraint("imported_from IN ('leaf', 'chatgpt')", name="imported_from"),
        Index(
            "chat_sessions_imported_key_idx",
            "created_by",
            "imported_key",
            unique=True,
            postgresql_where=text("imported_key IS NOT NULL AND deleted_at IS NULL"),
        ),
    )

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
    begun: bool = _mark()
    """Whether anything is in it; this and the next three are kept by triggers."""
    running: bool = _mark()
    """Whether an answer is being written."""
    waiting: bool = _mark()
    """Whether an answer waits for its reader."""
    answered_at: datetime | None = Field(default=None, sa_type=TIME)
    """When an answer ended last."""
    deleted_at: datetime | None = Field(default=None, sa_type=TIME)
    """Nobody sees it from then on; the one who deleted it may take it back for a while."""
    deleted_by: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL")
    imported_from: str | None = Field(default=None, sa_type=StorableText)
    """leaf or chatgpt, where it comes from a file."""
    imported_key: str | None = Field(default=None, sa_type=StorableText)
    """What tells that the same chat is here already (`leaf.portable.digest`)."""
    created_at: datetime = created()
    updated_at: datetime = updated()


def _list_index(name: str, where: str) -> Index:
    columns = ("user_id", text("active_at DESC"), text("chat_session_id DESC"))
    return Index(f"chat_participants_{name}_idx", *columns, postgresql_where=text(where))


class ChatParticipant(Base, table=True):
    """Who takes part in a chat, and how it stands in their list. Its creator adds themselves, in the transaction that
    makes the chat.
    """

    __tablename__ = "chat_participants"
    __table_args__ = (
        ForeignKeyConstraint(
            ["chat_session_id", "branch_id"],
            ["messages.chat_session_id", "messages.id"],
            name="chat_participants_branch_id_fkey",
            ondelete="SET NULL (branch_id)",
        ),
        _list_index("chats", "listed AND archived_at IS NULL AND pinned_at IS NULL"),
        _list_index("pinned", "listed AND archived_at IS NULL AND pinned_at IS NOT NULL"),
        _list_index("archived", "listed AND archived_at IS NOT NULL"),
        Index("chat_participants_listed_idx", "user_id", text("active_at DESC"), postgresql_where=text("listed")),
        Index("chat_participants_changed_idx", "user_id", "changed_at"),
        Index("chat_participants_unlisted_idx", "user_id", postgresql_where=text("NOT listed")),
    )

    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    branch_id: UUID | None = None
    """Which branch they look at: the path to the newest message at or below this one; none for the newest of all."""
    joined_at: datetime = created()
    listed: bool = _mark()
    """Whether the chat has begun and is not deleted; kept by triggers, as the next two are."""
    active_at: datetime = created()
    """When something happened in the chat last."""
    changed_at: datetime = created()
    """When anything changed that a list shows."""
    pinned_at: datetime | None = Field(default=None, sa_type=TIME)
    archived_at: datetime | None = Field(default=None, sa_type=TIME)
    read_at: datetime = created()
    """How far they have read: answers that ended later are new to them."""


class Message(Base, table=True):
    """A question or an answer. An answer's row exists before its run starts and is finished by one UPDATE."""

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        CheckConstraint("jsonb_typeof(metadata) = 'object'", name="metadata"),
        CheckConstraint("role <> 'assistant' OR workflow_run_id IS NOT NULL", name="run"),
        UniqueConstraint("chat_session_id", "id"),
        ForeignKeyConstraint(
            ["chat_session_id", "parent_id"],
            ["messages.chat_session_id", "messages.id"],
            name="messages_parent_id_fkey",
            ondelete="CASCADE",
        ),
        Index(None, "chat_session_id", "position"),
        Index("messages_unfinished_idx", "run_at", postgresql_where=text("status IN ('pending', 'streaming')")),
        Index(
            "messages_open_idx",
            "chat_session_id",
            postgresql_where=text("status NOT IN ('completed', 'error', 'stopped')"),
        ),
        Index("messages_failed_chat_idx", "chat_session_id", postgresql_where=text("status = 'error'")),
        Index("messages_client_due_at_idx", "client_due_at", postgresql_where=text("client_due_at IS NOT NULL")),
        Index("messages_failed_idx", "updated_at", postgresql_where=text("status = 'error'")),
    )

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    parent_id: UUID | None = Field(default=None, index=True)
    """What it hangs on: a question on the answer that it follows, or on nothing; an answer on its question. Messages
    that hang on the same one are versions of each other."""
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
    """What the reader has answered to the calls that it waits for, by tool call id; empty after a stop."""
    client_tools: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The tools that its caller has declared (`leaf.client_tools.Declared`)."""
    client_calls: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """Who has which of their calls in hand, and what came of it (`runs.calling`)."""
    client_due_at: datetime | None = Field(default=None, sa_type=TIME)
    """When the call that it waits for is given up."""
    input_tokens: int | None = Field(default=None, sa_type=Integer)
    output_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_read_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_write_tokens: int | None = Field(default=None, sa_type=Integer)
    thinking_tokens: int | None = Field(default=None, sa_type=Integer)
    """Those of the output tokens that were thinking."""
    requests: int | None = Field(default=None, sa_type=Integer)
    """How often the model was asked."""
    duration_ms: int | None = Field(default=None, sa_type=Integer)
    first_text_ms: int | None = Field(default=None, sa_type=Integer)
    """From the question to the first word of the answer; None where another worker went on with it."""
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    reserved_tokens: int | None = Field(default=None, sa_type=BigInteger)
    """What its run may use at most of the asker's budgets; none where no budget is set."""
    reserved_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    error_code: str | None = Field(default=None, sa_type=StorableText)
    error_text: str | None = Field(default=None, sa_type=StorableText)
    """What the reader is told."""
    run_at: datetime = created()
    """When the run that writes it began: a trigger has it anew with each run, the app may not change it."""
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


class SearchWords(Base, table=True):
    """The words of a message or of a chat's title, kept by triggers; searched by `leaf_search` alone."""

    __tablename__ = "search_words"
    __table_args__ = (
        UniqueConstraint("message_id"),
        Index("search_words_chat_session_id_position_idx", "chat_session_id", text("position DESC")),
        Index("search_words_words_idx", "words", postgresql_using="gin"),
    )

    id: UUID = Field(primary_key=True)
    """The message's, or the chat's."""
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="CASCADE")
    """None for a title."""
    position: int = Field(sa_type=BigInteger)
    words: Any = Field(sa_column=Column(TSVECTOR, nullable=False))
