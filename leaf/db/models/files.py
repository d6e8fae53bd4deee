"""Texts of Drive files, and the files of chats."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import PROVIDER, Base, IntegrationProvider, created, default, key, updated
from leaf.db.storable import StorableString, StorableText


class Document(Base, table=True):
    """The text of one revision of a file, read with one person's token. It is never changed, only replaced."""

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
    """A file of a chat, identified by its path. Its content is in its versions."""

    __tablename__ = "chat_files"
    __table_args__ = (UniqueConstraint("chat_session_id", "path"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    path: str = Field(sa_type=StorableString(255))
    version: int
    size_bytes: int
    deleted: bool = default(False)
    created_at: datetime = created()
    updated_at: datetime = updated()


class ChatFileOriginal(Base, table=True):
    """The bytes of a file that was uploaded to a chat. They never change."""

    __tablename__ = "chat_file_originals"
    __table_args__ = (CheckConstraint("size_bytes = octet_length(data)", name="size"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True)
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    kind: str = Field(sa_type=StorableText)
    """The kind (`leaf.documents.Kind`), recognised from the content."""
    size_bytes: int
    sha256: bytes
    data: bytes
    content: str | None = Field(default=None, sa_type=StorableText)
    """The readable text of a read-only file; None if the version holds the text."""
    content_bytes: int = default(0)
    places: list[list[Any]] = default([], JSONB)
    """Pairs of a line number, from 1, and the place that begins there, such as `page 3`."""
    notes: list[str] = default([], JSONB)
    """Notes for readers, for example about pages without text, a guessed charset or omitted content."""
    created_at: datetime = created()


class ChatFileVersion(Base, table=True):
    """One version of a chat's file. It never changes."""

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
    """`write`, `edit`, `delete`, `restore` or `upload`."""
    content: str = Field(sa_type=StorableText)
    """The text; empty for a deleted file and for an upload whose text is stored with the original."""
    original_id: UUID | None = Field(default=None, foreign_key="chat_file_originals.id", ondelete="CASCADE", index=True)
    """The uploaded bytes, if they contain more than `content`."""
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="SET NULL", index=True)
    """The person on whose behalf the file was changed."""
    run_id: UUID | None = None
    call_id: str | None = Field(default=None, sa_type=StorableText)
    """The tool call of an agent's change. If the call is repeated, nothing changes."""
    created_at: datetime = created()
