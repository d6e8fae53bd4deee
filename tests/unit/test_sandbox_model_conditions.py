"""Conditions of a question over a table: each is met by the rows of a figure, or the stand-in computes none."""

from typing import Any

import pytest

from leaf.documents import Segment
from leaf.documents.tables import Source
from tests.unit.test_sandbox_model_tables import answered

TABLES = {
    "Tickets": "Ticket,Status,Owner,Hours\n1,open,Ada,2\n2,closed,Ben,3\n3,open,Ben,4\n4,in progress,Ada,1\n",
    "Aufträge": "Auftrag;Status;Kunde;Stunden\n1;offen;Ada;2\n2;erledigt;Ben;3\n3;offen;Ben;4\n",
    "Orders": "Date,Region,Product,Amount EUR\n2026-01-03,North,Lamp,100.50\n2026-02-10,South,Lamp,200\n"
    "2026-02-20,North,Desk,50\n2026-03-01,West,Desk,75.25\n",
    "Members": "Name,Paid,City,Fee\nAda Ash,yes,Rome,10\nBen Birch,no,Oslo,20\nCem Cole,yes,Oslo,30\n",
    "Artikelliste": "Artikel;Preis EUR;Lager\nA;12,50;30\nB;80;7\nC;5;100\n",
    "Plan": "Month,Revenue,Costs\nJanuary,100,80\nFebruary,150,90\nMarch,130,70\n",
    "Wide": "Item,January,February,March\nLamp,1,2,3\nChair,10,20,30\n",
    "Yearly": "Year,Amount\n2023,10\n2024,20\n2025,30\n",
    "Twice": "Item,Amount,Amount\na,1,10\nb,2,20\n",
    "Numbers": "Id,Amount\n00123,10\n00456,20\n",
    "Shares": "Item,Region,Amount\nLamp,North,10\nDesk,North,35\nTotal North,,45\nSofa,South,55\nTotal South,,55\n"
    "Grand total,,100\n",
    "Dam timesheet": "Worker,Project,Day,Hours\nEve,Mill,2026-10-02,8\nEve,Dam,2026-10-09,6\nOla,Mill,2026-10-10,4\n",
    "Orchard pickings": "Orchard,Variety,Crates\nHill,Cox,9\nHill,Bramley,6\nRiver,Bramley,5\nFarm,Cox,1\n",
    "Imports": "Invoice,Supplier,Amount\nA1,Kanto,¥1000\nA2,Lyon,€20\nA3,Leeds,£5\nA4,Lyon,€30\n",
    "Timesheet": "Worker,Project,Day,Hours\nEve,Mill,2026-10-02,8\nEve,Dam,2026-10-06,6\nOla,Mill,2026-10-10,4\n"
    "Ola,Dam,2026-10-12,3\nKim,Dam,2026-11-02,5\nKim,Mill,2026-11-20,7\nJon,Mill,2026-11-21,1\n",
    "Cash": "Date,What,In,Out\n2026-01-03,Fees,100,\n2026-01-10,Rent,,80\n2026-02-01,Sale,50,\n2026-02-02,Pens,,20\n",
    "Försäljning": "Datum;Region;Belopp (kr)\n2026-01-03;Norr;100\n2026-02-10;Syd;200\n2026-05-20;Norr;50\n",
    "Umsätze": "Datum;Region;Umsatz (€)\n03.01.2026;Nord;100\n10.02.2026;Süd;200\n20.10.2026;Nord;50\n",
    "Ventas": "Fecha;Región;Ventas (€)\n03/01/2026;Norte;100\n10/02/2026;Sur;200\n20/10/2026;Norte;50\n",
    "Ventes": "Date;Région;Ventes (€)\n03/01/2026;Nord;100\n10/02/2026;Sud;200\n20/10/2026;Nord;50\n",
    "Ferry payroll": "Branch,Employee,Gross\nLeith,Moira,3100\nOban,Una,2600\nOban,Rory,2450\nLeith,Ian,2900\n",
}  # fmt: skip


def computed(name: str, question: str) -> tuple[Any, str]:
    """The rows of the last computation, or its only value, or None where nothing was computed; and the answer."""
    source = Source("f", "1", f"{name}.csv", "csv", [Segment("all", None, TABLES[name])])
    text, made = answered(question, sources=(source,))
    results = [one["rows"] for one in made if one.get("query") and "LIMIT 200" not in " ".join(one["query"].split())]
    rows = results[-1] if results else None
    return (rows[0][-1] if rows and len(rows) == 1 else rows), text


@pytest.mark.parametrize(
    ("name", "question", "result"),
    [
        # A value may be a word that says nothing to a search.
        ("Tickets", "How many rows have status open in the tickets?", 2),
        ("Tickets", "How many tickets are open?", 2),
        ("Tickets", "Sum of hours where status is open and owner is Ben in the tickets", 4),
        ("Tickets", "Sum of hours where status is open or closed in the tickets", 9),
        ("Aufträge", "Wie viele Aufträge sind offen?", 2),
        ("Aufträge", "Wie hoch ist die Summe der Stunden mit Status offen in den Aufträgen?", 6),
        ("Members", "How many rows have Paid yes in the members?", 2),
        ("Members", "Sum of fee where paid is no in the members", 20),
        ("Artikelliste", "Wie hoch ist die Summe von Lager für A und B in der Artikelliste?", 37),
        # Negation.
        ("Tickets", "Sum of hours where status is not open in the tickets", 4),
        ("Tickets", "How many tickets are not closed?", 3),
        ("Tickets", "Sum of hours of tickets with owner other than Ben", 3),
        ("Aufträge", "Wie viele Aufträge sind nicht offen?", 1),
        ("Orders", "Sum of amount where region is not North in the orders", 275.25),
        ("Members", "Sum of fee excluding Oslo in the members", 10),
        # Bounds.
        ("Tickets", "How many rows have hours above 2 in the tickets?", 2),
        ("Tickets", "How many rows have hours of at least 2 in the tickets?", 3),
        ("Tickets", "How many tickets have hours less than 3?", 2),
        ("Tickets", "Sum of hours where hours > 2 in the tickets", 7),
        ("Orders", "Sum of amount over 90 in the orders", 300.5),
        ("Aufträge", "Wie viele Aufträge haben mehr als 2 Stunden?", 2),
        ("Aufträge", "Wie viele Zeilen haben höchstens 3 Stunden in den Aufträgen?", 2),
        ("Artikelliste", "Summe von Lager über 10 in der Artikelliste", 130),
        # Times in a column of years.
        ("Yearly", "Sum of the amount since 2024 in the yearly list", 50),
        ("Yearly", "Sum of the amount in 2024 in the yearly list", 20),
        # Groups of rows, and different values.
        ("Tickets", "How many tickets are there per owner?", [["Ada", 2], ["Ben", 2]]),
        ("Aufträge", "Wie viele Aufträge gibt es pro Kunde?", [["Ben", 2], ["Ada", 1]]),
        ("Members", "Highest fee by city in the members", [["Oslo", 30], ["Rome", 10]]),
        ("Members", "How many cities are in the members?", 2),
        ("Tickets", "Which owner has the most hours in the tickets?", 7),
        # Differences, of rows and of columns.
        ("Plan", "What is the difference between January and February in revenue in the plan?", 50),
        ("Plan", "What is the difference between revenue and costs in the plan?", 140),
        ("Plan", "What is the difference between revenue and costs in January in the plan?", 20),
        ("Plan", "Was ist die Differenz zwischen January und March bei Revenue im Plan?", 30),
        ("Wide", "What is the difference between January and February in the wide table?", 11),
        ("Wide", "What is the difference between January and February for Lamp in the wide table?", 1),
        ("Wide", "How much more is in February than in January in the wide table?", 11),
        # The whole is all rows, though the part has a total of its own.
        ("Shares", "What is the share of North in the total amount of the shares?", 45),
    ],
)
def test_a_condition_chooses_the_rows(name: str, question: str, result: Any) -> None:
    """000-21."""
    found, text = computed(name, question)
    rows = sorted(found) if isinstance(found, list) else found
    assert rows == (sorted(result) if isinstance(result, list) else result), text


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Tickets", "How many rows have status pending in the tickets?"),
        ("Tickets", "Sum of hours of the first two rows of the tickets"),
        ("Tickets", "sum of hours except status open in the tickets"),
        ("Tickets", "How many tickets are open and not by Ben and not by Ada?"),
        ("Tickets", "What percentage of the tickets is open?"),
        ("Aufträge", "Wie viele Zeilen haben Status storniert in den Aufträgen?"),
        ("Orders", "Sum of amount where region is Nort in the orders"),
        ("Orders", "Sum of amount between 60 and 90 in the orders"),
        ("Members", "How many members have paid?"),
        ("Members", "How many members have no fee?"),
        ("Members", "What is the total fee of the members plus 19 % tax?"),
        ("Members", "What would the total fee of the members be if fees rose by 10 %?"),
        ("Members", "Is the fee of Ada Ash higher than the average fee of the members?"),
        ("Members", "Average fee per city and paid in the members"),
        ("Plan", "By what percentage did revenue grow from January to February in the plan?"),
        ("Plan", "Sum of revenue until February in the plan"),
        ("Plan", "Sum of revenue since February in the plan"),
        ("Plan", "Total revenue in Q1 in the plan"),
        ("Wide", "What is the difference between January and February for Lamp and Chair in the wide table?"),
        ("Twice", "What is the sum of Amount in the list Twice?"),
        ("Numbers", "What is the sum of Id in the numbers?"),
    ],
)
def test_a_condition_that_no_rule_understands_is_not_left_away(name: str, question: str) -> None:
    """000-21."""
    found, text = computed(name, question)
    assert found in (None, 11), text


def test_a_word_of_the_whole_name_of_the_file_chooses_no_rows() -> None:
    """000-21."""
    assert computed("Dam timesheet", "How many hours did Eve work on Mill in the Dam timesheet?")[0] == 8
    assert computed("Dam timesheet", "How many hours did Eve work on Dam in the Dam timesheet?")[0] == 6


def test_the_rows_since_a_day_are_added() -> None:
    """000-21."""
    assert computed("Dam timesheet", "Sum of hours since 9 October 2026 in the Dam timesheet")[0] == 10


def test_the_highest_total_is_that_of_the_named_groups() -> None:
    """000-21."""
    assert (
        "Bramley" in computed("Orchard pickings", "Which variety has the highest total crates in Orchard pickings?")[1]
    )


def test_the_lowest_row_is_told_by_a_name_that_no_other_row_has() -> None:
    """000-21."""
    assert "Rory" in computed("Ferry payroll", "Who has the lowest gross in the Ferry payroll?")[1]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the sum of the amount in the imports?", [["EUR", 50], ["GBP", 5], ["JPY", 1000]]),
        ("Wie hoch ist die Summe von Amount in Imports?", [["EUR", 50], ["GBP", 5], ["JPY", 1000]]),
        ("What is the average amount in the imports?", [["EUR", 25], ["GBP", 5], ["JPY", 1000]]),
    ],
)
def test_amounts_of_several_currencies_are_added_up_for_each_currency(question: str, rows: list[Any]) -> None:
    found, text = computed("Imports", question)
    assert found == rows
    assert "JPY – 1" in text


WORKERS = [["Eve", 14], ["Kim", 12], ["Ola", 7]]


@pytest.mark.parametrize(
    ("name", "question", "result"),
    [
        ("Timesheet", "What are the top three workers by hours in the timesheet?", WORKERS),
        ("Timesheet", "Who are the three workers with the most hours in the timesheet?", WORKERS),
        ("Timesheet", "Hours per worker", [*WORKERS, ["Jon", 1]]),
        ("Timesheet", "How many hours did each worker work?", [*WORKERS, ["Jon", 1]]),
        ("Timesheet", "Hours by project", [["Mill", 20], ["Dam", 14]]),
        ("Timesheet", "Total hours between 5 and 12 October in the timesheet", 13),
        ("Timesheet", "How many hours did Eve work from 1 October to 9 October 2026?", 14),
        ("Orders", "What were the amounts by region?", [["North", 150.5], ["South", 200], ["West", 75.25]]),
        ("Orders", "What are the two highest amounts in the orders?", [["2026-01-03", 100.5], ["2026-02-10", 200]]),
        ("Orders", "How high was the amount in February 2026 in the orders?", 250),
        ("Orders", "Orders per month", [["2026-01-01T00:00:00", 1], ["2026-02-01T00:00:00", 2],
                                        ["2026-03-01T00:00:00", 1]]),
        ("Cash", "What is the total of In in Cash?", 150),
        ("Cash", "What is the difference between In and Out in Cash?", 50),
        ("Cash", "How much went out in January in cash?", 80),
        ("Försäljning", "Hur mycket är försäljningen totalt?", 350),
        ("Försäljning", "Vad är det högsta beloppet i försäljning?", 200),
        ("Försäljning", "Vad är summan av belopp för Norr i försäljning?", 150),
        ("Försäljning", "Hur många rader finns i försäljning?", 3),
        ("Umsätze", "Umsatz nach Region", [["Nord", 150], ["Süd", 200]]),
        ("Umsätze", "Die zwei größten Regionen nach Umsatz", [["Nord", 150], ["Süd", 200]]),
        ("Umsätze", "Wie hoch ist der Umsatz zwischen dem 5. Januar und dem 12. Oktober 2026?", 200),
        ("Umsätze", "Wie hoch ist der Unterschied zwischen Q1 und Q4 beim Umsatz?", 250),
        ("Ventas", "¿Cuáles son las dos ventas más altas?", [["2026-01-03", 100], ["2026-02-10", 200]]),
        ("Ventas", "¿Cuál es el total de ventas entre el 5 de enero y el 12 de octubre de 2026?", 200),
        ("Ventes", "Quelles sont les deux plus grandes ventes ?", [["2026-01-03", 100], ["2026-02-10", 200]]),
        ("Ventes", "Quelle est la différence des ventes entre T1 et T4 ?", 250),
    ],
)  # fmt: skip
def test_rankings_groups_and_spans_of_a_spreadsheet_are_computed(name: str, question: str, result: Any) -> None:
    """000-21."""
    found, text = computed(name, question)
    rows = sorted(found) if isinstance(found, list) else found
    assert rows == (sorted(result) if isinstance(result, list) else result), text


@pytest.mark.parametrize("kind", ["html", "mail", "powerpoint"])
def test_a_table_in_a_file_of_another_kind_is_computed(kind: str) -> None:
    """000-21."""
    text = "# Sales of the year\n\n| Region | Amount EUR |\n| --- | --- |\n| North | 100 |\n| South | 50 |\n"
    source = Source("f", "1", f"Sales.{kind}", kind, [Segment("all", None, text)])
    said, made = answered("What is the total amount of the sales?", sources=(source,))
    assert made[-1]["rows"] == [[150]], said
