"""Texts: of files that were read, and of those that belong to a chat."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import PROVIDER, Base, IntegrationProvider, created, key, updated
from leaf.db.storable import StorableString, StorableText


class Document(Base, table=True):
    """The text of one revision of a file, read with one person's own token. Never changed, only replaced."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("user_id", "provider", "file_id", "revision"),)

    id: UUID = key()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    provider: IntegrationProvider = Field(sa_type=PROVIDER)
    file_id: str = Field(sa_type=StorableText)
    revision: str = Field(sa_type=StorableText)
    name: str = Field(sa_type=StorableText)
    mime_type: str = Field(sa_type=StorableText)
    kind: str = Field(sa_type=StorableText)
    body: dict[str, Any] = Field(sa_type=JSONB)
    """The segments and notes of `leaf.documents.Document`."""
    created_at: datetime = created()


class ChatFile(Base, table=True):
    """A text file of a chat, by its path. Its content is that of its newest version."""

    __tablename__ = "chat_files"
    __table_args__ = (UniqueConstraint("chat_session_id", "path"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    path: str = Field(sa_type=StorableString(255))
    version: int
    size_bytes: int
    deleted: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    created_at: datetime = created()
    updated_at: datetime = updated()


class ChatFileOriginal(Base, table=True):
    """What a person has uploaded into a chat, byte for byte. Never changed."""

    __tablename__ = "chat_file_originals"
    __table_args__ = (CheckConstraint("size_bytes = octet_length(data)", name="size"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    kind: str = Field(sa_type=StorableText)
    """`leaf.documents.Kind`, found out by its content."""
    size_bytes: int
    sha256: bytes
    data: bytes
    content: str | None = Field(default=None, sa_type=StorableText)
    """What can be read of it, where it is read only; None where the content of its version is its text."""
    content_bytes: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    places: list[list[Any]] = Field(
        default_factory=list[list[Any]], sa_type=JSONB, sa_column_kwargs={"server_default": text("'[]'")}
    )
    """Pairs of a line, counted from 1, and the place that begins there, such as `page 3`."""
    notes: list[str] = Field(
        default_factory=list[str], sa_type=JSONB, sa_column_kwargs={"server_default": text("'[]'")}
    )
    """What a reader must know: pages without text, a charset that was guessed, what was left out."""
    created_at: datetime = created()


class ChatFileVersion(Base, table=True):
    """What a file of a chat was at some time. Never changed."""

    __tablename__ = "chat_file_versions"
    __table_args__ = (
        UniqueConstraint("file_id", "number"),
        UniqueConstraint("run_id", "call_id"),
        CheckConstraint("action IN ('write', 'edit', 'delete', 'restore', 'upload')", name="action"),
    )

    id: UUID = key()
    file_id: UUID = Field(foreign_key="chat_files.id", ondelete="CASCADE")
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    number: int
    action: str = Field(sa_type=StorableText)
    """write, edit, delete, restore or upload."""
    content: str = Field(sa_type=StorableText)
    """Empty of a file that was deleted, and of an upload whose text stands with its original."""
    original_id: UUID | None = Field(default=None, foreign_key="chat_file_originals.id", ondelete="CASCADE", index=True)
    """What was uploaded, where the content is not all of it."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """In whose name it was changed."""
    run_id: UUID | None = None
    call_id: str | None = Field(default=None, sa_type=StorableText)
    """The tool call that made the change, where an agent did: made again, it changes nothing again."""
    created_at: datetime = created()
