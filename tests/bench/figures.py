"""The measurements: named figures with their values, their medians and what they should reach."""

from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any


@dataclass
class Figure:
    """One figure: `target` is what it should reach, where there is such a thing."""

    unit: str
    target: float | None
    values: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        return median(self.values)


class Figures:
    """All figures of one run of the bench.

    Args:
        rounds: How often each scenario is repeated.
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self._figures: dict[str, Figure] = {}

    def note(self, name: str, value: float, unit: str, target: float | None = None) -> None:
        """Adds a value of a round."""
        self._figures.setdefault(name, Figure(unit, target)).values.append(value)

    def median(self, name: str) -> float:
        """The median of a figure's rounds."""
        return self._figures[name].median

    def table(self) -> str:
        """The medians, in Markdown."""
        lines = ["| | Leaf | should reach | lowest and highest of the rounds |", "|---|---|---|---|"]
        for name, one in self._figures.items():
            target = "–" if one.target is None else f"≤ {one.target:g} {one.unit}"
            spread = f"{min(one.values):.4g} – {max(one.values):.4g}"
            lines.append(f"| {name} | {one.median:.4g} {one.unit} | {target} | {spread} |")
        return "\n".join(lines)

    def as_json(self) -> dict[str, dict[str, Any]]:
        """Everything, for a file."""
        return {
            name: {"median": one.median, "unit": one.unit, "target": one.target, "values": one.values}
            for name, one in self._figures.items()
        }


def late(values: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
