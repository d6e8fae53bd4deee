"""Questions over generated tables: every figure equals an independent calculation, and rests on the right cells."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from leaf.citations import figures
from leaf.citations.reads import Library
from leaf.documents.model import Segment
from leaf.documents.tables import Source, engine

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
            assert named == set(one.rows) or (named < set(one.rows) and len(used["cells"]) == engine.MAX_RANGES), (
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
