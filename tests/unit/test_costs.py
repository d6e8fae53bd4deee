"""The costs of modes and models in the words of the pickers."""

from decimal import Decimal

from leaf import texts
from leaf.config import catalog
from leaf.config.catalog import Kind, Mode, Price
from leaf.services.models import ModelInfo, Offer
from leaf.views import amounts


def test_a_price_is_in_words_that_tell_free_from_unknown() -> None:
    assert amounts.price(None) == "price unknown"
    assert amounts.price(Price(Decimal(0), Decimal(0))) == "free"
    paid = amounts.price(Price(Decimal("0.50"), Decimal(3)))
    assert paid == "$0.50 to read, $3.00 to write a million tokens"


def test_each_mode_and_type_names_its_model() -> None:
    offer = Offer(Mode.QUICK, Kind.SPEED, ModelInfo("x:y", "Y"), 20, None)
    assert amounts.offer_costs([offer]) == {"quick:speed": "Y · price unknown"}
    assert amounts.offer_steps([offer]) == {"quick": 20}


def test_prices_come_from_the_table_and_then_from_the_library() -> None:
    """A model of the sandbox is free, and one that nobody knows has no price."""
    assert catalog.price("sandbox:sandbox-slow-6") == Price(Decimal(0), Decimal(0))
    table = catalog.facts("gateway:google/gemini-3-flash")
    assert catalog.price("gateway:google/gemini-3-flash") == Price(
        table.input_usd or Decimal(-1), table.output_usd or Decimal(-1)
    )
    known = catalog.price("openai:gpt-4o")
    assert known is not None
    assert known.output_usd > known.input_usd > 0
    assert catalog.price("openai-compatible:nobody-knows-this") is None


def test_prices_are_told_in_the_readers_language() -> None:
    before = texts.current()
    texts.use("de")
    try:
        assert amounts.price(Price(Decimal("0.50"), Decimal(3))).startswith("0,50 $ zum Lesen, 3,00 $")
    finally:
        texts.use(before)
