"""What was used, in words for the pages. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from leaf.services import models, usage
from leaf.services.usage import Totals

PURPOSES = {
    "answer": "Answers",
    "title": "Titles",
    "related": "Related questions",
    "summary": "Summaries",
}


@dataclass(frozen=True)
class Fact:
    """A name and what there is to say."""

    name: str
    value: str


@dataclass(frozen=True)
class Spent:
    """What one answer has used."""

    facts: list[Fact] = field(default_factory=list[Fact])
    note: str = ""
    """What is said beside it, or where nothing is known."""


NOT_YOURS = "What an answer has used is shown to the person who asked for it."


def of_answer(entries: Sequence[tuple[str, str, Totals]], earlier: Sequence[str] = ()) -> Spent:
    """What an answer has used.

    Args:
        entries: Those of its runs (`usage.of_runs`).
        earlier: The models, as `provider:name`, that could not be asked any more when it went on.
    """
    own = [(model, totals) for purpose, model, totals in entries if purpose == "answer"]
    if not own:
        return Spent(note=NOT_YOURS)
    used = sum((totals for _, totals in own), Totals())
    facts = [
        Fact("Model" if len(own) == 1 else "Models", ", ".join(models.label_of(model) for model, _ in own)),
        Fact("Input", _input(used)),
        Fact("Output", _output(used)),
        Fact("Cost", cost(used, free=all(model.startswith("sandbox:") for model, _ in own))),
        Fact("Requests to the model", f"{used.requests:,}"),
    ]
    if used.duration_ms:
        facts.append(Fact("Time", duration(used.duration_ms)))
    facts += [
        Fact(PURPOSES.get(purpose, purpose), f"{tokens(further.tokens)}, {cost(further)} ({models.label_of(of)})")
        for purpose, of, further in entries
        if purpose != "answer"
    ]
    gone = " and ".join(models.label_of(model) for model in earlier)
    return Spent(
        facts, f"Begun with {gone}, which could not be asked any more when the answer went on." if gone else ""
    )


def tokens(count: int) -> str:
    """Such as "1,234 tokens"."""
    return usage.amount("tokens", Decimal(count))


def cost(used: Totals, *, free: bool = False) -> str:
    """What it cost as far as it is known."""
    if free:
        return "Nothing: the sandbox's model is free"
    if used.entries and used.unpriced == used.entries:
        return "price unknown"
    known = usage.amount("usd", used.cost_usd)
    return f"{known}, and {used.unpriced:,} of {used.entries:,} runs at an unknown price" if used.unpriced else known


def short_cost(used: Totals) -> str:
    """The same where there is little room."""
    return f"at least {usage.amount('usd', used.cost_usd)}" if 0 < used.unpriced < used.entries else cost(used)


def duration(milliseconds: int) -> str:
    """How long an answer took; tenths of a second where it was quick."""
    seconds = milliseconds / 1000
    return f"{seconds:.1f} seconds" if seconds < 10 else usage.span(seconds)


def _input(used: Totals) -> str:
    cached = [
        f"{count:,} {what}"
        for count, what in (
            (used.cache_read_tokens, "read from the cache"),
            (used.cache_write_tokens, "written to the cache"),
        )
        if count
    ]
    return tokens(used.input_tokens) + (f" ({', '.join(cached)})" if cached else "")


def _output(used: Totals) -> str:
    thinking = f" ({used.thinking_tokens:,} for thinking)" if used.thinking_tokens else ""
    return tokens(used.output_tokens) + thinking
