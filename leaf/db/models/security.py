"""What happened that matters for security."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, text
from sqlalchemy.dialects.postgresql import CIDR
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, key
from leaf.db.storable import StorableText

_EMPTY = {"server_default": text("''")}


class SecurityEvent(Base, table=True):
    """One event; the app can add them and cannot change them."""

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
    """Whose event it is; None where nobody was signed in, or somebody has left."""
    kind: str = Field(sa_type=StorableText)
    """One of `leaf.services.security.Kind`."""
    about: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    """What it was about, in a word: a provider, a code, the id of a chat. Never a secret, nothing of other people."""
    network: str | None = Field(default=None, sa_type=CIDR)
    """From where, as /24 or /64; None where it was no request."""
    user_agent: str = Field(default="", sa_type=StorableText, sa_column_kwargs=_EMPTY)
    created_at: datetime | None = Field(
        default=None, sa_type=TIME, nullable=False, sa_column_kwargs={"server_default": text("now()")}
    )
    """The database says it."""
