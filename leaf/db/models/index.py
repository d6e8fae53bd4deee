"""The index of members' Drives: the feeds, the files that each member sees, and the texts, stored once per revision."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Computed,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import BIT, JSONB, TSVECTOR
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, HalfVector, created, default, key, updated
from leaf.db.storable import StorableText


class DriveFeed(Base, table=True):
    """The Changes feed of a member or of one of their Shared Drives, with the position up to which it was read."""

    __tablename__ = "drive_feeds"
    __table_args__ = (CheckConstraint("stage IN ('new', 'listing', 'following')", name="stage"),)

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    drive_id: str = default("", primary_key=True)
    """The id of the Shared Drive; empty for the member's own feed."""
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    name: str = default("")
    stage: str = default("new")
    """`new`, `listing` or `following`."""
    change_token: str | None = Field(default=None, sa_type=StorableText)
    """The cursor from which changes are read next."""
    page_token: str | None = Field(default=None, sa_type=StorableText)
    """The cursor of the listing's next page; None for the first page."""
    listing: int = default(0)
    """The number of the last full listing. When it ends, rows of earlier listings are deleted."""
    listed_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the last full listing ended."""
    checked_at: datetime | None = Field(default=None, sa_type=TIME)
    retry_at: datetime = created()
    failures: int = default(0)
    """The number of failures since the last success."""
    error: str | None = Field(default=None, sa_type=StorableText)
    """The code of the last failure."""
    claim: int = default(0)
    """The number of claims so far. Only the worker with the latest claim may write."""
    claimed_until: datetime | None = Field(default=None, sa_type=TIME)
    created_at: datetime = created()
    updated_at: datetime = updated()


class VisibleFile(Base, table=True):
    """A file or folder that a member can see, as Google has shown it to the member's own token."""

    __tablename__ = "drive_sight"
    __table_args__ = (
        Index(None, "file_id", "revision"),
        Index(None, "user_id", "parent_id"),
        Index("drive_sight_changed_idx", "user_id", "changed_at"),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    file_id: str = Field(primary_key=True, sa_type=StorableText)
    feed: str = default("")
    """The feed that reports its changes (`DriveFeed.drive_id`)."""
    listing: int = default(0)
    revision: str = Field(sa_type=StorableText)
    parent_id: str | None = Field(default=None, sa_type=StorableText)
    name: str = Field(sa_type=StorableText)
    mime_type: str = Field(sa_type=StorableText)
    kind: str = Field(sa_type=StorableText)
    url: str = Field(sa_type=StorableText)
    size_bytes: int | None = Field(default=None, sa_type=BigInteger)
    modified_at: datetime | None = Field(default=None, sa_type=TIME)
    can_download: bool
    drive_id: str | None = Field(default=None, sa_type=StorableText)
    """The Shared Drive that contains it."""
    resource_key: str | None = Field(default=None, sa_type=StorableText, repr=False)
    wanted_at: datetime | None = Field(default=None, sa_type=TIME)
    """The last time at which the file was opened or found. Such files are read first."""
    seen_at: datetime = Field(sa_type=TIME, sa_column_kwargs={"server_default": func.now()})
    arrived_at: datetime = Field(sa_type=TIME, sa_column_kwargs={"server_default": func.now()})
    """The time at which the member could first see it; 1970 for a file from the first listing of its feed."""
    changed_at: datetime = Field(sa_type=TIME, sa_column_kwargs={"server_default": func.now()})
    """The time at which Leaf learned of its current revision. Only the database sets this."""
    refused_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which Google refused the download of a file that it had marked as downloadable."""


class DriveText(Base, table=True):
    """The text of one revision of a file. Members who see the file in this revision can see it."""

    __tablename__ = "drive_texts"
    __table_args__ = (
        UniqueConstraint("file_id", "revision"),
        Index("drive_texts_doubtful_idx", "id", postgresql_where=text("doubtful")),
        Index("drive_texts_settled_idx", "settled_at"),
        CheckConstraint("state IN ('reading', 'read', 'failed', 'skipped')", name="state"),
    )

    id: UUID = key()
    file_id: str = Field(sa_type=StorableText)
    revision: str = Field(sa_type=StorableText)
    state: str = default("reading")
    """`reading`, `read`, `failed` (tried again later) or `skipped`."""
    attempts: int = default(1)
    retry_at: datetime | None = Field(default=None, sa_type=TIME)
    reason: dict[str, Any] | None = Field(default=None, sa_type=JSONB)
    """The reason why it was not read: `text` in English, and `message` (`leaf.texts.Message.as_data`) or None."""
    mime_type: str = Field(sa_type=StorableText)
    kind: str = Field(sa_type=StorableText)
    body: dict[str, Any] | None = Field(default=None, sa_type=JSONB)
    """The segments and notes of `leaf.documents.Document`."""
    digest: bytes | None = None
    """SHA-256 of the text."""
    language: str | None = Field(default=None, sa_type=StorableText)
    """PostgreSQL's text search configuration with which its words are stemmed."""
    chunks: int = default(0)
    reader: int = default(1)
    """The version of the reader (`leaf.documents.READER_VERSION`). A newer reader retries files that were skipped."""
    doubtful: bool = default(False)
    """Whether possibly no member can see it any more. Only database functions set this."""
    settled_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which it was first read or skipped. The database sets this."""
    late: bool = default(False)
    """Whether it was skipped before it was read. The database sets this."""
    vector_model: str | None = Field(default=None, sa_type=StorableText)
    """The model of the vectors; None until all passages have vectors."""
    vectors_claimed_until: datetime | None = Field(default=None, sa_type=TIME)
    """The end of a worker's lease to make its vectors, or of the pause after a failure."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class DriveChunk(Base, table=True):
    """A passage of a text, about 120 words long."""

    __tablename__ = "drive_chunks"
    __table_args__ = (Index(None, "words", postgresql_using="gin"),)

    text_id: UUID = Field(foreign_key="drive_texts.id", ondelete="CASCADE", primary_key=True)
    n: int = Field(primary_key=True)
    place: str = Field(sa_type=StorableText)
    """The place in the file, such as `page 3`."""
    heading: str = Field(sa_type=StorableText)
    """The title of the file and the headings above the passage."""
    text: str = Field(sa_type=StorableText)
    words: Any = Field(sa_type=TSVECTOR)


class DriveVector(Base, table=True):
    """The vector of a passage. The table exists only if the database has the extension `vector`."""

    __tablename__ = "drive_vectors"
    __table_args__ = (
        ForeignKeyConstraint(["text_id", "n"], ["drive_chunks.text_id", "drive_chunks.n"], ondelete="CASCADE"),
        Index(None, "digest"),
    )

    text_id: UUID = Field(primary_key=True)
    n: int = Field(primary_key=True)
    model: str = Field(sa_type=StorableText)
    """The model that made it (`Settings.vector_model`)."""
    digest: UUID
    """A hash of the text. Equal passages have equal digests and are embedded only once."""
    vector: Any = Field(sa_type=HalfVector)
    bits: Any = Field(
        default=None,
        sa_column=Column(BIT(512), Computed("leaf_vectors.binary_quantize(vector)::bit(512)"), nullable=False),
    )
    """The signs of its numbers. The index of the primary key includes them and the model (decision 0089)."""
