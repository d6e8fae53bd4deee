"""Budgets: how much of one is left, what an answer may take of it, and the words for all that. Pure."""

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
"""An answer may take this part of a whole budget (1/20), where half of what is left is less."""
_CENT = Decimal("0.01")
_SMALL = Decimal("0.0001")


@dataclass(frozen=True)
class Allowance:
    """What one answer may use of its asker's budgets; None is no limit."""

    tokens: int | None = None
    usd: Decimal | None = None


@dataclass(frozen=True)
class Standing:
    """How a budget stands. Amounts are tokens or US dollars."""

    period: Period
    unit: Unit
    limit: Decimal
    used: Decimal
    reserved: Decimal
    """Set aside for answers that are under way."""
    resets_at: datetime

    @property
    def left(self) -> Decimal:
        """What was not used yet, 0 or more."""
        return max(self.limit - self.used, Decimal(0))

    @property
    def free(self) -> Decimal:
        """What is neither used nor set aside, 0 or more."""
        return max(self.limit - self.used - self.reserved, Decimal(0))

    def after(self, amount: Decimal) -> "Standing":
        """The same once so much more is used."""
        return replace(self, used=self.used + amount)

    @property
    def name(self) -> texts.Message:
        """Such as "today's 5,000 tokens"."""
        most = amount(self.unit, self.limit)
        if self.period == "day":
            return texts.english("budgets.name_day", amount=most)
        return texts.english("budgets.name_month", amount=most)

    def resets_in_seconds(self, now: datetime) -> int:
        """Until the day or month is over, in whole seconds, 1 or more."""
        return max(1, -int((now - self.resets_at).total_seconds() // 1))

    def reset(self, now: datetime) -> texts.Message:
        """When it begins anew, such as "00:00 UTC (in 3 hours 12 minutes)"."""
        at = texts.english("budgets.midnight")
        if self.period == "month":
            at = texts.english("budgets.day_midnight", day=dates.day(self.resets_at))
        return texts.english("budgets.reset", at=at, span=dates.span(self.resets_in_seconds(now)))


def resets_at(period: Period, now: datetime) -> datetime:
    """When the day or the month of a time ends, in UTC."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return midnight + timedelta(days=1)
    return (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)


def share(standings: Sequence[Standing], unit: Unit, at_most: Decimal | None) -> Decimal | None:
    """What a new answer may use: half of what is free, so that others can be asked for meanwhile.

    Once that is little it may be a twentieth of the whole budget. What is set aside never exceeds what is free.

    Args:
        standings: All budgets.
        unit: Of the amount.
        at_most: What one answer may use in any case, if that is limited.

    Returns:
        None where no budget counts in this unit.
    """
    parts = [min(one.free, max(one.free / 2, one.limit / _SMALLEST_PART)) for one in standings if one.unit == unit]
    if not parts:
        return None
    given = min(parts) if at_most is None else min(*parts, at_most)
    return given.to_integral_value(ROUND_DOWN) or min(parts) if unit == "tokens" else given


def refusal(standing: Standing, now: datetime) -> texts.Message:
    """Why nothing more can be asked: what the limit is, what is left of it, and when it begins anew."""
    if standing.left > 0:
        left = amount(standing.unit, standing.left)
        return texts.english("budgets.set_aside", name=standing.name, left=left, reset=standing.reset(now))
    used = amount(standing.unit, standing.used)
    return texts.english("budgets.used_up", name=standing.name, used=used, reset=standing.reset(now))


def ended(standing: Standing, now: datetime) -> str:
    """Why an answer ends in its middle, where a budget is the reason."""
    if standing.left > 0:
        return (
            f"I have used what this answer may use of {standing.name}, so this answer is partial. "
            f"Of the whole, {amount(standing.unit, standing.left)} are left until {standing.reset(now)}. "
            "Ask me to go on."
        )
    return (
        f"I have used all that was left of {standing.name}, so this answer is partial: nothing is left until "
        f"{standing.reset(now)}. Ask me to go on then."
    )


def amount(unit: Unit, value: Decimal) -> texts.Message:
    """An amount in words: "1,234 tokens", "$0.05"; less than a cent is shown to four places."""
    if unit == "tokens":
        return texts.english("amounts.tokens", count=int(value))
    small = 0 < value < _CENT
    if small and value < _SMALL:
        return texts.english("amounts.tiny")
    return texts.english("amounts.usd", value=value.quantize(_SMALL if small else _CENT))
