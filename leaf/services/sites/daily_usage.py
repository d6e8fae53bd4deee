"""Usage by the visitors of an agent, by day."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction

SPANS_DAYS: Final = (7, 30, 90)
"""Days that a page can show; entries are kept longer."""


@dataclass(frozen=True)
class DayOfUse:
    """Usage by visitors of an agent on a day (UTC)."""

    day: date
    answers: int = 0
    failed: int = 0
    visitors: int = 0
    """How many of them have asked."""
    tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    median_ms: float | None = None
    """How long an answer took; half of them took longer. None on a day without answers."""
    first_ms: float | None = None
    """How long its first word took; half of them took longer."""


async def used(actor: Actor, agent_id: UUID, days: int) -> list[DayOfUse]:
    """Usage by an agent's visitors on recent days including today, oldest first; empty for others than the team.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        days: Number of days, including days without usage.
    """
    today = utc_now().date()
    since = today - timedelta(days=days - 1)
    async with transaction(actor, read_only=True) as tx:
        query = text("SELECT * FROM leaf_tenant_usage(:agent, :since)")
        rows = (await (await tx.session.connection()).execute(query, {"agent": agent_id, "since": since})).all()
    found = {
        row.day: DayOfUse(
            row.day, int(row.answers), int(row.failed), int(row.visitors), int(row.tokens), Decimal(row.cost_usd),
            row.median_ms, row.first_ms,
        )
        for row in rows
    }  # fmt: skip
    return [found.get(day) or DayOfUse(day) for day in (since + timedelta(days=back) for back in range(days))]
