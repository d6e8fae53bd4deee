"""Budgets: the state of a budget, the share of one answer, and their texts. Pure.

The amounts are settings of the installation and of sites (`leaf.services.sites.settings`). `limits` applies them to a
question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Literal

from leaf import texts
from leaf.texts import dates

Unit = Literal["tokens", "usd"]
Period = Literal["day", "month"]

_SMALLEST_PART = 20
"""An answer may use 1/20 of a whole budget if half of the rest is less than that."""
_CENT = Decimal("0.01")
_SMALL = Decimal("0.0001")


@dataclass(frozen=True)
class Allowance:
    """Limits of one answer that follow from its asker's budgets; None means no limit."""

    tokens: int | None = None
    usd: Decimal | None = None


@dataclass(frozen=True)
class Standing:
    """The state of a budget. Amounts are tokens or US dollars."""

    period: Period
    unit: Unit
    limit: Decimal
    used: Decimal
    reserved: Decimal
    """The amount reserved for answers that are being written."""
    resets_at: datetime

    @property
    def left(self) -> Decimal:
        """The unused amount, at least 0."""
        return max(self.limit - self.used, Decimal(0))

    @property
    def free(self) -> Decimal:
        """The amount that is neither used nor reserved, at least 0."""
        return max(self.limit - self.used - self.reserved, Decimal(0))

    def after(self, amount: Decimal) -> "Standing":
        """The state of this budget after the use of a further amount."""
        return replace(self, used=self.used + amount)

    @property
    def name(self) -> texts.Message:
        """The name of the budget, such as "today's 5,000 tokens"."""
        most = amount(self.unit, self.limit)
        if self.period == "day":
            return texts.english("budgets.name_day", amount=most)
        return texts.english("budgets.name_month", amount=most)

    def resets_in_seconds(self, now: datetime) -> int:
        """Whole seconds until the day or month ends, at least 1."""
        return max(1, -int((now - self.resets_at).total_seconds() // 1))

    def reset(self, now: datetime) -> texts.Message:
        """The time of the next reset in words, such as "00:00 UTC (in 3 hours 12 minutes)"."""
        at = texts.english("budgets.midnight")
        if self.period == "month":
            at = texts.english("budgets.day_midnight", day=dates.day(self.resets_at))
        return texts.english("budgets.reset", at=at, span=dates.span(self.resets_in_seconds(now)))


def resets_at(period: Period, now: datetime) -> datetime:
    """The end of the day or month that contains `now`, in UTC."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return midnight + timedelta(days=1)
    return (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)


def share(standings: Sequence[Standing], unit: Unit, at_most: Decimal | None) -> Decimal | None:
    """The share of a new answer. It is half of the free amount, so that other questions can be asked meanwhile.

    The share is at least a twentieth of the whole budget, but never more than the free amount. Of several budgets, the
    smallest share counts.

    Args:
        standings: All budgets of the asker.
        unit: Unit of the share.
        at_most: The limit of any answer, independent of budgets; None for no limit.

    Returns:
        None if no budget is in this unit.
    """
    parts = [min(one.free, max(one.free / 2, one.limit / _SMALLEST_PART)) for one in standings if one.unit == unit]
    if not parts:
        return None
    least = min(parts) if at_most is None else min(*parts, at_most)
    if unit == "usd":
        return least
    return least.to_integral_value(ROUND_DOWN) or min(parts)


def refusal(standing: Standing, now: datetime) -> texts.Message:
    """The text that refuses a question: the limit, the rest, and the time of the next reset."""
    if standing.left > 0:
        left = amount(standing.unit, standing.left)
        return texts.english("budgets.set_aside", name=standing.name, left=left, reset=standing.reset(now))
    used = amount(standing.unit, standing.used)
    return texts.english("budgets.used_up", name=standing.name, used=used, reset=standing.reset(now))


def ended(standing: Standing, now: datetime) -> str:
    """The last sentences of an answer that was cut off because of a budget."""
    if standing.left > 0:
        left = amount(standing.unit, standing.left)
        return texts.english("budgets.answer_share", name=standing.name, left=left, reset=standing.reset(now))
    return texts.english("budgets.answer_all", name=standing.name, reset=standing.reset(now))


def amount(unit: Unit, value: Decimal) -> texts.Message:
    """An amount in words, such as "1,234 tokens" or "$0.05". Amounts below one cent have four decimals."""
    if unit == "tokens":
        return texts.english("amounts.tokens", count=int(value))
    small = 0 < value < _CENT
    if small and value < _SMALL:
        return texts.english("amounts.tiny")
    return texts.english("amounts.usd", value=value.quantize(_SMALL if small else _CENT))
