"""The unused part of each budget, and the refusals of questions for which nothing is left."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from leaf import config, errors, texts
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import rates
from leaf.services.usage.budgets import Allowance, Period, Standing, Unit, refusal, resets_at, share

MINUTE_SECONDS = 60.0

# One statement reads a consistent state: an answer that ends meanwhile counts either as reserved or as used.
_USED = """
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
"""


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


async def _person_standings(tx: Transaction, now: datetime) -> list[Standing]:
    budgets = _budgets()
    if not budgets:
        return []
    values = {"user_id": tx.actor.user_id, "today": now.date(), "month": now.date().replace(day=1)}
    row = (await tx.execute(_USED, values)).mappings().one()
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


async def _lock_person(tx: Transaction, user_id: UUID | None) -> None:
    await tx.lock(f"usage:{user_id}")


async def _site_standings(tx: Transaction, now: datetime) -> list[Standing]:
    """The state of this month's budgets of the site that the actor visits; empty if no budget is set.

    The lower one of the operator's limit and the site's own limit applies.
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


async def _lock_site(tx: Transaction, _user_id: UUID | None) -> None:
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('leaf:tenant-usage:' || v.tenant_id, 0)) "
        "FROM visitors v WHERE v.user_id = leaf_user_id()"
    )


def _lower(one: int | Decimal | None, other: int | Decimal | None) -> Decimal | None:
    return min((Decimal(limit) for limit in (one, other) if limit is not None), default=None)


@dataclass(frozen=True)
class _Budget:
    """One kind of budget (`Audience.budget`)."""

    is_set: Callable[[], bool]
    lock: Callable[[Transaction, UUID | None], Awaitable[None]]
    standings: Callable[[Transaction, datetime], Awaitable[list[Standing]]]


async def _nothing(*_: object) -> list[Standing]:
    return []


async def _unlocked(*_: object) -> None: ...


_KINDS: Final = {
    "person": _Budget(lambda: bool(_budgets()), _lock_person, _person_standings),
    # A site may have its own budgets, which only the database knows.
    "site": _Budget(lambda: True, _lock_site, _site_standings),
    "": _Budget(lambda: False, _unlocked, _nothing),
}


async def standings(actor: Actor) -> list[Standing]:
    """The state of the budgets that pay for the actor's answers; empty if no budget is set."""
    if not _KINDS[actor.audience.budget].is_set():
        return []
    async with transaction(actor, read_only=True) as tx:
        return await read_standings(tx, actor, utc_now())


async def read_standings(tx: Transaction, actor: Actor, now: datetime) -> list[Standing]:
    """The same as `standings`, within a transaction of the actor."""
    return await _KINDS[actor.audience.budget].standings(tx, now)


async def lock(tx: Transaction, actor: Actor) -> None:
    """Locks the actor's budget until the end of the transaction, so that concurrent questions cannot use the same part.

    All transactions lock the budget before the chat. Otherwise two of them could deadlock.
    """
    budget = _KINDS[actor.audience.budget]
    if budget.is_set():
        await budget.lock(tx, actor.user_id)


async def reserve(tx: Transaction, actor: Actor) -> Allowance:
    """`lock` and `allowance` together, for a transaction that has not locked a chat yet."""
    await lock(tx, actor)
    return await allowance(tx, actor)


async def allowance(tx: Transaction, actor: Actor) -> Allowance:
    """The part of the budget that a new answer may use. The answer's row must store it in the same transaction.

    Args:
        tx: A transaction of the actor that holds the lock of the budget.
        actor: The asker.

    Raises:
        errors.BudgetReached: Nothing is left, or the rest is reserved for answers that are being written.
    """
    if not _KINDS[actor.audience.budget].is_set():
        return Allowance()
    now = utc_now()
    found = await read_standings(tx, actor, now)
    spent = [standing for standing in found if standing.free <= 0]
    if spent:
        # The text names a budget that is used up rather than reserved, and then the one with the longest wait.
        worst = max(spent, key=lambda one: (one.left <= 0, one.resets_at))
        raise errors.BudgetReached(refusal(worst, now), resets_in_seconds=worst.resets_in_seconds(now))
    settings = config.current()
    most = None if settings.token_limit is None else Decimal(settings.token_limit)
    tokens = share(found, "tokens", most)
    return Allowance(None if tokens is None else int(tokens), share(found, "usd", settings.cost_limit_usd))


async def throttle(actor: Actor) -> None:
    """Counts a question of a person. If Redis does not answer, the question is allowed.

    Raises:
        errors.RateLimited: The person has asked too often within the last minute.
    """
    most = config.current().requests_per_minute
    if not most:
        return
    if seconds := await rates.take(f"ask:{actor.user_id}", most, seconds=MINUTE_SECONDS):
        times = texts.english("budgets.questions", count=most)
        wait = texts.english("dates.seconds", count=seconds)
        raise errors.RateLimited(texts.english("budgets.rate", most=times, span=wait), resets_in_seconds=seconds)
