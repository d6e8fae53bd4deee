"""Imports of chats from files."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import Base, created, default, key, updated
from leaf.db.storable import StorableText

_UNFINISHED = "status IN ('waiting', 'running')"


class Import(Base, table=True):
    """A file of chats and the progress of its import. The file is kept until the import ends."""

    __tablename__ = "imports"
    __table_args__ = (
        CheckConstraint("status IN ('waiting', 'running', 'done', 'failed')", name="status"),
        CheckConstraint("jsonb_typeof(problems) = 'array'", name="problems"),
        CheckConstraint(f"(data IS NOT NULL) = ({_UNFINISHED})", name="data"),
        Index("imports_user_id_created_at_idx", "user_id", text("created_at DESC")),
        Index("imports_unfinished_idx", "user_id", unique=True, postgresql_where=text(_UNFINISHED)),
    )

    id: UUID = key()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    """The workspace of the imported chats."""
    name: str = Field(sa_type=StorableText)
    size_bytes: int = Field(sa_type=BigInteger)
    data: bytes | None = Field(default=None, sa_type=LargeBinary)
    status: str = default("waiting")
    """`waiting`, `running`, `done` or `failed`."""
    attempts: int = default(0)
    """The number of times that a worker has started the import."""
    total: int | None = None
    """The number of chats in the file; None until they are counted."""
    done: int = default(0)
    """The number of finished chats, from the beginning of the file."""
    imported: int = default(0)
    known: int = default(0)
    """The number of chats that had been imported before."""
    refused: int = default(0)
    left_out: int = default(0)
    """The number of messages that could not be imported."""
    problems: list[dict[str, Any]] = default([], JSONB)
    """The first refused chats, each with `title` and `code`."""
    failure: str | None = Field(default=None, sa_type=StorableText)
    """The code of the error that ended the import."""
    created_at: datetime = created()
    updated_at: datetime = updated()
