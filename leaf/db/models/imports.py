"""Files that chats are imported from."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from leaf.db.models.base import Base, created, key, updated
from leaf.db.storable import StorableText

_ZERO = {"server_default": text("0")}
_UNFINISHED = "status IN ('waiting', 'running')"


class Import(Base, table=True):
    """A file of chats, and how far it has come; the file itself is there until it is done."""

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
    """Where its chats go."""
    name: str = Field(sa_type=StorableText)
    size_bytes: int = Field(sa_type=BigInteger)
    data: bytes | None = Field(default=None, sa_type=LargeBinary)
    status: str = Field(default="waiting", sa_type=StorableText, sa_column_kwargs={"server_default": text("'waiting'")})
    """waiting, running, done or failed."""
    attempts: int = Field(default=0, sa_column_kwargs=_ZERO)
    """How many workers have begun it."""
    total: int | None = None
    """How many chats the file has; none until it was looked through."""
    done: int = Field(default=0, sa_column_kwargs=_ZERO)
    """How many of them were dealt with, from the beginning of the file."""
    imported: int = Field(default=0, sa_column_kwargs=_ZERO)
    known: int = Field(default=0, sa_column_kwargs=_ZERO)
    """How many were here already."""
    refused: int = Field(default=0, sa_column_kwargs=_ZERO)
    left_out: int = Field(default=0, sa_column_kwargs=_ZERO)
    """Messages that could not be taken over."""
    problems: list[dict[str, Any]] = Field(
        default_factory=list, sa_type=JSONB, sa_column_kwargs={"server_default": text("'[]'::jsonb")}
    )
    """The first chats that were refused, each with `title` and `code`."""
    failure: str | None = Field(default=None, sa_type=StorableText)
    """The code of why nothing more of it is imported."""
    created_at: datetime = created()
    updated_at: datetime = updated()
