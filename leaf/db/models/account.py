"""A person's preferences, feedback and security events."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import CIDR
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, default, key, updated
from leaf.db.storable import StorableText


class UserSettings(Base, table=True):
    """A person's preferences for all of their chats. There is no row before the first choice."""

    __tablename__ = "user_settings"
    __table_args__ = (CheckConstraint("char_length(instructions) <= 2000", name="instructions"),)

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    search_mode: str | None = Field(default=None, sa_type=StorableText)
    """The mode of new chats; None for the last used mode."""
    model_type: str | None = Field(default=None, sa_type=StorableText)
    """The kind of model of new chats; None for the last used kind."""
    instructions: str = default("")
    """The person's instructions, sent to the agent with every question; up to 2,000 characters."""
    keeps_texts: bool = default(True)
    """Whether Leaf keeps the texts of the person's Drive in order to search them."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class Feedback(Base, table=True):
    """Feedback on an answer or on Leaf itself."""

    __tablename__ = "feedback"
    __table_args__ = (
        UniqueConstraint("user_id", "run_id"),
        CheckConstraint("sentiment IN ('up', 'neutral', 'down')", name="sentiment"),
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
    """The author; None if the author was not signed in."""
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="CASCADE", index=True)
    """The rated answer; None for feedback on Leaf."""
    run_id: UUID | None = None
    """The run that wrote the answer. A regenerated answer has a rating of its own."""
    sentiment: str | None = Field(default=None, sa_type=StorableText)
    """`up`, `neutral`, `down` or None."""
    comment: str = default("")
    page: str = default("")
    """The path of the page on which it was written."""
    user_agent: str = default("")
    created_at: datetime = created(index=True)
    updated_at: datetime = updated()


class SecurityEvent(Base, table=True):
    """A security event. The application can add events but not change them."""

    __tablename__ = "security_events"
    __table_args__ = (
        CheckConstraint("kind ~ '^[a-z][a-z_]{1,40}$'", name="kind"),
        CheckConstraint("char_length(about) <= 100", name="about"),
        CheckConstraint("masklen(network) <= CASE family(network) WHEN 4 THEN 24 ELSE 64 END", name="network"),
        CheckConstraint("char_length(user_agent) <= 120", name="user_agent"),
        Index("security_events_user_id_idx", "user_id", text("created_at DESC")),
        Index("security_events_created_at_idx", text("created_at DESC")),
    )

    id: UUID = key()
    user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="CASCADE")
    """The person concerned; None if nobody was signed in or the account was deleted."""
    kind: str = Field(sa_type=StorableText)
    """One of `leaf.services.security.Kind`."""
    about: str = default("")
    """The subject in one word, such as a provider, a code or the id of a chat. Never a secret or data of another
    person.
    """
    network: str | None = Field(default=None, sa_type=CIDR)
    """The network of the client, as /24 or /64; None outside of requests."""
    user_agent: str = default("")
    created_at: datetime | None = Field(
        default=None, sa_type=TIME, nullable=False, sa_column_kwargs={"server_default": text("now()")}
    )
    """The time of the event, set by the database."""
