"""Costs of the composer's modes and models in words. Pure."""

from decimal import Decimal

from leaf import catalog
from leaf.services import models, usage
from leaf.texts import say, told


def key(mode: str, kind: str) -> str:
    """The name of a mode and a type in `of`."""
    return f"{mode}:{kind}"


def of(offers: list[models.Offer]) -> dict[str, str]:
    """The model and its price, by `key`."""
    return {key(one.mode, one.kind): f"{one.model.label} · {price(one.price)}" for one in offers}


def steps(offers: list[models.Offer]) -> dict[str, int]:
    """Maximum number of steps in each mode."""
    return {one.mode.value: one.steps for one in offers}


def price(known: catalog.Price | None) -> str:
    """A price in words: free, unknown, or US dollars per million tokens."""
    if known is None:
        return say("amounts.price_unknown")
    if not known.input_usd and not known.output_usd:
        return say("amounts.free")
    return say("amounts.per_million", input=_dollars(known.input_usd), output=_dollars(known.output_usd))


def _dollars(value: Decimal) -> str:
    return told(usage.amount("usd", value))
