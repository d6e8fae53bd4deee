"""The monthly budget of a site, which all its visitors share."""

from datetime import datetime
from decimal import Decimal

from leaf import config
from leaf.db.session import Transaction
from leaf.services.usage.budgets import Standing, Unit, resets_at


async def read_standings(tx: Transaction, now: datetime) -> list[Standing]:
    """The state of this month's budgets of the site whose visitor is the actor; empty if none is set.

    The lower limit holds, the operator's or the site's own.
    """
    row = (await tx.call("leaf_tenant_standing", now.date().replace(day=1))).one_or_none()
    if row is None:
        return []
    settings = config.current()
    limits: dict[Unit, Decimal | None] = {
        "tokens": _lower(settings.site_monthly_tokens, row.monthly_tokens),
        "usd": _lower(settings.site_monthly_usd, row.monthly_usd),
    }
    used = {"tokens": (row.tokens, row.reserved_tokens), "usd": (row.usd, row.reserved_usd)}
    return [
        Standing("month", unit, limit, Decimal(used[unit][0]), Decimal(used[unit][1]), resets_at("month", now))
        for unit, limit in limits.items()
        if limit is not None
    ]


async def lock(tx: Transaction) -> None:
    """Makes other questions of the site's visitors wait for the end of the transaction."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('leaf:tenant-usage:' || v.tenant_id, 0)) "
        "FROM visitors v WHERE v.user_id = leaf_user_id()"
    )


def _lower(one: int | Decimal | None, other: int | Decimal | None) -> Decimal | None:
    return min((Decimal(limit) for limit in (one, other) if limit is not None), default=None)
