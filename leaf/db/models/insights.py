"""Budget alerts and logged requests to models, for the members of a site."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Date, Index, Integer, UniqueConstraint
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, key
from leaf.db.models.sites import SITE_COLUMN, of_agent
from leaf.db.storable import StorableText


class BudgetAlert(Base, table=True):
    """An alert that 80 or 100 percent of a budget are used. Only `leaf_note_budgets` adds it, once for each period."""

    __tablename__ = "budget_alerts"
    __table_args__ = (
        CheckConstraint("unit IN ('tokens', 'usd', 'messages')", name="unit"),
        CheckConstraint("percent IN (80, 100)", name="percent"),
        CheckConstraint("(agent_id IS NULL) = (unit <> 'messages')", name="agent"),
        of_agent(),
        UniqueConstraint(
            "tenant_id", "agent_id", "unit", "percent", "period", postgresql_nulls_not_distinct=True
        ),
    )  # fmt: skip

    id: UUID = key()
    site_id: UUID = Field(foreign_key="tenants.id", ondelete="CASCADE", sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID | None = None
    """The agent, for a daily budget of messages; None for a monthly budget of the site."""
    unit: str = Field(sa_type=StorableText)
    percent: int = Field(sa_type=Integer)
    period: date = Field(sa_type=Date)
    """The day, or the first day of the month (UTC)."""
    created_at: datetime = created()


class ProviderLog(Base, table=True):
    """A request to a model and its response, complete except for secrets. It is deleted when it expires."""

    __tablename__ = "provider_logs"
    __table_args__ = (
        CheckConstraint("char_length(address) <= 500", name="address"),
        CheckConstraint("octet_length(request) <= 262144", name="request"),
        CheckConstraint("octet_length(response) <= 262144", name="response"),
        of_agent(),
        Index(None, "chat_session_id", "created_at"),
        Index(None, "tenant_id", "agent_id"),
    )

    id: UUID = key()
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE", index=True)
    run_id: UUID
    number: int = Field(sa_type=Integer)
    """The number of the request in its run, from 1."""
    address: str = Field(sa_type=StorableText)
    status: int | None = Field(default=None, sa_type=Integer)
    """The HTTP status; None without a response."""
    latency_ms: int = Field(sa_type=Integer)
    request: str = Field(sa_type=StorableText)
    request_bytes: int = Field(sa_type=BigInteger)
    """The length before truncation."""
    response: str = Field(sa_type=StorableText)
    response_bytes: int = Field(sa_type=BigInteger)
    created_at: datetime = created()
    expires_at: datetime = Field(sa_type=TIME, index=True)
