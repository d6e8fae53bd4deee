"""Usage and prices in words for the pages. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from leaf import texts
from leaf.config import catalog
from leaf.services import models, usage
from leaf.services.usage import Totals
from leaf.texts import dates

_PURPOSES = {
    "answer": "spent.answers",
    "title": "spent.titles",
    "related": "spent.related",
    "summary": "spent.summaries",
    "plan": "spent.plans",
}


def purpose(name: str) -> str:
    """The purpose of usage in words; `name` itself if it is unknown."""
    key = _PURPOSES.get(name)
    return texts.say(key) if key else name


@dataclass(frozen=True)
class Fact:
    name: str
    value: str


@dataclass(frozen=True)
class Spent:
    """The usage of one answer."""

    facts: list[Fact] = field(default_factory=list[Fact])
    note: str = ""
    """A note next to the facts, or instead of them if the usage is not the reader's."""


def of_answer(entries: Sequence[tuple[str, str, Totals]], earlier: Sequence[str] = ()) -> Spent:
    """The usage of an answer in words.

    Args:
        entries: The usage of its runs: purpose, model and totals (`usage.of_runs`).
        earlier: The models, as `provider:name`, that were no longer available when the answer continued.
    """
    own = [(model, totals) for purpose, model, totals in entries if purpose == "answer"]
    if not own:
        return Spent(note=texts.say("spent.not_yours"))
    used = sum((totals for _, totals in own), Totals())
    facts = [
        Fact(
            texts.say("spent.model") if len(own) == 1 else texts.say("spent.models"),
            ", ".join(models.label_of(model) for model, _ in own),
        ),
        Fact(texts.say("spent.input"), _input(used)),
        Fact(texts.say("spent.output"), _output(used)),
        Fact(texts.say("spent.cost"), cost(used, free=all(model.startswith("sandbox:") for model, _ in own))),
        Fact(texts.say("spent.requests"), texts.number(used.requests)),
    ]
    if used.duration_ms:
        facts.append(Fact(texts.say("spent.time"), duration(used.duration_ms)))
    facts += [
        Fact(
            purpose(name),
            texts.say("spent.further", tokens=tokens(further.tokens), cost=cost(further), model=models.label_of(of)),
        )
        for name, of, further in entries
        if name != "answer"
    ]
    gone = texts.say("spent.and").join(models.label_of(model) for model in earlier)
    return Spent(facts, texts.say("spent.begun_with", models=gone) if gone else "")


def tokens(count: int) -> str:
    """A number of tokens in words, such as "1,234 tokens"."""
    return texts.translated(usage.amount("tokens", Decimal(count)))


def cost(used: Totals, *, free: bool = False) -> str:
    """The known cost in words. It says if the price of some or all requests is unknown."""
    if free:
        return texts.say("spent.free")
    if used.entries and used.unpriced == used.entries:
        return texts.say("spent.price_unknown")
    known = usage.amount("usd", used.cost_usd)
    if not used.unpriced:
        return texts.translated(known)
    return texts.say("spent.partly_unknown", known=known, unpriced=used.unpriced, entries=used.entries)


def short_cost(used: Totals) -> str:
    """The known cost in few words."""
    if 0 < used.unpriced < used.entries:
        return texts.say("spent.at_least", cost=usage.amount("usd", used.cost_usd))
    return cost(used)


def duration(milliseconds: int) -> str:
    """The duration of an answer in words (`dates.brief_span`)."""
    return texts.translated(dates.brief_span(milliseconds / 1000))


def size(count: int) -> str:
    """A number of bytes in words."""
    if count < 1000:
        return texts.say("file.bytes", size=count)
    if count < 1_000_000:
        return texts.say("file.kilobytes", size=round(count / 1000, 1))
    return texts.say("file.megabytes", size=round(count / 1_000_000, 1))


def _input(used: Totals) -> str:
    cached: list[str] = []
    if used.cache_read_tokens:
        cached.append(texts.say("spent.cache_read", count=used.cache_read_tokens))
    if used.cache_write_tokens:
        cached.append(texts.say("spent.cache_written", count=used.cache_write_tokens))
    whole = tokens(used.input_tokens)
    return texts.say("spent.input_of", tokens=whole, parts=", ".join(cached)) if cached else whole


def _output(used: Totals) -> str:
    whole = tokens(used.output_tokens)
    return texts.say("spent.thinking", tokens=whole, count=used.thinking_tokens) if used.thinking_tokens else whole


def offer_key(mode: str, kind: str) -> str:
    """The key of a mode and a type of model in `offer_costs`."""
    return f"{mode}:{kind}"


def offer_costs(offers: list[models.Offer]) -> dict[str, str]:
    """The model and its price in words, by `offer_key`."""
    return {offer_key(one.mode, one.kind): f"{one.model.label} · {price(one.price)}" for one in offers}


def offer_steps(offers: list[models.Offer]) -> dict[str, int]:
    """The largest number of steps of an answer, by mode."""
    return {one.mode.value: one.steps for one in offers}


def price(known: catalog.Price | None) -> str:
    """A price in words: free, unknown, or US dollars per million tokens."""
    if known is None:
        return texts.say("amounts.price_unknown")
    if not known.input_usd and not known.output_usd:
        return texts.say("amounts.free")
    return texts.say("amounts.per_million", input=_dollars(known.input_usd), output=_dollars(known.output_usd))


def _dollars(value: Decimal) -> str:
    return texts.translated(usage.amount("usd", value))
