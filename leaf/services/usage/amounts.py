"""Token and cost figures of model requests, which can be added up."""

from dataclasses import astuple, dataclass
from decimal import Decimal


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
