"""Limits of use: reservations, rates, and their refusals."""

import math
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import text

from leaf import config, errors, texts
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import rates
from leaf.services.usage import tenants
from leaf.services.usage.budgets import Allowance, Period, Standing, Unit, refusal, resets_at, share

MINUTE_SECONDS = 60.0

# One statement sees one moment: an answer that ends meanwhile counts as reserved or as used, never as neither.
_USED = text("""
    SELECT
        used.*,
        (SELECT coalesce(sum(m.reserved_tokens), 0) FROM messages m
            WHERE m.user_id = :user_id AND m.status IN ('pending', 'streaming')) AS reserved_tokens,
        (SELECT coalesce(sum(m.reserved_usd), 0) FROM messages m
            WHERE m.user_id = :user_id AND m.status IN ('pending', 'streaming')) AS reserved_usd
    FROM (
        SELECT
            coalesce(sum(u.input_tokens + u.output_tokens) FILTER (WHERE u.day >= :today), 0) AS day_tokens,
            coalesce(sum(u.cost_usd) FILTER (WHERE u.day >= :today), 0) AS day_usd,
            coalesce(sum(u.input_tokens + u.output_tokens), 0) AS month_tokens,
            coalesce(sum(u.cost_usd), 0) AS month_usd
        FROM usage_entries u WHERE u.user_id = :user_id AND u.day >= :month
    ) used
""")
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")


def _budgets() -> list[tuple[Period, Unit, Decimal]]:
    """The configured budgets."""
    settings = config.current()
    limits: tuple[tuple[Period, Unit, int | Decimal | None], ...] = (
        ("day", "tokens", settings.daily_tokens),
        ("month", "tokens", settings.monthly_tokens),
        ("day", "usd", settings.daily_usd),
        ("month", "usd", settings.monthly_usd),
    )
    return [(period, unit, Decimal(limit)) for period, unit, limit in limits if limit is not None]


async def standings(actor: Actor) -> list[Standing]:
    """The state of all configured budgets of an actor; empty if none is configured."""
    if not _budgets() and actor.kind != "site_visitor":
        return []
    async with transaction(actor, read_only=True) as tx:
        return await read_standings(tx, actor, utc_now())


async def read_standings(tx: Transaction, actor: Actor, now: datetime) -> list[Standing]:
    """Does the same as `standings` within a transaction."""
    if actor.kind == "site_visitor":
        return await tenants.read_standings(tx, now)
    budgets = _budgets()
    if not budgets:
        return []
    values = {"user_id": actor.user_id, "today": now.date(), "month": now.date().replace(day=1)}
    row = (await (await tx.session.connection()).execute(_USED, values)).mappings().one()
    return [
        Standing(
            period=period,
            unit=unit,
            limit=limit,
            used=Decimal(row[f"{period}_{unit}"]),
            reserved=Decimal(row[f"reserved_{unit}"]),
            resets_at=resets_at(period, now),
        )
        for period, unit, limit in budgets
    ]


async def lock(tx: Transaction, user_id: UUID) -> None:
    """Makes other questions of a member wait for the end of the transaction, as `reserve` does.

    A caller that also locks a chat calls this first: the lock of the member always precedes the lock of the chat.
    """
    if _budgets():
        await (await tx.session.connection()).execute(_LOCK, {"key": f"leaf:usage:{user_id}"})


async def reserve(tx: Transaction, actor: Actor) -> Allowance:
    """Decides the limits of a new answer; the caller stores them with the answer in the same transaction.

    Concurrent questions of a member wait for one another here, so that they share the free amount.

    Raises:
        errors.BudgetReached: Nothing is left, or the rest is reserved for answers that are being written.
    """
    if actor.kind == "site_visitor":
        await tenants.lock(tx)
    elif not _budgets() or actor.user_id is None:
        return Allowance()
    else:
        await lock(tx, actor.user_id)
    now = utc_now()
    found = await read_standings(tx, actor, now)
    spent = [standing for standing in found if standing.free <= 0]
    if spent:
        # The refusal names the budget with the latest reset, and a used-up budget before a reserved one.
        worst = max(spent, key=lambda one: (one.left <= 0, one.resets_at))
        raise errors.BudgetReached(refusal(worst, now), resets_in_seconds=worst.resets_in_seconds(now))
    settings = config.current()
    most = None if settings.token_limit is None else Decimal(settings.token_limit)
    tokens = share(found, "tokens", most)
    return Allowance(None if tokens is None else int(tokens), share(found, "usd", settings.cost_limit_usd))


async def throttle(actor: Actor) -> None:
    """Counts a question of a member. Without Redis the question is let through.

    Raises:
        errors.RateLimited: The member has reached the limit of questions within a minute.
    """
    most = config.current().requests_per_minute
    if most is None:
        return
    seconds = math.ceil(await rates.take(f"ask:{actor.user_id}", most, seconds=MINUTE_SECONDS))
    if seconds:
        times = texts.english("budgets.questions", count=most)
        wait = texts.english("dates.seconds", count=seconds)
        raise errors.RateLimited(
            texts.english("budgets.rate", most=times, span=wait),
            resets_in_seconds=seconds,
        )
