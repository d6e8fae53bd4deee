"""Chats: participants, messages, summaries, search, the queue, public links and invitations."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    DateTime,
    FetchedValue,
    ForeignKeyConstraint,
    Index,
    Integer,
    Label,
    Numeric,
    TypeDecorator,
    UniqueConstraint,
    Uuid,
    case,
    select,
    text,
)
from sqlalchemy import Identity as IdentityColumn
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, MessageRole, MessageStatus, created, default, enum, key, owner, updated
from leaf.db.storable import StorableString, StorableText


def of_message(table: str, column: str, ondelete: str) -> ForeignKeyConstraint:
    """The foreign key of a table's column to a message of the same chat."""
    referred = ["messages.chat_session_id", "messages.id"]
    return ForeignKeyConstraint(["chat_session_id", column], referred, name=f"{table}_{column}_fkey", ondelete=ondelete)


def of_participant(table: str) -> ForeignKeyConstraint:
    """The foreign key of a table to a participant of the chat."""
    columns = ["chat_session_id", "user_id"]
    referred = [f"chat_participants.{column}" for column in columns]
    return ForeignKeyConstraint(columns, referred, name=f"{table}_participant_fkey", ondelete="CASCADE")


class Content(TypeDecorator[Any]):
    """The JSON content of a message. It is read from `cold_messages` if the message is cold."""

    impl = JSONB
    cache_ok = True

    def column_expression(self, column: ColumnElement[Any]) -> ColumnElement[Any]:
        """Selects the content from the right table. `cold_messages` is read only for a cold message."""
        plain: Any = column.element if isinstance(column, Label) else column
        messages, cold = plain.table.c, ColdMessage.__table__.c  # pyright: ignore[reportAttributeAccessIssue] - SQLModel's table
        kept = select(cold[plain.name]).where(cold.message_id == messages.id).scalar_subquery()
        return case((messages.cold, kept), else_=plain)


class ColdMessage(Base, table=True):
    """The content of a message in a conversation that has long been unused. Only `leaf_cool_chats` writes it."""

    __tablename__ = "cold_messages"

    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE", primary_key=True)
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    parts: list[dict[str, Any]] = Field(sa_type=JSONB)
    model_messages: list[dict[str, Any]] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    moved_at: datetime = created()


class ChatSession(Base, table=True):
    """A conversation; only its participants can see it."""

    __tablename__ = "chat_sessions"
    __table_args__ = (
        Index("chat_sessions_workspace_id_updated_at_idx", "workspace_id", text("updated_at DESC")),
        Index("chat_sessions_deleted_at_idx", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL")),
        Index("chat_sessions_unasked_idx", "updated_at", postgresql_where=text("NOT begun")),
        Index("chat_sessions_deleted_by_idx", "deleted_by", postgresql_where=text("deleted_by IS NOT NULL")),
        CheckConstraint("cardinality(tools) <= 100", name="tools"),
        CheckConstraint("thinking_tokens BETWEEN 1024 AND 100000", name="thinking_tokens"),
        CheckConstraint("imported_from IN ('leaf', 'chatgpt')", name="imported_from"),
        CheckConstraint("jsonb_typeof(scope) = 'object' AND octet_length(scope::text) <= 65536", name="scope"),
        CheckConstraint("jsonb_typeof(metadata) = 'object' AND octet_length(metadata::text) <= 65536", name="metadata"),
        Index("chat_sessions_content_bytes_idx", "content_bytes", postgresql_where=text("content_bytes >= 524288")),
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
    title_source: str = default("question")
    """`question` (the first words of the first question), `model` or `user`."""
    used_drive: bool = default(False)
    """Whether an answer of the chat has read from Drive."""
    approvals: bool = default(True)
    """Whether participants are asked before an answer may send out something that it has read."""
    begun: bool = default(False)
    """Whether the chat has a message or a file. Triggers maintain this and the next three columns."""
    running: bool = default(False)
    """Whether an answer is being written."""
    waiting: bool = default(False)
    """Whether an answer waits for its reader."""
    answered_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the last answer ended."""
    deleted_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time of deletion. A deleted chat is hidden; the person who deleted it can restore it for a while."""
    deleted_by: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL")
    imported_from: str | None = Field(default=None, sa_type=StorableText)
    """`leaf` or `chatgpt` for an imported chat; else None."""
    imported_key: str | None = Field(default=None, sa_type=StorableText)
    """The digest by which an imported chat is recognised when it is imported again (`leaf.parts.portable.digest`)."""
    program_metadata: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column("metadata", JSONB, nullable=False, server_default=text("'{}'::jsonb"))
    )
    """The column `metadata`, with a program's data about the conversation (`leaf.sites.metadata`)."""
    tools: list[str] | None = Field(default=None, sa_type=ARRAY(StorableText))  # pyright: ignore[reportArgumentType] - SQLModel takes an instance
    """The tools that the agent may use in this chat; None for the tools of its mode."""
    thinking_tokens: int | None = Field(default=None, sa_type=Integer)
    """The maximum number of thinking tokens per request, for providers with such a limit; None for the default."""
    scope: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The part of Drive to which the chat is limited (`leaf.services.library.scope.ChatScope`); None for all of it."""
    content_bytes: int = default(0, BigInteger)
    """The size of its messages in the database, in bytes. A trigger maintains it."""
    created_at: datetime = created()
    updated_at: datetime = updated()


def _list_index(name: str, where: str) -> Index:
    columns = ("user_id", text("active_at DESC"), text("chat_session_id DESC"))
    return Index(f"chat_participants_{name}_idx", *columns, postgresql_where=text(where))


class ChatParticipant(Base, table=True):
    """A participant of a chat, with the state of the chat in the participant's list.

    The transaction that creates a chat also adds its creator.
    """

    __tablename__ = "chat_participants"
    __table_args__ = (
        of_message("chat_participants", "branch_id", "SET NULL (branch_id)"),
        ForeignKeyConstraint(
            ["project_id", "user_id"],
            ["projects.id", "projects.user_id"],
            name="chat_participants_project_id_fkey",
            ondelete="SET NULL (project_id)",
        ),
        Index(
            "chat_participants_project_idx",
            "project_id",
            text("active_at DESC"),
            text("chat_session_id DESC"),
            postgresql_where=text("project_id IS NOT NULL"),
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
    """The branch that the participant reads. It is the path to the newest message at or below this message; None for
    the newest message of the chat."""
    joined_at: datetime = created()
    listed: bool = default(False)
    """Whether the chat has begun and is not deleted. Triggers maintain this and the next two columns."""
    active_at: datetime = created()
    """The time of the last activity in the chat."""
    changed_at: datetime = created()
    """The time of the last change of something that a list shows."""
    pinned_at: datetime | None = Field(default=None, sa_type=TIME)
    archived_at: datetime | None = Field(default=None, sa_type=TIME)
    read_at: datetime = created()
    """The time up to which the participant has read. Answers that ended later are unread."""
    project_id: UUID | None = None
    """The participant's project to which the chat belongs."""


class Project(Base, table=True):
    """A member's project: a name, and a scope and instructions for its chats."""

    __tablename__ = "projects"
    __table_args__ = (
        CheckConstraint("char_length(name) BETWEEN 1 AND 80", name="name"),
        CheckConstraint("char_length(instructions) <= 4000", name="instructions"),
        CheckConstraint("jsonb_typeof(scope) = 'object' AND octet_length(scope::text) <= 65536", name="scope"),
        UniqueConstraint("id", "user_id"),
    )

    id: UUID = key()
    user_id: UUID = owner()
    name: str = Field(sa_type=StorableText)
    instructions: str = default("")
    """The text that is sent to the agent with each question in the project's chats."""
    scope: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The part of Drive to which new chats of the project are limited (`ChatScope`); None for all of it."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class Message(Base, table=True):
    """A question or an answer. The row of an answer is created before its run starts, and completed by one UPDATE."""

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        CheckConstraint("jsonb_typeof(metadata) = 'object'", name="metadata"),
        CheckConstraint("role <> 'assistant' OR workflow_run_id IS NOT NULL", name="run"),
        CheckConstraint("responses IS NULL OR jsonb_typeof(responses) = 'array'", name="responses"),
        UniqueConstraint("chat_session_id", "id"),
        of_message("messages", "parent_id", "CASCADE"),
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
    """For a question, the answer before it (None for a first question); for an answer, its question. Messages with the
    same parent are versions of each other."""
    role: MessageRole = Field(sa_type=enum(MessageRole, "message_role"))
    parts: list[dict[str, Any]] = default([], Content)
    """The complete content, as UIMessage parts of the AI SDK."""
    details: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column("metadata", JSONB, nullable=False, server_default=text("'{}'::jsonb"))
    )
    """The column `metadata`, a name that SQLAlchemy reserves."""
    status: MessageStatus = Field(
        default=MessageStatus.COMPLETED,
        sa_type=enum(MessageStatus, "message_status"),
        sa_column_kwargs={"server_default": "completed"},
    )
    workflow_run_id: UUID | None = Field(default=None, unique=True)
    """The run that writes or wrote this answer."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """The asker, on both rows of a turn; None after the account was deleted."""
    model: str | None = Field(default=None, sa_type=StorableText)
    """The model that answered, as `provider:name`."""
    model_messages: list[dict[str, Any]] | None = Field(default=None, sa_type=Content(none_as_null=True))
    """The turn as pydantic-ai `ModelMessages`, which later turns send to the model."""
    responses: list[dict[str, Any]] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """For each response of the model, the provider's `id` and `at`, the time at which it began (ISO 8601)."""
    cold: bool = default(False)
    """Whether the content is in cold storage. Only the database sets this."""
    answers: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The reader's replies to the calls of a waiting answer, by tool call id. Empty after a stop."""
    client_tools: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The tools that the caller has declared (`leaf.parts.client_tools.Declared`)."""
    client_calls: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The state of each call of these tools: the tab that has claimed it, and its result."""
    client_due_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the open call times out."""
    input_tokens: int | None = Field(default=None, sa_type=Integer)
    output_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_read_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_write_tokens: int | None = Field(default=None, sa_type=Integer)
    thinking_tokens: int | None = Field(default=None, sa_type=Integer)
    """The number of output tokens that were thinking."""
    requests: int | None = Field(default=None, sa_type=Integer)
    """The number of requests to the model."""
    duration_ms: int | None = Field(default=None, sa_type=Integer)
    first_text_ms: int | None = Field(default=None, sa_type=Integer)
    """The time from the question to the first text of the answer; None if another worker took over the run."""
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    reserved_tokens: int | None = Field(default=None, sa_type=BigInteger)
    """The tokens of the asker's budgets that are reserved for the run; None without a budget."""
    reserved_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    error_code: str | None = Field(default=None, sa_type=StorableText)
    error_text: str | None = Field(default=None, sa_type=StorableText)
    """The message that the reader sees."""
    run_at: datetime = created()
    """The start of the current run. A trigger sets it, and the application may not change it."""
    position: int = Field(default=None, sa_column=Column(BigInteger, IdentityColumn(always=True), nullable=False))
    """The order within a chat. The database assigns it at the flush."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class Citation(Base, table=True):
    """A verified quote of a Drive file, or a file from which a figure was computed. The index checks it for a while.

    A trigger creates the row when the answer is stored. The quote is in the answer (`leaf.citations.CITATIONS`).
    """

    __tablename__ = "citations"
    __table_args__ = (
        CheckConstraint("state IN ('stands', 'changed', 'gone', 'hidden')", name="state"),
        Index(None, "user_id", "file_id"),
        Index("citations_due_idx", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("citations_compute_idx", "compute_at", postgresql_where=text("compute_at IS NOT NULL")),
        Index("citations_changed_idx", "user_id", "chat_session_id", postgresql_where=text("state <> 'stands'")),
        Index("citations_followed_idx", "user_id", "quoted_at"),
        Index("citations_unchecked_idx", "user_id", "chat_session_id", postgresql_where=text("unchecked IS NOT NULL")),
    )

    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE", primary_key=True)
    n: int = Field(primary_key=True)
    """The number of the citation in the answer."""
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    """The asker, in whose Drive the file is checked."""
    file_id: str = Field(sa_type=StorableText, primary_key=True, index=True)
    revision: str = Field(sa_type=StorableText)
    """The revision in which the quote was last searched; empty if Google no longer shows the file."""
    state: str = default("stands")
    """`stands`, `changed` (a similar passage is in its place), `gone`, or `hidden` (Google does not show the asker the
    file)."""
    quoted_at: datetime = Field(sa_type=TIME)
    """The time of the answer."""
    changed_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time of the last change of the state."""
    due_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time from which the quote must be searched again; None while the file is unchanged."""
    call: str = default("")
    """The tool call of a computed figure; empty for a quote. A figure has a row for each of its files."""
    compute_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time from which the figure must be computed again; None while the file is unchanged."""
    unchecked: dict[str, Any] | None = Field(default=None, sa_type=JSONB)
    """The reason why the current version of the file could not be read; `state` is then the last known one. It has
    `text`, `message` (if the reason is a text of the catalogue), and the `revision` that could not be read."""


class CellEdit(Base, table=True):
    """A computation of an answer that a participant has edited, or that depends on an edited one. The answer does not
    change.
    """

    __tablename__ = "cell_edits"
    __table_args__ = (
        UniqueConstraint("message_id", "call"),
        CheckConstraint("char_length(query) <= 4000", name="query"),
    )

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE")
    call: str = Field(sa_type=StorableText)
    """The tool call of the computation."""
    user_id: UUID = owner()
    """The member who edited this computation, or the computation on which it depends."""
    query: str | None = Field(default=None, sa_type=StorableText)
    """The new statement; None for a computation that only depends on an edited one."""
    output: dict[str, Any] = Field(sa_type=JSONB)
    """The output of the tool `compute` for the new statement; empty if it failed."""
    problem: str = default("")
    """The reason why it failed; empty otherwise."""
    edited_at: datetime = created()


class ChatSummary(Base, table=True):
    """A summary of the turns up to an answer, for models whose context is too small for the whole chat."""

    __tablename__ = "chat_summaries"
    __table_args__ = (UniqueConstraint("message_id"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE")
    """The last answer that the summary covers. The summary is deleted with it."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """The asker of the run that created it."""
    model: str | None = Field(default=None, sa_type=StorableText)
    """The model that wrote it, as `provider:name`; None if no model was used."""
    input_tokens: int = default(0)
    output_tokens: int = default(0)
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    created_at: datetime = created()
    tools: list[str] = default([], ARRAY(StorableText))
    """The tools of the summarised turns, set by a trigger."""
    text: str = Field(sa_type=StorableText)


class SearchWords(Base, table=True):
    """The words of a message or of a chat's title. Triggers maintain them, and `leaf_search` searches them."""

    __tablename__ = "search_words"
    __table_args__ = (
        UniqueConstraint("message_id"),
        Index("search_words_chat_session_id_position_idx", "chat_session_id", text("position DESC")),
        Index("search_words_words_idx", "words", postgresql_using="gin"),
    )

    id: UUID = Field(primary_key=True)
    """The id of the message or, for a title, of the chat."""
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="CASCADE")
    """The message; None for a title."""
    position: int = Field(sa_type=BigInteger)
    words: Any = Field(sa_column=Column(TSVECTOR, nullable=False))


class QueuedMessage(Base, table=True):
    """A message that is sent when the current answer of its chat ends. Only its author can see it."""

    __tablename__ = "queued_messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        of_participant("queued_messages"),
        Index(None, "chat_session_id", "position"),
    )

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    user_id: UUID = owner()
    parts: list[dict[str, Any]] = Field(sa_type=JSONB)
    """The parts of the future question."""
    search_mode: str = Field(sa_type=StorableText)
    model_type: str = Field(sa_type=StorableText)
    model: str | None = Field(default=None, sa_type=StorableText)
    """The model that the author chose with the message, or `default`; None for the chat's model."""
    problem: str | None = Field(default=None, sa_type=StorableText)
    """The code of the reason why it could not be sent (`budget`). It then waits for its author, and later messages are
    sent first."""
    position: int = Field(default=None, sa_column=Column(BigInteger, IdentityColumn(always=True), nullable=False))
    """The order in which messages are sent."""
    created_at: datetime = created()


class ChatShare(Base, table=True):
    """A public link to a chat, with its content, which the database copies from the messages."""

    __tablename__ = "chat_shares"
    __table_args__ = (UniqueConstraint("chat_session_id"), UniqueConstraint("token"))

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    created_by: UUID = owner()
    token: str = Field(sa_type=StorableText, repr=False)
    """The random token in the link. It is stored in plain text, so that its owner can copy the link again."""
    message_ids: list[UUID] = Field(sa_type=ARRAY(Uuid()))
    """The shared messages, in order. When this column is written, the database updates the content."""
    title: str = Field(
        default=None,
        sa_column=Column(StorableString(255), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    content: list[dict[str, Any]] = Field(
        default=None,
        sa_column=Column(JSONB(none_as_null=True), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    """The role, status, time, texts, citations and receipt of each message (the result of `leaf_shared_content`)."""
    expires_at: datetime | None = Field(default=None, sa_type=TIME)
    created_at: datetime = created()
    shared_at: datetime = Field(
        default=None,
        sa_column=Column(DateTime(timezone=True), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    """The time at which the content was copied."""


class ChatInvitation(Base, table=True):
    """An invitation to take part in a chat, for the person who signs in with this e-mail address."""

    __tablename__ = "chat_invitations"
    __table_args__ = (UniqueConstraint("chat_session_id", "email"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    invited_by: UUID = owner()
    email: str = Field(sa_type=StorableText, index=True)
    """The address in lower case."""
    declined_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which it was declined. The inviter does not see it, so as not to learn that the person exists."""
    created_at: datetime = created()
