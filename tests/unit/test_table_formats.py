"""Tables in formats and languages for which there are no special rules. 000-21."""

from decimal import Decimal
from typing import Any

import pytest

from leaf.documents.kinds import kind_of
from leaf.documents.parser import parse
from leaf.documents.tables import Source, Table, engine, tables_of
from leaf.documents.textfiles.rows import FileText
from leaf.views import previews

TYPES = {"csv": "text/csv", "html": "text/html", "md": "text/markdown"}


def source(content: str | bytes, suffix: str = "csv", mime_type: str = "") -> Source:
    data = content.encode() if isinstance(content, str) else content
    kind = kind_of(mime_type or TYPES[suffix], f"book.{suffix}")
    found = parse(data, kind)
    return Source("file", "1", f"book.{suffix}", kind, found.segments, found.notes)


def table(read: Source) -> Table:
    return tables_of([read])[0]


def sums(read: Table) -> list[tuple[Decimal, str]]:
    """The sum of each column of numbers, with its unit."""
    return [
        (sum((one for one in column.values if isinstance(one, Decimal)), Decimal(0)), column.unit)
        for column in read.columns
        if column.type == "number"
    ]


def ask(read: Source, query: str) -> Any:
    """The single value of a result, or `refused: ` and the reason of a refusal."""
    made = engine.answer({"query": query}, [read.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Sample,Length,Mass\n-,mm,g\nA,1.5,2\nB,2.5,4\n", [(Decimal("4.0"), "mm"), (6, "g")]),
        ("Item,Revenue,Margin\n,(kEUR),(%)\nA,20,5\nB,30,6\n", [(50, "thousand EUR"), (11, "%")]),
        ("Anlage;Leistung;Erlös\nName;kW;€\nDach;10;700\nCarport;5;330\n", [(15, "kW"), (1030, "EUR")]),
        ("Place,People,Area\nunit,thousands,km²\nUlm,100,5\nRom,110,6\n", [(210, ""), (11, "km²")]),
        ("Prüfling;Kraft;Weg\n;N;mm\nA;100;2,5\nB;200;3,5\n", [(300, ""), (Decimal("6.0"), "mm")]),
    ],
)  # fmt: skip
def test_a_row_of_units_below_the_header_is_not_a_data_row(text: str, wanted: list[tuple[Decimal, str]]) -> None:
    assert sums(table(source(text))) == wanted


@pytest.mark.parametrize(
    "text", ["Code,Size,Grade\nA,mm,good\nB,cm,bad\n", "Name,Size,Unit\nA,kg,x\nB,2,y\nC,3,z\nD,4,y\nE,5,z\nF,6,y\n"]
)
def test_a_row_that_contains_a_unit_is_a_data_row(text: str) -> None:
    assert len(table(source(text)).rows) == text.count("\n") - 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Alumno;Nota\nAna;7\nLuis;9\nEva;6,5\nMedia;7,5\n", 3),
        ("Alumno;Nota\nAna;7\nLuis;9\nEva;6,5\nMedia;7,5\nMáximo;9\nMínimo;6,5\n", 3),
        ("Studente;Voto\nAnna;24\nLuca;28\nMarco;29\nMedia;27\n", 3),
        ("Cidade;Chuva\nLisboa;30\nPorto;50\nFaro;10\nMédia;30\n", 3),
        ("Stad;Uren\nA;10\nB;20\nC;15\nGemiddeld;15\n", 3),
        # "Media" in these tables is a sock, a product category and a department, and not a mean.
        ("Prenda;Precio\nCamisa;20\nPantalón;35\nZapato;40\nMedia;5\n", 4),
        ("Prenda;Precio\nCamisa;20\nMedia;5\nPantalón;35\n", 3),
        ("Kind,Price\nMedia,25\nTape,20\nDisc,30\n", 3),
    ],
)
def test_a_row_of_means_is_not_a_data_row(text: str, count: int) -> None:
    assert ask(source(text), "SELECT count(*) AS x FROM book") == count


NUMBERS: dict[str, tuple[str, str, list[tuple[float, str]]]] = {
    "a thousands separator in an amount": (
        "html",
        ("<table><tr><th>Region</th><th>Umsatz (EUR)</th></tr><tr><td>Nord</td><td>1.000</td></tr>"
        "<tr><td>Süd</td><td>4.500</td></tr></table>"),
        [(5500, "EUR")],
    ),
    "three decimal places in a price": ("csv", "Day,Price (EUR)\nMo,1.799\nTu,1.809\n", [(3.608, "EUR")]),
    "thousands separators next to decimal commas": (
        "md", "| Stadt | Einwohner | Fläche (km²) |\n|-|-|-|\n| Ulm | 126.000 | 118,7 |\n| Bonn | 331.885 | 141,1 |\n",
        [(457885, ""), (259.8, "km²")],
    ),
    "the same decimal sign in all columns": (
        "md",
        "| Position | 2023 | 2024 |\n|---|---|---|\n| Umsatz | 1.200 | 1.350 |\n| Kosten | 900 | 1.000 |\n",
        [(2100, ""), (2350, "")],
    ),
    "thousands separators below a corner cell with a currency": (
        "md",
        "| in Tsd. € | 2024 |\n|---|---|\n| Umsatz | 1.350 |\n| Kosten | 1.000 |\n",
        [(2350, "thousand EUR")],
    ),
    "rows without outer bars": ("md", "Item | EUR\n--- | ---:\na | 10\nb | 20\n\nText | with a bar\n", [(30, "EUR")]),
    "marks of emphasis": ("md", "| Item | `EUR` |\n|---|---|\n| `a` | `10` |\n| *b* | _20_ |\n", [(30, "EUR")]),
    "double line breaks": ("csv", "Item,EUR\r\r\na,10\r\r\nb,20\r\r\n", [(30, "EUR")]),
    "empty lines between rows": ("csv", "Item,EUR\n\na,10\n\nb,20\n", [(30, "EUR")]),
    "a compound word for the total": (
        "csv", "Pos.;Was;Gesamt (EUR)\n1;Rat;300,00\n2;Reise;120,50\nGesamtbetrag;;420,50\n", [(420.5, "EUR")]
    ),
    "a school named like a total": ("csv", "School;Pupils\nRealschule;310\nGesamtschule;420\n", [(730, "")]),
    "a table inside a cell with numbers": (
        "html",
        ("<table><tr><td>Item</td><td>Price (EUR)</td></tr><tr><td>Chair</td><td>10,00</td></tr><tr><td>Table"
        "<table><tr><td>leg</td><td>4</td></tr><tr><td>top</td><td>1</td></tr></table></td><td>20,00</td></tr></table>"),
        [(30, "EUR")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read_as_a_person_reads_them(case: str) -> None:
    suffix, text, wanted = NUMBERS[case]
    found = sums(table(source(text, suffix)))
    assert [(float(number), unit) for number, unit in found][-len(wanted) :] == wanted


def test_rows_with_their_own_unit_do_not_get_the_unit_of_the_corner_cell() -> None:
    read = source("in k€,2024,2025\nSales,10,20\nMargin (%),5,6\n")
    assert "several units" in ask(read, "SELECT sum(column_2024) AS x FROM book")


@pytest.mark.parametrize("suffix", ["md", "html"])
def test_a_long_table_without_a_heading_is_one_table(suffix: str) -> None:
    """The text is split into segments. A sum over only the first segment would look like the sum of the table."""
    rows = range(1000)
    if suffix == "md":
        text = "| Item | EUR |\n|---|---|\n" + "".join(f"| thing number {at} | {at} |\n" for at in rows)
    else:
        cells = "".join(f"<tr><td>thing number {at}</td><td>{at}</td></tr>" for at in rows)
        text = f"<table><tr><th>Item</th><th>EUR</th></tr>{cells}</table>"
    read = source(text, suffix)
    (found,) = tables_of([read])
    assert (len(read.segments) > 1, sums(found)) == (True, [(sum(rows), "EUR")])
    assert found.place.startswith("lines 1-")


@pytest.mark.parametrize("sign", [";", ",", "\t", "|"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16"])
def test_the_line_that_names_the_delimiter_for_excel_is_no_row(sign: str, charset: str) -> None:
    """A table of two columns would have it as its header. # 000-21"""
    rows = [["Straße", "Anzahl"], ["Höhenweg", "3"], ["Ölgasse", "4"]]
    content = f"sep={sign}\r\n" + "".join(f"{sign.join(row)}\r\n" for row in rows)
    read = table(source(content.encode(charset)))
    assert [column.label for column in read.columns] == ["Straße", "Anzahl"]
    assert [*read.columns[0].values] == ["Höhenweg", "Ölgasse"]
    assert [*read.rows] == [3, 4]
    assert sums(read)[-1][0] == 7


def test_a_delimiter_that_is_declared_and_not_used_is_found_as_in_other_files() -> None:
    """# 000-21"""
    read = table(source("sep=;\nname,number\nA,3\nB,4\n"))
    assert [column.label for column in read.columns] == ["name", "number"]


def test_a_comma_in_a_header_and_in_numbers_delimits_no_cells() -> None:
    text = "Item;Sum, EUR\nRent;10 000,00\nWater;500,50\nTotal;10 500,50\n"
    assert sums(table(source(text))) == [(Decimal("10500.50"), "EUR")]
    assert previews.of(FileText("a.csv", 1, text, "csv")).head == ["Item", "Sum, EUR"]


def test_the_preview_of_a_csv_for_excel_begins_with_its_header() -> None:
    """# 001-26"""
    file = FileText("a.csv", 1, "sep=;\nName;Größe\nJörg;1,80\n", "csv")
    preview = previews.of(file)
    assert (preview.form, preview.head, preview.rows) == ("table", ["Name", "Größe"], [["Jörg", "1,80"]])
    assert previews.of(FileText("a.csv", 1, "sep=;\n", "csv")).form == "text"
