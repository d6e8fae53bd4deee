"""The results of an evaluation as a table, and beside an earlier one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

from leaf import parts
from tests.eval import judging
from tests.eval.cases import Case
from tests.eval.judging import Verdict
from tests.eval.transcript import Answer, Run

Z = 1.96
"""Of a normal distribution, 95 % lie within so many standard deviations."""
_HEAD = (
    "| Category | Questions | Right | 95 % | Citation precision | Citation recall | Computed | Absence | Unverified | "
    "Calls | Steps | Tokens in | out | USD | Seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)
_COMPARED = (
    "| Category | Questions | Right before | now | Better | Worse | Difference | Citation precision | "
    "Citation recall | USD a question |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True)
class Result:
    """A question, its answer, and the verdict on it."""

    case: Case
    answer: Answer
    verdict: Verdict

    @property
    def key(self) -> str:
        """The question, whatever the run."""
        return f"{self.answer.of}/{self.case.category}/{self.case.id}"

    @property
    def calls(self) -> int:
        """The number of tool calls."""
        return sum(parts.is_tool(part) for part in self.answer.parts)


def judged(run: Run) -> list[Result]:
    """The verdicts on the answers of a run."""
    return [
        Result(case, answer, judging.judge(case, answer.status, answer.parts, known))
        for case, answer, known in run.questions()
    ]


@dataclass(frozen=True)
class Figures:
    """The figures of a category, or of all. Calls, steps, tokens and seconds are means over its questions."""

    questions: int
    right: int
    precision: float | None
    recall: float | None
    computed: tuple[int, int]
    """Right figures that the program has computed, of those that it should have."""
    absent: tuple[int, int]
    """Answers that say honestly that something is not there, of the questions about such things."""
    unverified: int
    """Quotes that were not found in what was read."""
    calls: float
    steps: float
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """The sum; None where a price is not known."""
    seconds: float

    @classmethod
    def of(cls, results: Sequence[Result]) -> "Figures":
        answers = [one.answer for one in results]
        verdicts = [one.verdict for one in results]
        costs = [one.cost_usd for one in answers]
        computed = [one.computed for one in verdicts if one.computed is not None]
        absent = [one.verdict.right for one in results if one.case.refusal]
        return cls(
            questions=len(results),
            right=sum(one.right for one in verdicts),
            precision=_mean([one.precision for one in verdicts]),
            recall=_mean([one.recall for one in verdicts]),
            computed=(sum(computed), len(computed)),
            absent=(sum(absent), len(absent)),
            unverified=sum(one.unverified for one in verdicts),
            calls=mean(one.calls for one in results),
            steps=mean(one.requests for one in answers),
            input_tokens=mean(one.input_tokens for one in answers),
            output_tokens=mean(one.output_tokens for one in answers),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            seconds=mean(one.seconds for one in answers),
        )

    def row(self, name: str) -> str:
        """A row of the table."""
        low, high = wilson(self.right, self.questions)
        cells = [
            name, f"{self.questions}", f"{self.right} ({self.right / self.questions:.0%})", f"{low:.0%}–{high:.0%}",
            _share(self.precision), _share(self.recall), _of(self.computed), _of(self.absent), f"{self.unverified}",
            f"{self.calls:.1f}", f"{self.steps:.1f}", f"{self.input_tokens:,.0f}",
            f"{self.output_tokens:,.0f}", "unknown" if self.cost_usd is None else f"{self.cost_usd:.4f}",
            f"{self.seconds:.1f}",
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"


def by_category(results: Sequence[Result]) -> dict[str, Figures]:
    """The figures of each category, in the order of the questions."""
    names = dict.fromkeys(one.case.category for one in results)
    return {name: Figures.of([one for one in results if one.case.category == name]) for name in names}


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
    return "\n".join(
        f"- `{one.case.id}`: {'; '.join(one.verdict.problems)}" for one in results if not one.verdict.right
    )


def compared(earlier: Sequence[Result], later: Sequence[Result]) -> str:
    """Two runs over the questions that both have answered: the differences with 95 % intervals, then each question that
    is answered better or worse.
    """
    before = {one.key: one for one in earlier}
    pairs = [(before[one.key], one) for one in later if one.key in before]
    if not pairs:
        return "No question was asked in both runs."
    names = (*dict.fromkeys(one.case.category for _, one in pairs), "**all**")
    lines = [
        _COMPARED,
        *(_difference(name, [pair for pair in pairs if name in {pair[1].case.category, "**all**"}]) for name in names),
    ]
    changed = [
        f"- {'better' if now.verdict.right else 'WORSE'}: `{now.case.id}` {'; '.join(now.verdict.problems)}".rstrip()
        for was, now in pairs
        if was.verdict.right != now.verdict.right
    ]
    missing = before.keys() - {one.key for one in later}
    left = [f"- not asked this time: {', '.join(sorted(missing))}"] if missing else []
    return "\n".join([*lines, "", *(changed or ["No question is answered better or worse."]), *left])


def regressions(earlier: Sequence[Result], later: Sequence[Result]) -> list[str]:
    """The questions that were answered rightly before, and are not now."""
    before = {one.key for one in earlier if one.verdict.right}
    return [one.case.id for one in later if not one.verdict.right and one.key in before]


def _difference(name: str, pairs: Sequence[tuple[Result, Result]]) -> str:
    was, now = (sum(one.verdict.right for one in side) for side in zip(*pairs, strict=True))
    better = sum(after.verdict.right > before.verdict.right for before, after in pairs)
    worse = sum(after.verdict.right < before.verdict.right for before, after in pairs)
    low, high = paired(better, worse, len(pairs))

    def shift(value: Callable[[Result], float | None], form: str, unit: float = 1) -> str:
        known = [(value(before), value(after)) for before, after in pairs]
        steps = [(after - before) * unit for before, after in known if before is not None and after is not None]
        if len(steps) < 2:
            return "–"
        reach = Z * stdev(steps) / sqrt(len(steps))
        return f"{mean(steps):{form}} ± {reach:{form.removeprefix('+')}}"

    cells = [
        name, f"{len(pairs)}", f"{was}", f"{now}", f"{better}", f"{worse}",
        f"{(now - was) / len(pairs):+.0%} ({low:+.0%} to {high:+.0%})",
        shift(lambda one: one.verdict.precision, "+.1f", 100), shift(lambda one: one.verdict.recall, "+.1f", 100),
        shift(lambda one: one.answer.cost_usd, "+.5f"),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def wilson(right: int, questions: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927)."""
    share, more = right / questions, Z * Z / questions
    middle = (share + more / 2) / (1 + more)
    reach = Z * sqrt(share * (1 - share) / questions + more / questions / 4) / (1 + more)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def paired(better: int, worse: int, questions: int) -> tuple[float, float]:
    """The 95 % interval of the difference between two shares of the same questions (Agresti and Min, 2005).

    Args:
        better: The questions that are right in the second run alone.
        worse: Those that are right in the first run alone.
        questions: All of them.
    """
    # Half an observation more in each cell of the table of two by two.
    gained, lost, count = better + 0.5, worse + 0.5, questions + 2
    step = (gained - lost) / count
    reach = Z * sqrt(max(0.0, gained + lost - (gained - lost) ** 2 / count)) / count
    return max(-1.0, step - reach), min(1.0, step + reach)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _of(counted: tuple[int, int]) -> str:
    return f"{counted[0]} of {counted[1]}" if counted[1] else "–"
