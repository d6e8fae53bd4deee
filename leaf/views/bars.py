"""Bar charts of figures by day. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

COLUMN_WIDTH = 20
HEIGHT = 1000
_SMALLEST = 15


@dataclass(frozen=True)
class Bar:
    """The bar of a day. All numbers are in the chart's own units, with y = 0 at the top."""

    x: int
    y: int
    height: int


@dataclass(frozen=True)
class Chart:
    words: str = ""
    """The chart in words; empty if there is nothing to show."""
    bars: list[Bar] = field(default_factory=list[Bar])
    first: str = ""
    """The oldest day, in words."""


def bars(values: Sequence[float]) -> list[Bar]:
    """The bars of days. The highest one fills the chart, and every day with a value above 0 has a visible bar."""
    most = max(values, default=0)
    return [_bar(place, value / most if most else 0.0) for place, value in enumerate(values)]


def _bar(place: int, part: float) -> Bar:
    height = round(max(part * HEIGHT, _SMALLEST)) if part > 0 else 0
    return Bar(place * COLUMN_WIDTH + COLUMN_WIDTH * 3 // 20, HEIGHT - height, height)
