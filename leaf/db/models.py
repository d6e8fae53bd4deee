"""The tables. Row-level security, grants and functions are in `alembic/sql/`.

Models have no relationships, so SQLAlchemy does not know which row must come first: `await session.flush()` after
adding a row that others refer to (a chat before its participant, the participant before the messages).

Every default exists twice, here and in the database. With the values made here an INSERT needs no RETURNING, which the
policies would refuse for a chat that has no participant yet, and no attribute is left to be loaded afterwards.
"""

from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Enum,
    Index,
    Integer,
    MetaData,
    Numeric,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy import Identity as IdentityColumn
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from leaf.db.storable import StorableString, StorableText


class IntegrationProvider(StrEnum):
    """What can be connected. A new one is a member here and one `ALTER TYPE integration_provider ADD VALUE`."""

    GOOGLE_DRIVE = "google_drive"


class IntegrationStatus(StrEnum):
    ACTIVE = "active"
    ERROR = "error"
    REVOKED = "revoked"


class MessageRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    """Where an answer stands. `pending` and `streaming` are unfinished; the other three are final."""

    PENDING = "pending"
    STREAMING = "streaming"
    COMPLETED = "completed"
    ERROR = "error"
    STOPPED = "stopped"


def utc_now() -> datetime:
    return datetime.now(UTC)


def _enum(kind: type[StrEnum], name: str) -> Enum:
    return Enum(kind, name=name, values_callable=_values)


def _values(kind: type[StrEnum]) -> list[str]:
    return [member.value for member in kind]


_PROVIDER = _enum(IntegrationProvider, "integration_provider")
_CREATED = {"server_default": func.now()}
_UPDATED = {"server_default": func.now(), "onupdate": utc_now}
_TIME = DateTime(timezone=True)


class Base(SQLModel):
    """The base of Leaf's tables, with metadata of its own so that every constraint has a predictable name."""

    __tablename__: ClassVar[str]  # pyright: ignore[reportIncompatibleVariableOverride] - a name is all that is needed

    metadata = MetaData(
        naming_convention={
            "pk": "%(table_name)s_pkey",
            "fk": "%(table_name)s_%(column_0_name)s_fkey",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "ck": "%(table_name)s_%(constraint_name)s_check",
            "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        }
    )


def _id() -> Any:
    kwargs = {"server_default": text("gen_random_uuid()")}
    return Field(default_factory=uuid4, primary_key=True, sa_column_kwargs=kwargs)


def _owner() -> Any:
    """A person whose removal removes the row as well."""
    return Field(foreign_key="users.id", ondelete="CASCADE", index=True)


def _created() -> Any:
    return Field(default_factory=utc_now, sa_type=_TIME, sa_column_kwargs=_CREATED)


def _updated() -> Any:
    return Field(default_factory=utc_now, sa_type=_TIME, sa_column_kwargs=_UPDATED)


class User(Base, table=True):
    """A person, as the identity provider last described them."""

    __tablename__ = "users"

    id: UUID = _id()
    email: str = Field(sa_type=StorableText)
    name: str = Field(sa_type=StorableText)
    picture_url: str | None = Field(default=None, sa_type=StorableText)
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class Identity(Base, table=True):
    """One account at an identity provider. The provider is text, so that another one needs no migration."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("provider", "subject"),)

    id: UUID = _id()
    user_id: UUID = _owner()
    provider: str = Field(sa_type=StorableText)
    subject: str = Field(sa_type=StorableText)
    """The provider's own, stable id of the account; an e-mail address may change hands, this may not."""
    email: str = Field(sa_type=StorableText)
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class Session(Base, table=True):
    """A signed-in browser."""

    __tablename__ = "sessions"

    id: UUID = _id()
    user_id: UUID = _owner()
    token_hash: str = Field(unique=True, sa_type=StorableText)
    """`tokens.digest` of the cookie; the token itself is not stored."""
    user_agent: str | None = Field(default=None, sa_type=StorableText)
    created_at: datetime = _created()
    last_seen_at: datetime = Field(default_factory=utc_now, sa_type=_TIME, sa_column_kwargs=_CREATED)
    expires_at: datetime = Field(sa_type=_TIME)


class Workspace(Base, table=True):
    """What integrations and chats belong to; one per person for now."""

    __tablename__ = "workspaces"

    id: UUID = _id()
    name: str = Field(sa_type=StorableString(255))
    personal_user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="CASCADE", unique=True)
    """Whose personal workspace it is; none for a shared one."""
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class WorkspaceMember(Base, table=True):
    """Membership. Written by `leaf_sign_in` only."""

    __tablename__ = "workspace_members"

    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    created_at: datetime = _created()


class Integration(Base, table=True):
    """A person's own connection to an outside service, within one workspace."""

    __tablename__ = "integrations"
    __table_args__ = (UniqueConstraint("user_id", "workspace_id", "provider"),)

    id: UUID = _id()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    provider: IntegrationProvider = Field(sa_type=_PROVIDER)
    status: IntegrationStatus = Field(
        default=IntegrationStatus.ACTIVE,
        sa_type=_enum(IntegrationStatus, "integration_status"),
        sa_column_kwargs={"server_default": "active"},
    )
    status_reason: str | None = Field(default=None, sa_type=StorableText)
    """Why it is not active, in words for its owner."""
    provider_account_email: str | None = Field(default=None, sa_type=StorableText)
    access_token: str = Field(sa_type=StorableText, repr=False)
    """Sealed (`tokens.Sealer`)."""
    refresh_token: str | None = Field(default=None, sa_type=StorableText, repr=False)
    """Sealed (`tokens.Sealer`)."""
    token_expires_at: datetime | None = Field(default=None, sa_type=_TIME)
    scopes: list[str] = Field(
        default_factory=list, sa_type=ARRAY(StorableText), sa_column_kwargs={"server_default": "{}"}
    )
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class ChatSession(Base, table=True):
    """A conversation, seen by its participants alone."""

    __tablename__ = "chat_sessions"
    __table_args__ = (Index("chat_sessions_workspace_id_updated_at_idx", "workspace_id", text("updated_at DESC")),)

    id: UUID = _id()
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    created_by: UUID = _owner()
    title: str | None = Field(default=None, sa_type=StorableString(255))
    used_drive: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether an answer in it has read from Drive."""
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class ChatParticipant(Base, table=True):
    """Who takes part in a chat. Its creator adds themselves, in the transaction that makes the chat."""

    __tablename__ = "chat_participants"

    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    joined_at: datetime = _created()


class Message(Base, table=True):
    """A question or an answer. An answer's row exists before its run starts and is finished by one UPDATE."""

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(parts) = 'array'", name="parts"),
        CheckConstraint("jsonb_typeof(metadata) = 'object'", name="metadata"),
        CheckConstraint("role <> 'assistant' OR workflow_run_id IS NOT NULL", name="run"),
        Index(None, "chat_session_id", "position"),
        Index("messages_unfinished_idx", "created_at", postgresql_where=text("status IN ('pending', 'streaming')")),
    )

    id: UUID = _id()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    role: MessageRole = Field(sa_type=_enum(MessageRole, "message_role"))
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
        sa_type=_enum(MessageStatus, "message_status"),
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
    input_tokens: int | None = Field(default=None, sa_type=Integer)
    output_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_read_tokens: int | None = Field(default=None, sa_type=Integer)
    cache_write_tokens: int | None = Field(default=None, sa_type=Integer)
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    error_code: str | None = Field(default=None, sa_type=StorableText)
    error_text: str | None = Field(default=None, sa_type=StorableText)
    """What the reader is told."""
    position: int = Field(default=None, sa_column=Column(BigInteger, IdentityColumn(always=True), nullable=False))
    """The stable order within a chat; given by the database at the flush."""
    created_at: datetime = _created()
    updated_at: datetime = _updated()


class Document(Base, table=True):
    """The text of one revision of a file, read with one person's own token. Never changed, only replaced."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("user_id", "provider", "file_id", "revision"),)

    id: UUID = _id()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    provider: IntegrationProvider = Field(sa_type=_PROVIDER)
    file_id: str = Field(sa_type=StorableText)
    revision: str = Field(sa_type=StorableText)
    name: str = Field(sa_type=StorableText)
    mime_type: str = Field(sa_type=StorableText)
    kind: str = Field(sa_type=StorableText)
    body: dict[str, Any] = Field(sa_type=JSONB)
    """The segments and notes of `leaf.documents.Document`."""
    created_at: datetime = _created()
