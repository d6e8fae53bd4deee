"""Sums over entries of the usage ledger."""

from dataclasses import astuple, dataclass
from decimal import Decimal
from typing import Any, Self

from sqlalchemy import func
from sqlmodel import col

from leaf.db.models import UsageEntry


@dataclass(frozen=True)
class Usage:
    """Usage of one or more requests to a model. `cost_usd` is None if the price of any request is unknown."""

    input_tokens: int = 0
    """Includes tokens read from and written to the provider's cache."""
    output_tokens: int = 0
    """Includes thinking."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    thinking_tokens: int = 0
    requests: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(None if one is None or two is None else one + two for one, two in pairs))  # type: ignore[arg-type]

    def since(self, earlier: "Usage") -> "Usage":
        """The difference to an earlier state of the same sums, at least 0 in each figure."""
        pairs = zip(astuple(self), astuple(earlier), strict=True)
        return Usage(*(None if one is None else max(0, one - (two or 0)) for one, two in pairs))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Totals:
    """Usage of several runs. Input includes cached tokens, output includes thinking."""

    entries: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    """Cost of the entries whose price is known."""
    unpriced: int = 0
    """Number of entries without a known price."""
    duration_ms: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together, as budgets count them."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @classmethod
    def of_row(cls, row: Any) -> Self:
        """The totals in a row that was selected by `columns`."""
        entries, requests, given, made, read, written, thinking, cost, unpriced, duration_ms = row
        return cls(
            int(entries), int(requests), int(given), int(made), int(read), int(written), int(thinking),
            Decimal(cost), int(unpriced), int(duration_ms),
        )  # fmt: skip


def columns() -> list[Any]:
    """The columns that `Totals.of_row` reads."""
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
