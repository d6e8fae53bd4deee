"""What an answer has used, in figures that can be added up."""

from dataclasses import astuple, dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Usage:
    """What was used, over several requests to a model. `cost_usd` is None where the price of one is not known."""

    input_tokens: int = 0
    """All of them, those from and to the provider's cache included."""
    output_tokens: int = 0
    """All of them, thinking included."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    thinking_tokens: int = 0
    requests: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(None if one is None or two is None else one + two for one, two in pairs))  # type: ignore[arg-type]

    def since(self, earlier: "Usage") -> "Usage":
        """What came after another state of the same sums: nothing less than nothing."""
        pairs = zip(astuple(self), astuple(earlier), strict=True)
        return Usage(*(None if one is None else max(0, one - (two or 0)) for one, two in pairs))  # type: ignore[arg-type]
