"""Amounts in several units are not compared: 20 USD are not more than 10 kg, nor certainly more than 19 EUR."""

import pytest

from leaf.documents import Segment
from leaf.documents.tables import Refused, Source, engine

_LARGEST = """
    SELECT item FROM m WHERE amount_unit = 'EUR' AND amount = (SELECT max(amount) FROM m WHERE amount_unit = 'EUR')
"""
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
        "SELECT amount_unit FROM m GROUP BY amount_unit ORDER BY sum(amount) DESC LIMIT 1",
        "SELECT amount_unit, rank() OVER (ORDER BY sum(amount)) AS place FROM m GROUP BY amount_unit",
        "SELECT max(s) AS most FROM (SELECT sum(amount) AS s FROM m GROUP BY amount_unit) AS n",
        "SELECT item FROM m GROUP BY item HAVING sum(amount) > 19",
        "SELECT item, count(*) AS n FROM m WHERE amount > 19 GROUP BY item",
    ],
)
def test_amounts_in_several_units_are_not_ranked(query: str) -> None:
    """000-21."""
    with pytest.raises(Refused, match="units"):
        engine.compute([_MIXED], query)


@pytest.mark.parametrize(
    "condition",
    [
        "amount > 19",
        "amount BETWEEN 6 AND 19",
        "amount = 20",
        "amount IN (19, 20)",
        "NOT amount < -5 AND item <> 'c'",
        "amount > 5 AND amount < 20",
        "amount > 15 OR amount_unit = 'EUR'",
        "amount > (SELECT min(amount) FROM m WHERE amount_unit = 'EUR')",
        "sign(amount - 15) = 1",
        "greatest(amount, 15) = amount",
    ],
)
def test_amounts_in_several_units_are_not_compared_with_one_number(condition: str) -> None:
    """000-21."""
    for query in (
        "SELECT item FROM m WHERE …",
        "SELECT count(*) FILTER (WHERE …) AS n FROM m",
        "SELECT item FROM (SELECT item, amount, amount_unit FROM m) AS n WHERE …",
    ):
        with pytest.raises(Refused, match="units"):
            engine.compute([_MIXED], query.replace("…", condition))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT item FROM m WHERE amount_unit = 'EUR' AND amount > 6", [["a"]]),
        ("SELECT item FROM m WHERE (amount_unit = 'EUR' AND amount > 6) OR (amount_unit = 'USD' AND amount > 30)",
         [["a"]]),
        ("SELECT count(*) FILTER (WHERE amount > 6 AND amount_unit = 'EUR') AS n FROM m", [[1]]),
        ("SELECT count(*) AS n FROM m WHERE amount <> 0 AND amount >= 0.0", [[3]]),
        ("WITH e AS (SELECT * FROM m WHERE amount_unit = 'EUR') SELECT item FROM e WHERE amount > 6", [["a"]]),
        ("WITH e AS (SELECT * FROM m WHERE amount_unit = 'EUR') SELECT sum(amount) AS n FROM e", [[24]]),
        ("SELECT amount_unit, count(*) AS n FROM m WHERE amount > 6 GROUP BY amount_unit ORDER BY amount_unit",
         [["EUR", 1], ["USD", 1]]),
        ("SELECT item FROM m WHERE amount_unit = 'EUR' GROUP BY item HAVING sum(amount) > 6", [["a"]]),
        (_LARGEST, [["a"]]),
        ("SELECT item FROM m WHERE amount_unit = 'EUR' GROUP BY item ORDER BY sum(amount) DESC LIMIT 1", [["a"]]),
    ],
)  # fmt: skip
def test_amounts_in_one_unit_are_compared(query: str, rows: list[list[object]]) -> None:
    """000-21."""
    assert engine.compute([_MIXED], query)["rows"] == rows


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


_PAIRS = Source(
    "f", "1", "m.csv", "csv", [Segment("all", None, "Item,Amount\na,19 EUR\nb,20 USD\nc,5 EUR\nd,19 USD\n")]
)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) AS n FROM m AS a, m AS b WHERE a.amount > b.amount",
        "SELECT count(*) AS n FROM m AS a, m AS b WHERE a.amount > 2 * b.amount AND a.item <> b.item",
        "SELECT count(*) AS n FROM m AS a JOIN m AS b ON NOT (a.amount <= b.amount)",
        "SELECT count(*) AS n FROM m AS a JOIN m AS b USING (amount)",
        "SELECT CASE WHEN a.amount > b.amount THEN 'more' END AS x FROM m AS a, m AS b",
        "SELECT count(*) AS n FROM m AS a, (SELECT amount AS x FROM m) AS b WHERE a.amount > b.x",
        (
            "SELECT count(*) AS n FROM m WHERE amount_unit = 'EUR' AND amount IN"
            " (SELECT amount FROM m WHERE amount_unit = 'USD')"
        ),
        "SELECT count(*) AS n FROM m WHERE amount_unit = 'USD' AND amount = (SELECT amount FROM m WHERE item = 'a')",
        "SELECT amount > lag(amount) OVER (ORDER BY item) AS x FROM m",
        "SELECT amount FROM m WHERE amount_unit = 'EUR' INTERSECT SELECT amount FROM m WHERE amount_unit = 'USD'",
    ],
)
def test_amounts_of_two_rows_are_compared_in_one_unit_only(query: str) -> None:
    """000-21."""
    with pytest.raises(Refused, match="several units"):
        engine.compute([_PAIRS], query)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT count(*) AS n FROM m AS a, m AS b WHERE a.amount > b.amount AND a.amount_unit = b.amount_unit", 2),
        ("SELECT count(*) AS n FROM m AS a, m AS b WHERE a.amount = b.amount AND a.item = b.item", 4),
        (("SELECT count(*) AS n FROM m WHERE amount IN (SELECT amount FROM m WHERE amount_unit = 'EUR')"
         " AND amount_unit = 'EUR'"), 2),
    ],
)  # fmt: skip
def test_amounts_of_two_rows_in_one_unit_are_compared(query: str, wanted: int) -> None:
    """000-21."""
    assert engine.compute([_PAIRS], query)["rows"] == [[wanted]]
