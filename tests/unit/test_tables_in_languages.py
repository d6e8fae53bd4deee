"""Tables of other languages than English and German, and columns of words that look like numbers or days. 000-21."""

import io
from typing import Any

import openpyxl
import pytest

from leaf.citations import figures
from leaf.citations.reads import Library
from leaf.documents.kinds import kind_of
from leaf.documents.model import Segment
from leaf.documents.parser import parse
from leaf.documents.tables import Source, engine, row_labels, tables_of, unit_names, values

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def workbook(rows: list[list[Any]], *merged: str) -> Source:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(row)
    for one in merged:
        sheet.merge_cells(one)
    data = io.BytesIO()
    book.save(data)
    kind = kind_of(XLSX, "book.xlsx")
    return Source("file", "1", "book.xlsx", kind, parse(data.getvalue(), kind).segments)


def ask(source: Source, query: str) -> Any:
    """The single row of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [source.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0]


SUMS = {
    "a part, in Danish": ("Post;Sum\nLøn;1000\nheraf bonus;200\nLeje;500\nI alt;1500\n", [1500, 2]),
    "a part, in Norwegian": ("Post;Sum\nLønn;1000\nderav bonus;200\nLeie;500\nTotalt;1500\n", [1500, 2]),
    "a part, in Polish": ("Poz;Kwota\nPłace;1000\nz tego premie;200\nCzynsz;500\nRazem;1500\n", [1500, 2]),
    "a mean, in Swedish": ("Elev;Poäng\nA;10\nB;15\nC;23\nMedel;16\n", [48, 3]),
    "a mean, in Danish": ("Elev;Point\nA;10\nB;15\nC;23\nGns.;16\n", [48, 3]),
    "the country first, in Danish": ("Region;Salg\nHele landet;60\nJylland;30\nFyn;10\nSjælland;20\n", [60, 3]),
    "the country first, in Swedish": ("Län;Antal\nHela riket;60\nSkåne;30\nBlekinge;10\nHalland;20\n", [60, 3]),
    "the country first, by its name": ("Woj;Liczba\nPolska;6123\nA;3123\nB;1000\nC;2000\n", [6123, 3]),
    "the same sum above and below": ("Land;V\nI alt;60\nA;10\nB;20\nC;30\nI alt;60\n", [60, 3]),
    "a sum of two words behind a name": (
        "Land;V\nDK;10\nSE;21\nNorden i alt;31\nUS;5\nCA;6\nAmerika i alt;11\n", [42, 4],
    ),
    "a year above an open one": (
        ("Quarter,Sales\nQ1 FY2025,10.5\nQ2 FY2025,11\nQ3 FY2025,12.5\nQ4 FY2025,13\nFY2025,47\nQ1 FY2026,12\n"
        "Q2 FY2026,12.5\n"), [71.5, 6],
    ),
    "a year, in Polish": (
        "Okres;Kwota\nI kwartał 2024;100\nII kwartał 2024;150\nRok 2024;250\nI kwartał 2025;75\n", [325, 3],
    ),
    "a year, in Dutch": (
        "Periode;Omzet\n1e kwartaal;100\n2e kwartaal;150\nHalfjaar 1;250\n3e kwartaal;75\n", [325, 3],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SUMS)
def test_no_row_that_restates_others_counts_twice(case: str) -> None:
    text, wanted = SUMS[case]
    column = text.partition("\n")[0].replace(",", ";").split(";")[1].lower().replace("ä", "a")
    assert ask(csv(text), f'SELECT sum("{column}"), count(*) FROM book') == wanted  # noqa: S608 - of this test


def test_a_first_row_that_may_be_the_sum_of_the_others_is_named() -> None:
    (table,) = tables_of([csv("Land;Antal\nPolska;62\nA;32\nB;10\nC;20\n")])
    assert (len(table.rows), [one for one in table.assumed if "Polska" in one]) == (4, table.assumed)


@pytest.mark.parametrize(
    "word", ["Delsum", "Delsumma", "Mellansumma", "Tussentotaal", "Välisumma", "Mezisoučet", "Részösszeg"]
)
def test_the_sum_of_a_group_is_known_in_many_languages(word: str) -> None:
    assert row_labels.says_total(word)
    assert not row_labels.is_sum_of_all(word)


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        (["1 januari 2026", "4 mei 2026", "12 oktober 2026"], "2026-10-12"),
        (["1 de janeiro de 2026", "4 de maio de 2026", "12 de outubro de 2026"], "2026-10-12"),
        (["1. ledna 2026", "4. června 2026", "12. července 2026"], "2026-07-12"),
        (["1. tammikuuta 2026", "4. maaliskuuta 2026", "12. marraskuuta 2026"], "2026-11-12"),
        (["1 января 2026", "4 мая 2026", "12 октября 2026"], "2026-10-12"),
        (["torsdag 1. januar 2026", "mandag 4. maj 2026", "søndag 11. oktober 2026"], "2026-10-11"),
    ],
)
def test_days_are_read_in_many_languages(cells: list[str], last: str) -> None:
    found = values.read(cells, "D")
    assert (found.type, str(found.values[-1])) == ("date", last)


@pytest.mark.parametrize(
    ("cells", "wanted", "unit"),
    [
        (["1 200:-", "950:-"], ["1200", "950"], ""),
        (["1,2 mln zł", "800 tys. zł"], ["1.2E+6", "8.00E+5"], "PLN"),
        (["1,2 mia. kr.", "300 mio. kr."], ["1.2E+9", "3.00E+8"], "kr"),
        (["€ 1,2 miljard", "€ 300 miljoen"], ["1.2E+9", "3.00E+8"], "EUR"),
    ],
)
def test_amounts_are_read_in_many_languages(cells: list[str], wanted: list[str], unit: str) -> None:
    found = values.read(cells, "Price")
    assert [float(str(one)) for one in found.values] == [float(one) for one in wanted]
    assert (found.type, found.unit) == ("number", unit)
    assert unit_names.SCALES["mld"] == unit_names.SCALES["mia"]


def test_errors_of_formulas_are_no_values_in_any_language() -> None:
    errors = ["#REFERENCE!", "#VÆRDI!", "#I/T", "#¡DIV/0!", "#BEZUG!", "#NV", "#N/D", "#NOM?", "Err:502", "#DIV/0!"]
    found = values.read(["10", *errors, "20"], "V")
    assert (found.type, found.values) == ("number", [10, *[None] * len(errors), 20])
    # They are listed as errors, unlike empty cells.
    assert found.unread == [*range(1, len(errors) + 1)]
    assert all(map(values.is_error, errors))
    assert not any(map(values.is_empty, ["#1", "#A1", "#tag", "Err", "E: 502"]))


def test_words_that_say_that_nothing_is_known_make_no_column_of_words() -> None:
    found = values.read(["10", "keine Angabe", "inf", "20", "unbekannt", "não disponível"], "V")
    assert (found.type, found.unread) == ("number", [1, 2, 4, 5])
    assert values.read(["unbekannt", "inf"], "V").type == "text"


def test_a_header_of_three_rows_with_merged_cells_has_three() -> None:
    source = workbook(
        [
            ["Store", "Revenue (kEUR)", None, None, None], [None, "Online", None, "Offline", None],
            [None, "H1", "H2", "H1", "H2"], ["S1", 1.5, 2.5, 3, 4], ["S2", 1, 2, 3.25, 4],
        ],
        "B1:E1", "B2:C2", "D2:E2", "A1:A3",
    )  # fmt: skip
    (table,) = tables_of([source])
    assert [one.label for one in table.columns] == [
        "Store", "Revenue (kEUR) Online H1", "Revenue (kEUR) Online H2", "Revenue (kEUR) Offline H1",
        "Revenue (kEUR) Offline H2",
    ]  # fmt: skip


ORDERS = csv("Date,Amt\n13/04/2026,1\n04/13/2026,2\n2026-05-01,4\n02/03/2026,8\n")
ROUGH = csv("N;V\nA;12,5\nB;etwa 20\nC;30\nD;etwa 40\nE;5\n")
THOUSANDS = csv("N;V\nA;1.250\nB;offen\nC;2.500\nD;offen\n")
MONTHS = csv("Month;V\nAugust;1\nSeptember;2\nOctober;3\n")


@pytest.mark.parametrize(
    ("source", "query", "cell"),
    [
        (ORDERS, "SELECT sum(amt) FROM book WHERE date >= DATE '2026-04-01'", "13/04/2026"),
        (ORDERS, "SELECT sum(amt) FROM book WHERE date BETWEEN '2026-04-01' AND '2026-05-01'", "13/04/2026"),
        (ORDERS, "SELECT sum(amt) FROM book WHERE try_cast(date AS DATE) >= '2026-04-01'", "13/04/2026"),
        (ORDERS, "SELECT max(date) FROM book", "13/04/2026"),
        (ORDERS, "WITH a AS (SELECT date AS d, amt FROM book) SELECT sum(amt) FROM a WHERE d > '2026'", "13/04/2026"),
        (ROUGH, "SELECT sum(v) FROM book", "etwa 20"),
        (ROUGH, "SELECT sum(try_cast(v AS DOUBLE)) FROM book", "12,5"),
        (ROUGH, "SELECT sum(x) FROM (SELECT try_cast(v AS DOUBLE) AS x FROM book)", "12,5"),
        (ROUGH, "SELECT n FROM book ORDER BY v DESC LIMIT 1", "etwa 20"),
        (ROUGH, "SELECT arg_max(n, v) FROM book", "etwa 20"),
        (ROUGH, "SELECT n FROM book WHERE v > '20'", "etwa 20"),
        (ROUGH, "SELECT n, rank() OVER (ORDER BY v) FROM book", "etwa 20"),
        (THOUSANDS, "SELECT sum(CAST(v AS DOUBLE)) FROM book WHERE v <> 'offen'", "1.250"),
        (MONTHS, "SELECT max(month) FROM book", "August"),
        (csv("P;V\n05/2026;1\n06/2026;2\n01/2027;4\n"), "SELECT max(p) FROM book", "05/2026"),
        (csv("D;V\n2026-01-01;1\n2026-02-01;3\n"), "SELECT sum(d) FROM book", "days"),
        (workbook([["I", "S"], ["A", "=B9*2"], ["B", "=B8*2"]]), "SELECT sum(s) FROM book", "without stored"),
        (workbook([["I", "S"], ["A", "=B9*2"], ["B", "=B8*2"]]), "SELECT i FROM book ORDER BY s LIMIT 1", "without"),
    ],
)
def test_words_are_not_taken_for_numbers_or_days(source: Source, query: str, cell: str) -> None:
    """The refusal is a sentence with a cell, rather than an error of the database or a wrong figure."""
    refused = ask(source, query)
    assert str(refused).startswith("refused: “"), refused
    assert cell in refused


@pytest.mark.parametrize(
    ("source", "query", "wanted"),
    [
        (csv("Zip;V\n01067;1\n10115;3\n"), "SELECT sum(v) FROM book WHERE zip >= '02'", [3]),
        (csv("Zip;V\n01067;1\n10115;3\n"), "SELECT max(CAST(zip AS BIGINT)) FROM book", [10115]),
        (csv("N;V\nAnn;1\nBen;3\n"), "SELECT max(n) FROM book", ["Ben"]),
        (MONTHS, "SELECT month FROM book WHERE v > 1 ORDER BY month", ["October"]),
        (MONTHS, "SELECT sum(v) FROM book WHERE month IN ('August', 'September')", [3]),
    ],
)
def test_columns_of_words_alone_are_ordered(source: Source, query: str, wanted: list[Any]) -> None:
    assert ask(source, query) == wanted


NAMED = csv("Id,Amount\n1,10\n2,30\n")


@pytest.mark.parametrize(
    ("query", "constant"),
    [
        ("SELECT 4711 AS total", [True]),
        ("SELECT 1200 * 12 AS a_year FROM book", [True]),
        ("SELECT * REPLACE (4711 AS amount) FROM book", [False, True]),
        ("SELECT max(4711) AS m, sum(amount) AS s FROM book", [True, False]),
        ("SELECT CASE WHEN sum(amount) > 0 THEN 4711 END AS t FROM book", [True]),
        ("SELECT coalesce(NULL, 4711) AS t FROM book", [True]),
        ("WITH a AS (SELECT 4711 AS t) SELECT t + 1 AS u FROM a", [True]),
        ("SELECT (SELECT 4711) AS x", [True]),
        ("SELECT sum(amount) AS s FROM book UNION ALL SELECT 4711", [True]),
        ("SELECT date_diff('day', DATE '2026-01-01', DATE '2026-02-01') AS d", [True]),
        ("SELECT 1 AS k, sum(amount) AS s FROM book UNION ALL SELECT 2, max(amount) FROM book", [True, False]),
        ("SELECT (SELECT sum(amount) FROM book) AS x", [False]),
        ("SELECT count(*) AS n, sum(1) AS m FROM book", [False, False]),
        ("SELECT sum(CASE WHEN amount > 5 THEN 1 ELSE 0 END) AS n FROM book", [False]),
        ("SELECT CASE WHEN id = 1 THEN amount ELSE 0 END AS x, row_number() OVER (ORDER BY id) AS r FROM book",
         [False, False]),
        ("WITH a AS (SELECT sum(amount) AS s FROM book) SELECT s * 2 AS d FROM a", [False]),
    ],
)  # fmt: skip
def test_a_number_that_the_statement_names_is_not_computed(query: str, constant: list[bool]) -> None:
    made = engine.answer({"query": query}, [NAMED.body()])
    assert [one.get("constant", False) for one in made["columns"]] == constant
    (value, *_) = made["rows"][0]
    call = {
        "type": "tool-compute", "toolCallId": "c", "state": "output-available",
        "output": {**made, "files": [{"id": "file", "name": "book.csv"}]},
    }  # fmt: skip
    said = f"It comes to {value} in all, says the table."
    cited, own = figures.check({1: said}, [call, {"type": "text", "text": said}], [], [], Library())
    if len(constant) == 1:
        assert (len(cited), len(own)) == ((0, 1) if constant[0] else (1, 0))
