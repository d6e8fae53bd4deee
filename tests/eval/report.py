"""The results of an evaluation as a table, as JSON, and beside an earlier one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from tests.eval.asking import Result

_HEAD = (
    "| Category | Questions | Right | Citation precision | Citation recall | Quotes | Unverified | Calls | Steps | "
    "Tokens in | out | USD | Seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True)
class Figures:
    """The figures of a category, or of all. Calls, steps, tokens and seconds are means over its questions."""

    questions: int
    right: int
    precision: float | None
    recall: float | None
    quotes: int
    unverified: int
    """Quotes of all answers, and those of them that were not found in what was read."""
    calls: float
    steps: float
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """The sum; None where a price is not known."""
    seconds: float

    @classmethod
    def of(cls, results: Sequence[Result]) -> "Figures":
        costs = [one.cost_usd for one in results]
        return cls(
            questions=len(results),
            right=sum(one.right for one in results),
            precision=_mean([one.precision for one in results]),
            recall=_mean([one.recall for one in results]),
            quotes=sum(one.quotes for one in results),
            unverified=sum(one.unverified for one in results),
            calls=mean(len(one.tools) for one in results),
            steps=mean(one.steps for one in results),
            input_tokens=mean(one.input_tokens for one in results),
            output_tokens=mean(one.output_tokens for one in results),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            seconds=mean(one.seconds for one in results),
        )

    def row(self, name: str) -> str:
        """A row of the table."""
        cells = [
            name, f"{self.questions}", f"{self.right} ({self.right / self.questions:.0%})", _share(self.precision),
            _share(self.recall), f"{self.quotes}", f"{self.unverified}",
            f"{self.calls:.1f}", f"{self.steps:.1f}", f"{self.input_tokens:,.0f}",
            f"{self.output_tokens:,.0f}", "unknown" if self.cost_usd is None else f"{self.cost_usd:.4f}",
            f"{self.seconds:.1f}",
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"


def by_category(results: Sequence[Result]) -> dict[str, Figures]:
    """The figures of each category, in the order of the questions."""
    names = dict.fromkeys(one.category for one in results)
    return {name: Figures.of([one for one in results if one.category == name]) for name in names}


def table(results: Sequence[Result], recalls: Mapping[str, Sequence[float]] | None = None) -> str:
    """The figures as a Markdown table.

    Args:
        results: The answers.
        recalls: Of each category, recall@5 and recall@20 of the search alone.
    """
    rows = [(name, figures.row(name)) for name, figures in by_category(results).items()]
    rows.append(("all", Figures.of(results).row("**all**")))
    if recalls is None:
        return "\n".join([_HEAD, *(row for _, row in rows)])
    first, second = _HEAD.split("\n")
    with_recalls = [f"{row} {' | '.join(map(_share, recalls.get(name, (None, None))))} |" for name, row in rows]
    return "\n".join([f"{first} Recall@5 | Recall@20 |", f"{second}--:|--:|", *with_recalls])


def wrong(results: Sequence[Result]) -> str:
    """A line for each answer that is not right."""
    return "\n".join(f"- `{one.id}`: {'; '.join(one.problems)}" for one in results if not one.right)


def as_json(model: str, results: Sequence[Result]) -> dict[str, Any]:
    """Everything, to be compared with later."""
    return {"model": model, "results": [one.as_json() for one in results]}


def compared(earlier: dict[str, Any], results: Sequence[Result]) -> str:
    """The differences to an earlier evaluation's JSON, better and worse."""
    before = {one["id"]: one for one in earlier["results"]}
    lines: list[str] = []
    for one in results:
        was = before.get(one.id)
        if was is None:
            continue
        if was["right"] != one.right:
            lines.append(f"- {'better' if one.right else 'WORSE'}: `{one.id}` {'; '.join(one.problems)}".rstrip())
        elif (one.recall or 0) < (was["recall"] or 0):
            lines.append(f"- WORSE: `{one.id}` names {one.recall or 0:.0%} of its sources; before {was['recall']:.0%}")
    missing = [name for name in before if name not in {one.id for one in results}]
    lines += [f"- not asked this time: {', '.join(missing)}"] if missing else []
    return "\n".join(lines) or "No question is answered better or worse."


def regressions(earlier: dict[str, Any], results: Sequence[Result]) -> list[str]:
    """The questions that were answered rightly before, and are not now."""
    before = {one["id"] for one in earlier["results"] if one["right"]}
    return [one.id for one in results if not one.right and one.id in before]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
