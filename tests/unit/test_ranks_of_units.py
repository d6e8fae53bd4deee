"""Amounts in several units are not ranked: 20 USD are not more than 10 kg, nor certainly more than 19 EUR."""

import pytest

from leaf.documents import Segment
from leaf.documents.tables import Refused, Source, engine

_MIXED = Source("f", "1", "m.csv", "csv", [Segment("all", None, "Item,Amount\na,19 EUR\nb,20 USD\nc,5 EUR\n")])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT item, amount FROM m ORDER BY amount DESC LIMIT 1",
        "SELECT item, amount AS most FROM m ORDER BY most LIMIT 1",
        "SELECT item, amount FROM m ORDER BY 2 DESC LIMIT 1",
        "SELECT item FROM (SELECT item, amount FROM m) AS n ORDER BY n.amount LIMIT 1",
        "SELECT item, rank() OVER (ORDER BY amount) AS place FROM m",
        "SELECT max_by(item, amount) AS item FROM m",
    ],
)
def test_amounts_in_several_units_are_not_ranked(query: str) -> None:
    """000-21."""
    with pytest.raises(Refused, match="units"):
        engine.compute([_MIXED], query)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT item, amount FROM m WHERE amount_unit = 'EUR' ORDER BY amount DESC LIMIT 1", [["a", 19]]),
        ("SELECT item FROM m ORDER BY amount", [["c"], ["a"], ["b"]]),
        ("SELECT item FROM m ORDER BY item DESC LIMIT 1", [["c"]]),
        ("SELECT item, rank() OVER (PARTITION BY amount_unit ORDER BY amount) AS place FROM m ORDER BY item",
         [["a", 2], ["b", 1], ["c", 1]]),
    ],
)  # fmt: skip
def test_amounts_in_one_unit_are_ranked(query: str, rows: list[list[object]]) -> None:
    """000-21."""
    assert engine.compute([_MIXED], query)["rows"] == rows
