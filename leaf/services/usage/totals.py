"""Sums of what was used."""

from dataclasses import astuple, dataclass
from decimal import Decimal
from typing import Any, Self

from sqlalchemy import func
from sqlmodel import col

from leaf.db.models import UsageEntry


@dataclass(frozen=True)
class Totals:
    """What was used by several runs. Input includes what came from the cache, output includes thinking."""

    entries: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    """Of the entries whose price is known."""
    unpriced: int = 0
    """How many entries have no known price."""
    duration_ms: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together, as budgets count."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @classmethod
    def of_row(cls, row: Any) -> Self:
        """From the columns of `columns`, in their order."""
        entries, requests, given, made, read, written, thinking, cost, unpriced, duration_ms = row
        return cls(
            int(entries), int(requests), int(given), int(made), int(read), int(written), int(thinking),
            Decimal(cost), int(unpriced), int(duration_ms),
        )  # fmt: skip


def columns() -> list[Any]:
    """What a query selects to make `Totals`."""
    numbers = (
        UsageEntry.requests, UsageEntry.input_tokens, UsageEntry.output_tokens, UsageEntry.cache_read_tokens,
        UsageEntry.cache_write_tokens, UsageEntry.thinking_tokens, UsageEntry.cost_usd,
    )  # fmt: skip
    return [
        func.count(),
        *(func.coalesce(func.sum(col(number)), 0) for number in numbers),
        func.count().filter(col(UsageEntry.cost_usd).is_(None)),
        func.coalesce(func.sum(col(UsageEntry.duration_ms)), 0),
    ]
