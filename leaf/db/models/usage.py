"""The usage ledger. Entries are never changed or deleted."""

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Date, Index, Integer, Numeric, UniqueConstraint, text
from sqlmodel import Field

from leaf.db.models.base import Base, created, default, key, utc_now
from leaf.db.storable import StorableText


class UsageEntry(Base, table=True):
    """The usage of one run for one purpose. It remains after its chat and message are deleted."""

    __tablename__ = "usage_entries"
    __table_args__ = (
        UniqueConstraint("run_id", "purpose", "user_id"),
        CheckConstraint("purpose IN ('answer', 'title', 'related', 'summary', 'plan')", name="purpose"),
        CheckConstraint(
            "least(requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, "
            "cost_usd) >= 0",
            name="amounts",
        ),
        Index(None, "user_id", "day"),
        Index(None, "workspace_id", "day"),
    )

    id: UUID = key()
    run_id: UUID
    purpose: str = Field(sa_type=StorableText)
    """`answer`, `title`, `related`, `summary` or `plan`."""
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID | None = Field(default=None, foreign_key="workspaces.id", ondelete="SET NULL", index=True)
    chat_session_id: UUID | None = Field(default=None, foreign_key="chat_sessions.id", ondelete="SET NULL", index=True)
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="SET NULL", index=True)
    day: date = Field(
        default_factory=lambda: utc_now().date(),
        sa_type=Date,
        sa_column_kwargs={"server_default": text("((now() AT TIME ZONE 'UTC')::date)")},
    )
    """The day (UTC) on which the run ended."""
    model: str = Field(sa_type=StorableText)
    """The model, as `provider:name`."""
    requests: int = default(0)
    input_tokens: int = default(0, BigInteger)
    """All input tokens, including those read from and written to the provider's cache."""
    output_tokens: int = default(0, BigInteger)
    """All output tokens, including thinking."""
    cache_read_tokens: int = default(0, BigInteger)
    cache_write_tokens: int = default(0, BigInteger)
    thinking_tokens: int = default(0, BigInteger)
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    """The cost; None if the price of the model is unknown."""
    duration_ms: int | None = Field(default=None, sa_type=Integer)
    first_text_ms: int | None = Field(default=None, sa_type=Integer)
    """The time from the question to the first text of the answer; None if it is unknown."""
    failed: bool = default(False)
    created_at: datetime = created()
