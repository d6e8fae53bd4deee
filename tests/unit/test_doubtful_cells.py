"""Cells that may mean several things: what is assumed of them is said, or nothing is computed over them."""

from typing import Any

import pytest

from leaf.documents.model import Segment
from leaf.documents.tables import Source, engine, tables_of


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def ask(source: Source, query: str) -> Any:
    """The single value of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [source.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


def assumed(source: Source) -> str:
    return "\n".join(one for table in tables_of([source]) for one in table.assumed)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("2021,2022,2023\n10,20,30\n11,21,31\n", ["2021", "2022", "2023"]),
        ("2023;2022\n1,5;2,5\n1,25;2,5\n", ["2023", "2022"]),
        ("101,102,103\n10,20,30\n12,22,31\n", ["101", "102", "103"]),
        ("Product,4711,4712,4713\nA,1,2,3\nB,3,1,9\n", ["Product", "4711", "4712", "4713"]),
        ("Store,1017,1042,1088\nJan,100.5,200,30\nFeb,101,210,31\n", ["Store", "1017", "1042", "1088"]),
    ],
)
def test_a_header_of_numbers_is_no_row_and_it_is_said(text: str, labels: list[str]) -> None:
    """000-21."""
    (table,) = tables_of([csv(text)])
    assert ([one.label for one in table.columns], table.rows) == (labels, [2, 3])
    assert "was taken for the header, although it has numbers" in assumed(csv(text))


@pytest.mark.parametrize("text", ["1,2,3\n4,5,6\n7,8,9\n", "2023,100\n2022,200\n2021,150\n", "A,101,102\nB,3,4\n"])
def test_a_first_row_of_numbers_like_those_below_is_data_and_it_is_said(text: str) -> None:
    """000-21."""
    (table,) = tables_of([csv(text)])
    assert table.rows[0] == 1
    assert "and row 1 counts as data" in assumed(csv(text))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('Item,Amount\nA,1.000\nB,"1,000.50"\nC,20.25\n', "1.000"),
        ("Item;Amount\nA;1,000\nB;1.000,50\nC;20,25\n", "1,000"),
    ],
)
def test_an_amount_whose_separator_contradicts_the_others_is_mentioned(text: str, cell: str) -> None:
    """000-21."""
    assert f"“{cell}” in “Amount” was read with three decimal places" in assumed(csv(text))
    assert assumed(csv("Item,Weight\nA,1.5\nB,2.75\nC,3.125\n")) == ""


def test_days_are_not_compared_with_mere_months() -> None:
    """000-21."""
    source = csv("Item,Day\n" + "A,2025-02\nB,2025-03-02\nC,2025-01-15\n" + "D,2025-03-01\n" * 4)
    refused = "refused: “Day” has cells that are no full days, such as “2025-02”"
    assert ask(source, "SELECT max(day) AS x FROM book").startswith(refused)
    assert ask(source, "SELECT count(*) AS x FROM book WHERE day > '2025-01-31'").startswith(refused)
    assert ask(source, "SELECT max(day) AS x FROM book WHERE day IS NOT NULL") == "2025-03-02"


def test_months_are_ordered_only_if_all_are_written_alike() -> None:
    """000-21."""
    query = "SELECT max(month) AS x FROM book"
    assert ask(csv("Item,Month\nA,2025-02\nB,2025-10\nC,2025-03\n"), query) == "2025-10"
    assert ask(csv("Item,Month\nA,2025-2\nB,2025-10\nC,2025-3\n"), query).startswith("refused: ")
    assert ask(csv("Item,Month\nA,2025-02\nB,2025-03\nC,2025\n"), query).startswith("refused: ")


def test_a_fraction_beside_percentages_is_not_added_to_them() -> None:
    """000-21."""
    source = csv("Item,Share (%)\nA,12%\nB,0.38\nC,50%\n")
    assert ask(source, "SELECT sum(share_percent) AS x FROM book").startswith("refused: “Share (%)” has several units.")


def test_fractions_below_a_percent_sign_are_percentages_and_it_is_said() -> None:
    """000-21."""
    source = csv("Item,Share (%)\nA,0.12\nB,0.38\nC,0.5\n")
    assert ask(source, "SELECT sum(share_percent) AS x FROM book") == 1
    assert "“0.12” in “Share (%)” was taken for 0.12 %" in assumed(source)
    assert assumed(csv("Item,Share (%)\nA,0.5\nB,99.5\n")) == ""


def test_digits_after_the_last_column_with_a_name_are_mentioned() -> None:
    """000-21."""
    assert "2 rows have cells after the last column with a name" in assumed(csv("Item,Amount\nA,10,5\nB,20,5\n"))
    assert assumed(csv("Item,Amount\nA,10,good\nB,20,bad\n")) == ""


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ("2025-W01 2025-W10 2025-W09", "2025-W10"),
        ("2025-W01 2025-W10 2025-W9", None),
        ("2024-Q4 2025-Q1", "2025-Q1"),
        ("Q4-2024 Q1-2025", None),
    ],
)
def test_periods_are_ordered_only_if_their_letters_do_it(cells: str, wanted: str | None) -> None:
    """000-21."""
    source = csv("Item,When\n" + "".join(f"A,{cell}\n" for cell in cells.split()))
    found = ask(source, "SELECT max(when_) AS x FROM book")
    assert found == wanted if wanted is not None else found.startswith("refused: ")


def test_times_of_several_zones_count_as_written_and_it_is_said() -> None:
    """000-21."""
    said = "Times in “At” have different time zones"
    assert said in assumed(csv("Ref,At\na,2025-01-01T10:00:00+02:00\nb,2025-01-01T09:30:00Z\n"))
    assert said in assumed(csv("Ref,At\na,2025-01-01 10:00 +0200\nb,2025-01-01 09:30 +0000\n"))
    assert assumed(csv("Ref,At\na,2025-01-01T10:00:00Z\nb,2025-01-01T09:30:00Z\n")) == ""
