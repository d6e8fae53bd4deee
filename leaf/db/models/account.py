"""How somebody wants to be answered, and what they say of the answers."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, UniqueConstraint, text
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, key, updated, utc_now
from leaf.db.storable import StorableText

_EMPTY = {"server_default": text("''")}


class UserSettings(Base, table=True):
    """What a person has chosen for all of their chats; the row is there once something was."""

    __tablename__ = "user_settings"
    __table_args__ = (CheckConstraint("char_length(instructions) <= 2000", name="instructions"),)

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    search_mode: str | None = Field(default=None, sa_type=StorableText)
    """The mode of new chats; None: the one that was chosen last."""
    model_type: str | None = Field(default=None, sa_type=StorableText)
    """The type of model of new chats; None: the one that was chosen last."""
    instructions: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    """What the agent is told with every question, in the person's own words; up to 2,000 characters."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class Feedback(Base, table=True):
    """What somebody says of an answer, or of Leaf."""

    __tablename__ = "feedback"
    __table_args__ = (
        UniqueConstraint("user_id", "run_id"),
        CheckConstraint("sentiment IN ('up', 'down')", name="sentiment"),
        CheckConstraint("char_length(comment) <= 2000", name="comment"),
        CheckConstraint("char_length(page) <= 200", name="page"),
        CheckConstraint("char_length(user_agent) <= 300", name="user_agent"),
        CheckConstraint("sentiment IS NOT NULL OR comment <> ''", name="said"),
        CheckConstraint(
            "(message_id IS NULL) = (run_id IS NULL) "
            "AND (message_id IS NULL OR (user_id IS NOT NULL AND sentiment IS NOT NULL))",
            name="answer",
        ),
    )

    id: UUID = key()
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="CASCADE")
    """None where nobody was signed in."""
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="CASCADE", index=True)
    """The answer that is meant; None where Leaf is."""
    run_id: UUID | None = None
    """The run that wrote it: an answer that is asked for again is another one."""
    sentiment: str | None = Field(default=None, sa_type=StorableText)
    """up, down, or none."""
    comment: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    page: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    """The path of the page on which it was written."""
    user_agent: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    created_at: datetime = Field(
        default_factory=utc_now, sa_type=TIME, index=True, sa_column_kwargs={"server_default": text("now()")}
    )
    updated_at: datetime = updated()
