"""Figures that are right by the letter of a statement and would mislead: each is refused, or a note stands with it."""

from typing import Any

import pytest

from leaf.documents.model import Segment
from leaf.documents.tables import Source, engine, tables_of

AMOUNTS = "Item,Amount,Kind\nA,$10.00,x\nB,€10.00,x\nC,£9.00,y\nD,$10.00,y\n"
TICKETS = "Ticket,Status,Hours\n1,Open,3\n2,open,4\n3,Closed,5\n4,OPEN,2\n"


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def made(text: str, query: str) -> dict[str, Any]:
    return engine.answer({"query": query}, [csv(text).body()])


def assumed(text: str) -> str:
    return "\n".join(one for table in tables_of([csv(text)]) for one in table.assumed)


def notes(text: str, query: str) -> list[str]:
    (table,) = made(text, query)["tables"]
    return [one["en"] for one in table["assumed"]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(DISTINCT amount) FROM book",
        "SELECT kind, count(DISTINCT amount) FROM book GROUP BY kind",
        "SELECT count(*) FROM (SELECT DISTINCT amount FROM book)",
        "SELECT amount, count(*) FROM book GROUP BY amount",
    ],
)
def test_equal_amounts_of_different_currencies_are_not_taken_as_one(query: str) -> None:
    """000-21."""
    assert "has several units" in made(AMOUNTS, query)["refused"]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT count(DISTINCT amount) FROM book WHERE amount_unit = 'USD'", [[1]]),
        ("SELECT count(DISTINCT amount) FILTER (WHERE amount_unit = 'USD') FROM book", [[1]]),
        ("SELECT amount_unit, count(DISTINCT amount) FROM book GROUP BY 1 HAVING amount_unit = 'USD'", [["USD", 1]]),
        ("SELECT amount, count(*) FROM book GROUP BY amount, amount_unit ORDER BY 1, 2", [[9, 1], [10, 1], [10, 2]]),
        ("SELECT count(*) FROM (SELECT DISTINCT amount, amount_unit FROM book)", [[3]]),
        ("SELECT count(DISTINCT kind) FROM book", [[2]]),
    ],
)  # fmt: skip
def test_amounts_that_are_kept_apart_by_their_currency_are_counted(query: str, rows: list[list[Any]]) -> None:
    """000-21."""
    assert made(AMOUNTS, query)["rows"] == rows


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(hours) FROM book WHERE status = 'open'",
        "SELECT sum(hours) FROM book WHERE status IN ('open', 'Closed')",
        "SELECT sum(hours) FROM book WHERE status <> 'open'",
        "SELECT sum(CASE WHEN status = 'open' THEN hours END) FROM book",
    ],
)
def test_other_spellings_of_a_word_in_a_condition_are_mentioned(query: str) -> None:
    """000-21."""
    assert notes(TICKETS, query) == [
        f"“Status” also has “{one}”, which the query does not take for “open”" for one in ("OPEN", "Open")
    ]


@pytest.mark.parametrize("condition", ["lower(status) = 'open'", "status ILIKE 'open'", "status = 'Closed'"])
def test_a_condition_that_misses_no_spelling_has_no_note(condition: str) -> None:
    """000-21."""
    assert notes(TICKETS, f"SELECT sum(hours) FROM book WHERE {condition}") == []  # noqa: S608 - a query of this test


def test_a_profit_below_sums_without_their_rows_is_kept_apart_and_said() -> None:
    """000-21."""
    text = "Line,Amount\nTotal revenue,1000\nTotal costs,800\nProfit,200\n"
    assert made(text, "SELECT sum(amount) FROM book")["rows"] == [[1800]]
    assert "Row 4, “Profit”, is what is left of the first row above it" in assumed(text)


@pytest.mark.parametrize(
    "text",
    ["Account,Name,Amount\n1000,Cash,10\n1100,Bank,20\n1999,Assets,30\n", "Name,Amount\nCash,15\nBank,20\nCards,35\n"],
)
def test_a_last_row_of_two_digits_that_is_the_sum_of_all_others_is_mentioned(text: str) -> None:
    """000-21."""
    assert "is the sum of the rows above it, and counts as one of them" in assumed(text)


def test_remarks_between_rows_are_no_rows() -> None:
    """000-21."""
    text = "Item,Count\nRye,40\nNote: counted twice,\nWheat,5\nOat,3\nMaize,2\n* estimated,\nSpelt,1\nCorn,5\nTef,7\n"
    assert made(text, "SELECT count(*) FROM book")["rows"] == [[7]]
    assert "Row 3, “Note: counted twice”, was taken for a remark between the rows" in assumed(text)
    assert "Row 7, “* estimated”, was taken for a remark between the rows" in assumed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Task,Hours\nPlan,3\nBuild,\nTest,4\nShip,1\n",
        "Task,Hours\nPlan: first,3\nBuild: later,\nTest: last,4\nShip,1\n",
        "Answer,Score\nIt is good.,3\nIt is bad.,\nI do not know.,4\nYes,5\n",
    ],
)
def test_items_without_a_value_stay_rows(text: str) -> None:
    """000-21."""
    assert made(text, "SELECT count(*) FROM book")["rows"] == [[4]]


@pytest.mark.parametrize(
    ("text", "cell"),
    [("Item,Version\nA,1.10\nB,1.9\n", "1.10"), ("Item;Version\nA;2,9\nB;2,10\n", "2,10")],
)  # fmt: skip
def test_a_zero_at_the_end_that_other_cells_do_not_have_is_mentioned(text: str, cell: str) -> None:
    """000-21."""
    assert f"“{cell}” in “Version” was read as a number, which is the same without its last zero" in assumed(text)


@pytest.mark.parametrize("text", ["Item,Price\nA,1.10\nB,1.90\nC,2\n", "Item,Price\nA,1.1\nB,20\nC,1.25\n"])
def test_prices_with_as_many_places_have_no_such_note(text: str) -> None:
    """000-21."""
    assert assumed(text) == ""
