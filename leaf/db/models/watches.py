"""Watched questions, and the e-mails about them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, default, key
from leaf.db.models.conversation import of_message, of_participant
from leaf.db.storable import StorableText


class Watch(Base, table=True):
    """A question that Leaf asks again for a member when a cited or matching file changes."""

    __tablename__ = "watches"
    __table_args__ = (
        CheckConstraint("kind IN ('change', 'appear')", name="kind"),
        CheckConstraint("every IN ('day', 'week')", name="every"),
        UniqueConstraint("user_id", "question_id"),
        of_participant("watches"),
        of_message("watches", "question_id", "CASCADE"),
        of_message("watches", "answer_id", "SET NULL (answer_id)"),
        Index("watches_due_idx", "next_at", postgresql_where=text("ended_at IS NULL")),
        Index("watches_chat_session_id_idx", "chat_session_id", "question_id"),
        Index(
            "watches_unmailed_idx",
            "user_id",
            postgresql_where=text("news_at IS NOT NULL AND mailed_at IS DISTINCT FROM news_at"),
        ),
    )

    id: UUID = key()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    chat_session_id: UUID
    question_id: UUID
    kind: str = Field(sa_type=StorableText)
    """`change` (reports differences) or `appear` (ends with the first answer that declares a verified quote as
    found).
    """
    every: str = Field(sa_type=StorableText)
    """The minimum time between two answers: `day` or `week`."""
    looked_at: datetime = Field(sa_type=TIME)
    """The time up to which changes of files have been considered."""
    next_at: datetime = created()
    """The time of the next check. While a worker checks, it is the end of the worker's lease."""
    attempt: int = default(0)
    """The number of times that the question was asked again. The id of the next answer is derived from it."""
    asking: bool = default(False)
    """Whether an answer is being written or has not been compared yet."""
    answer_id: UUID | None = Field(default=None, index=True)
    """The last answer that was written for the watch."""
    asked_at: datetime | None = Field(default=None, sa_type=TIME)
    problem: str = default("")
    """The error code of the last attempt to ask the question; empty if it succeeded."""
    news_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the last differing answer ended. It is news until the member opens the chat."""
    mailed_at: datetime | None = Field(default=None, sa_type=TIME)
    """The `news_at` of the last news that was sent to the member by e-mail."""
    ended_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the awaited thing was found."""
    created_at: datetime = created()


class Digest(Base, table=True):
    """The daily e-mail about a member's watched questions. A member without a row has the defaults."""

    __tablename__ = "digests"
    __table_args__ = (CheckConstraint("language ~ '^[a-z]{2}$'", name="language"),)

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    wanted: bool = default(True)
    language: str = default("en")
    """The language of the member's pages, one of `texts.LANGUAGES`."""
    next_at: datetime = created()
    """The time before which no e-mail is sent. It is a day after the last e-mail, or an hour after the start of an
    attempt.
    """
