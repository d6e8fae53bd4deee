"""What people have used: a ledger that nothing is taken out of."""

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Date, Index, Integer, Numeric, UniqueConstraint, text
from sqlmodel import Field

from leaf.db.models.base import Base, created, key, utc_now
from leaf.db.storable import StorableText


def _none() -> dict[str, object]:
    return {"server_default": text("0")}


class UsageEntry(Base, table=True):
    """What one run used for one purpose. It outlives its chat and its message, and is never changed."""

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
    """answer, title, related or summary."""
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID | None = Field(default=None, foreign_key="workspaces.id", ondelete="SET NULL", index=True)
    chat_session_id: UUID | None = Field(default=None, foreign_key="chat_sessions.id", ondelete="SET NULL", index=True)
    message_id: UUID | None = Field(default=None, foreign_key="messages.id", ondelete="SET NULL", index=True)
    day: date = Field(
        default_factory=lambda: utc_now().date(),
        sa_type=Date,
        sa_column_kwargs={"server_default": text("((now() AT TIME ZONE 'UTC')::date)")},
    )
    """The day in UTC at which it was entered, which is when its run ended."""
    model: str = Field(sa_type=StorableText)
    """`provider:name`."""
    requests: int = Field(default=0, sa_type=Integer, sa_column_kwargs=_none())
    input_tokens: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=_none())
    """All of them, those from and to the provider's cache included."""
    output_tokens: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=_none())
    """All of them, thinking included."""
    cache_read_tokens: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=_none())
    cache_write_tokens: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=_none())
    thinking_tokens: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=_none())
    cost_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    """None where the price of the model is not known."""
    duration_ms: int | None = Field(default=None, sa_type=Integer)
    first_text_ms: int | None = Field(default=None, sa_type=Integer)
    """From the question to the first word of the answer; None where that is not known."""
    failed: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    created_at: datetime = created()
