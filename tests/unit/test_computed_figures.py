"""Questions over generated tables: every figure equals an independent calculation, and rests on the right cells."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from leaf.citations import figures
from leaf.citations.reads import Library
from leaf.documents.model import Segment
from leaf.documents.tables import Source, engine, used_cells

QUESTIONS = 200
ROWS = 150
CITIES = ("Aldermere", "Bonn", "Cádiz", "Dresden", "Évora")
KINDS = ("rent", "wages", "fuel")

Row = tuple[str, str, int, Decimal | None, int]
"""City, kind, year, amount, pieces."""


@dataclass(frozen=True)
class Question:
    """A statement, what it must give, and the rows of the sheet that it rests on."""

    query: str
    value: Decimal
    rows: list[int]


def table(chance: random.Random) -> list[Row]:
    return [
        (
            chance.choice(CITIES),
            chance.choice(KINDS),
            chance.randint(2023, 2026),
            None if chance.random() < 0.05 else Decimal(chance.randint(-500_000, 5_000_000)) / 100,
            chance.randint(1, 9_999),
        )
        for _ in range(ROWS)
    ]


def source(rows: list[Row], chance: random.Random) -> Source:
    """The table as text, in one of the ways in which amounts are written."""
    style: Callable[[Decimal], str] = chance.choice([str, lambda one: f"{one:,}", _with_comma])
    lines = ["City;Kind;Year;Amount (EUR);Pieces"]
    lines += [
        f"{city};{kind};{year};{'' if amount is None else style(amount)};{pieces}"
        for city, kind, year, amount, pieces in rows
    ]
    return Source("file", "1", "ledger.csv", "csv", [Segment("all", None, "\n".join(lines))])


def _with_comma(amount: Decimal) -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def questions(rows: list[Row], chance: random.Random) -> Iterator[Question]:
    city, kind, year = chance.choice(CITIES), chance.choice(KINDS), chance.randint(2023, 2026)
    chosen = [(at, row) for at, row in enumerate(rows, 2) if row[0] == city and row[2] == year]
    amounts = [row[3] for _, row in chosen if row[3] is not None]
    numbers = [at for at, _ in chosen]
    where = f"WHERE city = '{city}' AND year = {year}"
    if amounts:
        yield Question(f"SELECT sum(amount_eur) AS x FROM ledger {where}", sum(amounts, Decimal()), numbers)
        yield Question(f"SELECT max(amount_eur) AS x FROM ledger {where}", max(amounts), numbers)
        yield Question(f"SELECT min(amount_eur) AS x FROM ledger {where}", min(amounts), numbers)
        yield Question(f"SELECT avg(amount_eur) AS x FROM ledger {where}", sum(amounts) / len(amounts), numbers)
    yield Question(f"SELECT count(*) AS x FROM ledger {where}", Decimal(len(chosen)), numbers)
    pieces = sum(row[4] for row in rows)
    some = [(at, row) for at, row in enumerate(rows, 2) if row[1] == kind]
    share = Decimal(100 * sum(row[4] for _, row in some)) / pieces
    part = f"(SELECT sum(pieces) FROM ledger WHERE kind = '{kind}')"
    yield Question(f"SELECT 100 * {part} / (SELECT sum(pieces) FROM ledger) AS x", share, [at for at, _ in some])


def test_every_computed_figure_equals_an_independent_calculation() -> None:
    chance = random.Random(17)
    asked = 0
    while asked < QUESTIONS:
        rows = table(chance)
        text = source(rows, chance)
        for one in questions(rows, chance):
            made = engine.answer({"query": one.query}, [text.body()])
            assert "refused" not in made, (one.query, made)
            ((value,),) = made["rows"]
            assert abs(Decimal(str(value)) - one.value) <= abs(one.value) / 10**11, one.query
            used = made["tables"][0]
            assert used["rows"] == len(one.rows), one.query
            named = cells(used)
            # So many ranges that not all of them are named: those that are, are right.
            assert named == set(one.rows) or (named < set(one.rows) and len(used["cells"]) == used_cells.MAX_RANGES), (
                one.query
            )
            marked_as_computed(made, f"It is {value:,} in all.")
            asked += 1


def cells(used: dict[str, Any]) -> set[int]:
    """The rows of the used cells, from their ranges."""
    found: set[int] = set()
    for one in used["cells"]:
        first, _, last = one.partition(":")
        found |= set(range(row_of(first), row_of(last or first) + 1))
    return found


def row_of(cell: str) -> int:
    return int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def marked_as_computed(output: dict[str, Any], said: str) -> None:
    part = {
        "type": "tool-compute", "toolCallId": "call", "state": "output-available", "input": {},
        "output": {**output, "files": [{"id": "file", "name": "ledger.csv", "url": "https://drive.example/file"}]},
    }  # fmt: skip
    cited, own = figures.check({0: said}, [part], [], [], Library())
    assert ([one.call for one in cited], own) == (["call"], []), said
    # Another figure is not taken for it.
    wrong = said.replace("It is ", "It is 7")
    cited, own = figures.check({0: wrong}, [part], [], [], Library())
    assert cited == [] or said.startswith("It is -"), wrong


def test_figures_are_told_apart() -> None:
    """Computed, quoted, stated by a person, and the model's own; dates, places, names and links are none."""
    output = {
        "rows": [[1_260_000, 0.1597]],
        "columns": [{"name": "cost", "unit": "EUR"}, {"name": "share", "unit": ""}],
    }
    part = {
        "type": "tool-compute", "toolCallId": "call", "state": "output-available",
        "output": {**output, "tables": [{"file_id": "file", "part": "rows"}], "files": [], "formula": {"en": "sum"}},
    }  # fmt: skip
    said = (
        "1. It costs 1,260,000 EUR or 1.26 million, 16 % of all; not $1,260,000 and not 99.\n\n"
        "On 5 May 2026, page 3 of INC-2026-03, at 14:30, [file 8](https://x.example/88), `77`, you said 12.\n\n"
        "[The 5 plans][1]\n\n[1]: https://x.example/plan\n\n[^1]: “66 things”"
    )
    cited, own = figures.check({0: said}, [part], [], ["Is it 12?"], Library())
    (one,) = cited
    assert [said[:end].rpartition(" ")[2] for _, end, _ in one.at] == ["EUR", "million,"[:-1], "%"]
    assert [said[begin:end] for _, begin, end in own] == ["$1,260,000", "99"]
    assert [one["kind"] for one in [one.data()]] == ["computed"]


def judged(said: str, value: float, **column: Any) -> tuple[list[str], list[str]]:
    """The computed figures of a text with their units, and the model's own."""
    output = {
        "rows": [[value]], "columns": [{"name": "x", "unit": "", **column}], "files": [], "formula": {"en": "sum"},
        "tables": [{"file_id": "file", "part": "rows"}],
    }  # fmt: skip
    part = {"type": "tool-compute", "toolCallId": "call", "state": "output-available", "output": output}
    cited, own = figures.check({0: said}, [part], [], [], Library())
    return [said[:end] for one in cited for _, _, end in one.at], [said[begin:end] for _, begin, end in own]


@pytest.mark.parametrize(
    ("said", "value", "unit"),
    [
        ("101,459 kWh", 101_459, "EUR"), ("**101,459** kWh", 101_459, "EUR"), ("$101,459", 101_459, "EUR"),
        ("USD 101,459", 101_459, "EUR"), ("101.459 Kilowattstunden", 101_459, "EUR"),
        ("1,2 Mio. kWh", 1_204_000, "EUR"),
        ("1.2 million dollars", 1_204_000, "EUR"), ("16 %", 16, "EUR"), ("12 Stunden", 12, "kg"),
        ("12 kilowatt hours", 12, "h"), ("12 m", 12, "km"), ("3.7 EUR", 3.7, "million EUR"),
        ("3.7 million USD", 3.7, "million EUR"), ("3.7 Mrd. €", 3.7, "million EUR"), ("3.7 k€", 3.7, "million EUR"),
        ("0.31 USD/kWh", 0.31, "EUR/kWh"),
    ],
)  # fmt: skip
def test_a_figure_with_another_unit_is_not_computed(said: str, value: float, unit: str) -> None:
    cited, own = judged(f"It is {said} in all", value, unit=unit)
    assert (cited, len(own)) == ([], 1)


@pytest.mark.parametrize(
    ("said", "value", "unit"),
    [
        ("101,459", 101_459, "EUR"), ("101,459 EUR", 101_459, "EUR"), ("€101,459", 101_459, "EUR"),
        ("EUR 101,459", 101_459, "EUR"), ("**101.459** Euro", 101_459, "EUR"), ("101.459 €", 101_459, "EUR"),
        ("US$ 101,459", 101_459, "USD"), ("$101,459", 101_459, "CAD"), ("1.2 million euros", 1_204_000, "EUR"),
        ("1,2 Mio. €", 1_204_000, "EUR"), ("1.2m", 1_204_000, "EUR"), ("12 m", 12, "m"), ("12 Meter", 12, "m"),
        ("12 square metres", 12, "m2"), ("12 Kilowattstunden", 12, "kWh"), ("12 kilowatt hours", 12, "kWh"),
        ("12kWh", 12, "kWh"), ("0.31 EUR/kWh", 0.31, "EUR"), ("100 pounds", 100, "GBP"), ("100 pounds", 100, "lb"),
        ("16 Prozent", 16, "%"), ("5 Tsd. Euro", 5_000, "EUR"), ("1.000", 1_000, "EUR"),
        ("1.000 Euro", 1_000.4, "EUR"), ("1,000 EUR", 999.6, "EUR"), ("3.7 million EUR", 3.7, "million EUR"),
        ("3,7 Mio. €", 3.7, "million EUR"), ("3.7 m€", 3.7, "million EUR"), ("3,700,000 EUR", 3.7, "million EUR"),
        ("€3.7 million", 3.7, "million EUR"), ("3.7", 3.7, "million EUR"), ("4,500 TEUR", 4_500, "thousand EUR"),
        ("0.31 €/kWh", 0.31, "EUR/kWh"), ("42.5 hours", 42.5, "h"),
    ],
)  # fmt: skip
def test_a_figure_with_its_unit_a_scale_or_none_is_computed(said: str, value: float, unit: str) -> None:
    cited, own = judged(f"It is {said} in all", value, unit=unit)
    assert (cited, own) == ([f"It is {said}"], [])


def test_a_scale_is_said_in_the_language_of_the_reader() -> None:
    output = {"rows": [[3.7]], "columns": [{"name": "x", "unit": "million EUR"}], "formula": {"en": "s", "de": "s"}}
    assert figures.words_of(output, "en") == "s = 3.7 million EUR"
    assert figures.words_of(output, "de") == "s = 3,7 Mio. EUR"


def test_counts_and_ratios_have_no_other_unit() -> None:
    assert judged("12 Stück", 12, pure=True) == (["12 Stück"], [])
    assert judged("12 invoices", 12, pure=True) == (["12"], [])
    assert judged("16 %", 0.16, pure=True) == (["16 %"], [])
    assert judged("12 EUR", 12, pure=True) == ([], ["12"])
    # Of a column without a unit, nobody knows.
    assert judged("12 EUR", 12) == (["12 EUR"], [])


def test_a_chart_without_a_figure_in_the_text_has_its_card() -> None:
    output = {
        "rows": [["Bonn", 10], ["Ulm", 20]], "columns": [{"name": "city", "unit": ""}, {"name": "cost", "unit": "EUR"}],
        "chart": {"kind": "bar", "x": "city", "y": ["cost"], "title": "Cost"}, "formula": {"en": "city; sum of cost"},
        "files": [{"id": "file", "name": "costs.csv", "url": "https://drive.example/file"}],
        "tables": [{"file_id": "file", "part": "rows", "revision": "1"}],
    }  # fmt: skip
    part = {"type": "tool-compute", "toolCallId": "call", "state": "output-available", "output": output}
    assert figures.has_charts([part])
    ((one,), own) = figures.check({0: "The chart shows the cost."}, [part], [], [], Library())
    assert (one.verified, one.call, [*one.files], [*one.at], own) == (True, "call", ["file"], [], [])
    assert one.data()["formula"] == {"en": "city; sum of cost"}


def test_a_figure_of_what_the_agent_does_next_is_nobodys() -> None:
    """“I'll read Field report 250” announces a file."""
    words = "I'll read Field report 250 tonight."
    call: dict[str, Any] = {
        "type": "tool-read_drive_file", "toolCallId": "read", "state": "output-available", "input": {}, "output": {},
    }  # fmt: skip
    last = "It weighs 730 kg."
    message = [{"type": "text", "text": words}, call, {"type": "text", "text": last}]
    _, own = figures.check({0: words, 2: last}, message, [], [], Library())
    assert [slot for slot, _, _ in own] == [2]
    _, own = figures.check({0: words}, message[:1], [], [], Library())
    assert [slot for slot, _, _ in own] == [0], "a text that nothing follows is the answer"


@pytest.mark.parametrize("number", ["1.", "**1.**", "**2)**", "- **3.**", "***4.***", "**5. The costs**"])
def test_the_number_of_an_entry_is_no_figure(number: str) -> None:
    _, own = figures.check({0: f"{number} They are 99."}, [], [], [], Library())
    said = f"{number} They are 99."
    assert [said[begin:end] for _, begin, end in own] == ["99"]
