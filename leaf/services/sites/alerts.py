"""The daily usage of agents by their visitors, and alerts about used budgets.

Each member of the team dismisses alerts separately.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import text

from leaf import config
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events

# The highest alert of each budget whose period has not ended. The policies of the tables limit it to the team's sites.
_CURRENT = """
    SELECT DISTINCT ON (b.tenant_id, b.agent_id, b.unit)
        b.id, t.name AS site, coalesce(a.name, '') AS agent, b.unit, b.percent, b.created_at
    FROM tenant_members m
    JOIN budget_alerts b ON b.tenant_id = m.tenant_id
    JOIN tenants t ON t.id = b.tenant_id
    LEFT JOIN agents a ON a.id = b.agent_id
    WHERE m.user_id = leaf_user_id()
        AND b.period >= CASE WHEN b.unit = 'messages' THEN CAST(:today AS date) ELSE CAST(:month AS date) END
        AND {which}
    ORDER BY b.tenant_id, b.agent_id, b.unit, b.percent DESC
"""
_OF_AGENT = text(
    _CURRENT.format(
        which="b.tenant_id = (SELECT tenant_id FROM agents WHERE id = :agent) "
        "AND (b.agent_id IS NULL OR b.agent_id = :agent)"
    )
)
_UNSEEN = text(_CURRENT.format(which="b.created_at > m.alerts_seen_at"))
_SEEN = text("UPDATE tenant_members SET alerts_seen_at = greatest(alerts_seen_at, :until) WHERE user_id = :user")


@dataclass(frozen=True)
class Alert:
    """An alert that 80 or 100 percent of a budget are used."""

    id: UUID
    site: str
    """The name of the site."""
    agent: str
    """The name of the agent for a daily limit of messages; empty for a monthly budget of the site."""
    unit: Literal["tokens", "usd", "messages"]
    percent: int
    entered_at: datetime


async def note_budgets(actor: Actor) -> None:
    """Checks the budgets that an answer has used, and notifies open pages of the team about new alerts.

    Args:
        actor: The visitor, or a worker that acts for the visitor. For other actors nothing is checked.
    """
    settings = config.current()
    values = {"tokens": settings.site_monthly_tokens, "usd": settings.site_monthly_usd}
    async with transaction(actor) as tx:
        query = text("SELECT leaf_note_budgets(CAST(:tokens AS bigint), CAST(:usd AS numeric))")
        recipients: Sequence[UUID] = (await tx.execute(query, values)).scalars().all()
    if recipients:
        await events.publish([events.user(member) for member in recipients])


async def alerts(actor: Actor, agent_id: UUID) -> list[Alert]:
    """The current alerts of an agent and its site. Empty if the actor is not in the site's team."""
    async with transaction(actor, read_only=True) as tx:
        return _alerts(await tx.execute(_OF_AGENT, {"agent": agent_id, **_periods()}))


async def read_unseen(tx: Transaction) -> list[Alert]:
    """The alerts that the actor has not dismissed."""
    return _alerts(await tx.execute(_UNSEEN, _periods()))


async def saw_alerts(actor: Actor, seen: Sequence[Alert]) -> None:
    """Marks alerts as dismissed by the actor."""
    if seen:
        async with transaction(actor) as tx:
            values = {"user": actor.user_id, "until": max(one.entered_at for one in seen)}
            await tx.execute(_SEEN, values)


def _periods() -> dict[str, date]:
    today = utc_now().date()
    return {"today": today, "month": today.replace(day=1)}


def _alerts(rows: Any) -> list[Alert]:
    return [Alert(row.id, row.site, row.agent, row.unit, row.percent, row.created_at) for row in rows]


SPANS_DAYS: Final = (7, 30, 90)
"""The numbers of days that a page can show. The entries are kept longer."""


@dataclass(frozen=True)
class DayOfUse:
    """The usage of an agent by its visitors on one day (UTC)."""

    day: date
    answers: int = 0
    failed: int = 0
    visitors: int = 0
    """The number of visitors who have asked."""
    tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    median_ms: float | None = None
    """The median duration of an answer; None on a day without answers."""
    first_ms: float | None = None
    """The median time to the first word."""


async def used(actor: Actor, agent_id: UUID, days: int) -> list[DayOfUse]:
    """The usage of an agent by its visitors on recent days including today, the oldest first.

    Args:
        actor: A member of the site's team. For anybody else all days are without usage.
        agent_id: The agent.
        days: Number of days, including days without usage.
    """
    today = utc_now().date()
    since = today - timedelta(days=days - 1)
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.call("leaf_tenant_usage", agent_id, since)).all()
    found = {
        row.day: DayOfUse(
            row.day, int(row.answers), int(row.failed), int(row.visitors), int(row.tokens), Decimal(row.cost_usd),
            row.median_ms, row.first_ms,
        )
        for row in rows
    }  # fmt: skip
    listed = [since + timedelta(days=place) for place in range(days)]
    return [found.get(day) or DayOfUse(day) for day in listed]
