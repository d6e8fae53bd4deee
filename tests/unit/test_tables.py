"""Tables in the texts of files: types, units, headers, totals, several on a sheet; and statements over them."""

import json
import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from leaf import charts, documents
from leaf.documents.model import LEFT_OUT, Document, Segment
from leaf.documents.tables import Cell, Refused, Source, Table, engine, row_labels, tables_of, values
from leaf.documents.text import read_csv


def sheet(*rows: str, name: str = "Book", part: str = "sheet One") -> Source:
    return Source("file", "1", name, "spreadsheet", [Segment(part, None, "\n".join(rows))])


def csv(*rows: str, name: str = "book.csv") -> Source:
    return Source("file", "1", name, "csv", [Segment("all", None, "\n".join(rows))])


def only(source: Source) -> Table:
    (table,) = tables_of([source])
    return table


def test_columns_have_types_units_and_places() -> None:
    table = only(sheet("Day,What,Cost (EUR),Share", "2026-01-05,Lamp,12.5,10%", "2026-02-05,Belt,7,15%"))
    assert [(one.name, one.type, one.unit, one.letters) for one in table.columns] == [
        ("day", "date", "", "A"), ("what", "text", "", "B"), ("cost_eur", "number", "EUR", "C"),
        ("share", "number", "%", "D"),
    ]  # fmt: skip
    assert (table.place, table.rows) == ("sheet One, A1:D3", [2, 3])


@pytest.mark.parametrize(
    ("cells", "european", "wanted"),
    [
        (["1,234.50", "2.00"], False, ["1234.50", "2.00"]),
        (["1.234,50", "2,00"], False, ["1234.50", "2.00"]),
        (["1 234,50", "7,5"], False, ["1234.50", "7.5"]),
        (["1'234.50", "7.5"], False, ["1234.50", "7.5"]),
        (["1,234", "2,345"], False, ["1234", "2345"]),
        (["1,234", "2,345"], True, ["1.234", "2.345"]),
        (["(250)", "-3", "−4", "5-"], False, ["-250", "-3", "-4", "-5"]),
        (["1e3", "2.5e-1"], False, ["1E+3", "0.25"]),
        (["3 Mio", "1.5 million"], False, ["3E+6", "1.5E+6"]),
        (["1,5 Mio. €", "2 Mio. €"], True, ["1.5E+6", "2E+6"]),
        (["$(1,234.00)", "-$3.50", "($5)"], False, ["-1234.00", "-3.50", "-5"]),
        (["1,00,000", "12,34,567"], False, ["100000", "1234567"]),
    ],
)
def test_numbers_are_read_in_the_ways_in_which_they_are_written(
    cells: list[str], european: bool, wanted: list[str]
) -> None:
    found = values.read(cells, "Amount", european=european)
    assert (found.type, found.values) == ("number", [Decimal(one) for one in wanted])


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["2026-03-04", "2026/12/31"], ["2026-03-04", "2026-12-31"]),
        (["04.03.2026", "31.12.2026"], ["2026-03-04", "2026-12-31"]),
        (["04/03/2026", "31/12/2026"], ["2026-03-04", "2026-12-31"]),
        (["03/04/2026", "12/31/2026"], ["2026-03-04", "2026-12-31"]),
        (["4 March 2026", "31. Dezember 2026"], ["2026-03-04", "2026-12-31"]),
        (["Mar 4, 2026", "December 31, 2026"], ["2026-03-04", "2026-12-31"]),
        (["4 février 2026", "14 août 2026"], ["2026-02-04", "2026-08-14"]),
        (["4 de enero de 2026", "1 juin 2026", "2 juillet 2026"], ["2026-01-04", "2026-06-01", "2026-07-02"]),
    ],
)
def test_dates_are_read_in_their_order(cells: list[str], wanted: list[str]) -> None:
    found = values.read(cells, "Day")
    assert (found.type, [str(one) for one in found.values]) == ("date", wanted)


def test_dates_have_times_and_a_few_cells_without_one() -> None:
    found = values.read(["04/03/2026 14:05", "31/12/2026 9:00"], "When")
    assert (found.type, [str(one) for one in found.values]) == ("time", ["2026-03-04 14:05:00", "2026-12-31 09:00:00"])
    born = [f"200{number}-01-02" for number in range(1, 6)]
    assert (values.read([*born, "unknown"], "Born").type, values.read([*born, "unknown"], "Born").unread) == (
        "date",
        [5],
    )
    assert values.read(["2001-01-02", "2002-01-02", "31-31-2003", "unknown"], "Born").type == "text"


def test_numbers_of_telephones_are_no_quantities() -> None:
    assert values.read(["+49 30 1234", "+49 40 9999"], "Phone").type == "text"


def test_an_ambiguous_order_of_dates_is_stated() -> None:
    assert values.read(["04/03/2026", "05/03/2026"], "Day").assumed == [("computed.day_first", "04/03/2026")]


def test_dates_in_contradicting_orders_stay_text() -> None:
    assert values.read(["13/01/2026", "01/13/2026"], "Day").type == "text"


def test_identifiers_stay_text_and_odd_cells_are_named() -> None:
    assert values.read(["007", "010"], "Number").type == "text"
    found = only(sheet("A,B", "x,1", "y,2", "z,3", "u,4", "v,about 5", "w,n/a")).columns[1]
    assert (found.type, found.unread) == ("number", {6: "about 5"})
    assert [str(one) for one in found.values] == ["1", "2", "3", "4", "None", "None"]


def test_not_a_number_is_no_value() -> None:
    assert values.read(["1", "NaN", "#DIV/0!", "2"], "X").values == [Decimal(1), None, None, Decimal(2)]


def test_a_formula_is_text() -> None:
    table = only(csv("name,what", "a,=cmd|' /C calc'!A0", "b,=1+1"))
    assert table.columns[1].values == ["=cmd|' /C calc'!A0", "=1+1"]


def test_rows_that_sum_up_others_are_kept_apart() -> None:
    table, totals = tables_of([sheet("Line,Q1,Q2", "a,1,2", "b,3,4", "Subtotal,4,6", "c,5,5", "Total Recall,100,9")])
    assert (table.rows, totals.rows, totals.is_totals) == ([2, 3, 5, 6], [4], True)
    assert table.totals == [4]


@pytest.mark.parametrize("label", ["Average", "Ø", "Mittelwert:"])
def test_a_row_with_the_mean_of_others_is_kept_apart(label: str) -> None:
    table, totals = tables_of([csv("Name,Score,Weight", "a,80,1", "b,91,2", "c,90,4", f"{label},87.0,2.33")])
    assert (table.rows, totals.rows) == ([2, 3, 4], [5])
    (whole,) = tables_of([csv("Name,Score", "a,80", "b,91", "c,90", f"{label},88")])
    assert whole.rows == [2, 3, 4, 5], "88 is the mean of nothing above"


def test_remarks_beside_a_table_are_none() -> None:
    found = tables_of([csv("Report of 2025,,", "By finance,,", "", "Name,Score", "a,80", "b,90", name="r.csv")])
    assert [(one.name, one.place) for one in found] == [("r", "rows, A4:B6")]


def test_sums_are_told_by_any_column_of_one_row_and_rounded() -> None:
    regions = ["North,Rowing,100", "North,Sailing,150", "North,Subtotal,250", "South,Rowing,100", "South,Subtotal,100"]
    table, totals = tables_of([csv("Region,Boat,Amount", *regions, ",Total,350")])
    assert (table.rows, totals.rows) == ([2, 3, 5], [4, 6, 7])
    table, totals = tables_of([csv("Item,Cost", "A,100.10", "B,200.20", "Total (rounded),300")])
    assert (table.rows, totals.rows) == ([2, 3], [4])


def test_a_row_that_says_total_and_is_none_is_stated() -> None:
    (table,) = tables_of([csv("Who,Cost", "Anna,1450.20", "Ben,320.30", "Subtotal of sales,770.50", "Cy,5")])
    assert table.rows == [2, 3, 4, 5]
    assert table.assumed == ["Row 4, “Subtotal of sales”, is not the sum of rows above it, and counts as one of them"]


def test_numbers_of_trips_weeks_and_halves_are_names() -> None:
    for cells in (["T1", "T2"], ["W1", "W2"], ["H1", "H2"], ["S1", "S10"]):
        assert values.read(cells, "Which").type == "text", cells
    assert values.read(["5 t", "7 t"], "Load").unit == "t"


def test_several_tables_on_a_sheet_are_told_apart() -> None:
    found = tables_of(
        [
            sheet(
                "Plan 2026,,,,",
                ",,,,",
                "City,Sum,,Person,Age",
                "Bonn,5,,Ada,30",
                "Ulm,6,,Ben,40",
                ",,,,",
                "Tool,Count",
                "Saw,2",
            )
        ]
    )
    assert [(one.place, [column.name for column in one.columns]) for one in found] == [
        ("sheet One, A3:B5", ["city", "sum"]), ("sheet One, D3:E5", ["person", "age"]),
        ("sheet One, A7:B8", ["tool", "count"]),
    ]  # fmt: skip


def test_an_empty_row_does_not_end_a_table() -> None:
    table = only(sheet("City,Sum", "Bonn,5", "", "Ulm,6"))
    assert table.rows == [2, 4]


def test_a_title_and_merged_headers_are_recognised() -> None:
    table = only(sheet("Budget of the year,,,,", "Line,Plan,,Actual,", ",Q1,Q2,Q1,Q2", "a,1,2,3,4", "b,5,6,7,8"))
    assert [one.name for one in table.columns] == ["line", "plan_q1", "plan_q2", "actual_q1", "actual_q2"]
    assert (table.title, table.header) == ("Budget of the year", 3)


def test_a_table_without_a_header_has_letters() -> None:
    table = only(sheet("1,2", "3,4"))
    assert (table.header, table.assumed) == (
        None,
        ["No header was found: the columns are named by their letters, and row 1 counts as data"],
    )


def test_tables_of_a_text_are_found_between_bars() -> None:
    text = "# Fees\n\n| Service | Fee |\n|---|--:|\n| Move | 120 € |\n| Storage | 80 € |\n\nEnd."
    parsed = documents.parse(text.encode(), "markdown")
    table = only(Source("file", "1", "fees.md", "markdown", parsed.segments))
    assert (table.part, table.columns[1].unit) == ("section Fees, table 1", "EUR")


def test_a_column_for_each_day_of_a_year_is_read() -> None:
    days = [(date(2028, 1, 1) + timedelta(days=day)).isoformat() for day in range(366)]
    table = only(csv(",".join(["Sensor", *days]), ",".join(["a", *["2"] * 366]), ",".join(["b", *["3"] * 366])))
    assert (len(table.columns), sum(sum(column.values) for column in table.columns[1:])) == (367, 5 * 366)


def test_a_million_columns_are_refused() -> None:
    with pytest.raises(Refused, match="more than 400 columns"):
        tables_of([csv(",".join("a" * 1_000_000), ",".join("1" * 1_000_000))])


def ask(query: str, *sources: Source) -> dict[str, Any]:
    return engine.answer({"query": query}, [json.loads(json.dumps(one.body())) for one in sources])


LEDGER = csv(
    "day,who,amount,currency",
    "2026-01-02,Ada,10,EUR",
    "2026-02-03,Ben,20,EUR",
    "2026-03-04,Ada,5,USD",
    name="ledger.csv",
)
ORDERS = sheet("Item,Price (EUR),Weight (kg)", "a,1.10,2", "b,2.20,3", "c,3.30,", name="orders")


def test_a_sum_is_exact_and_names_its_cells() -> None:
    made = ask("SELECT sum(price_eur) AS s FROM orders WHERE item <> 'b'", ORDERS)
    assert made["rows"] == [[4.4]]
    assert made["columns"] == [{"name": "s", "unit": "EUR"}]
    (used,) = made["tables"]
    assert (used["cells"], used["rows"], used["filtered"]) == (["B2", "B4"], 2, 1)
    assert made["formula"]["en"] == "sum of Price (EUR)"


def test_rows_without_a_value_are_counted() -> None:
    (used,) = ask("SELECT avg(weight_kg) FROM orders", ORDERS)["tables"]
    assert used["blank"] == {"Weight (kg)": 1}


def test_the_highest_of_a_table_names_its_own_cells() -> None:
    (used,) = ask("SELECT item, price_eur FROM orders ORDER BY price_eur DESC LIMIT 1", ORDERS)["tables"]
    assert used["cells"] == ["A4:B4"]


def test_a_subquery_and_with_name_their_cells() -> None:
    made = ask(
        "WITH x AS (SELECT price_eur AS p FROM orders WHERE item = 'a') "
        "SELECT max(p) / (SELECT sum(price_eur) FROM orders) FROM x",
        ORDERS,
    )
    assert [one["cells"] for one in made["tables"]] == [["B2"], ["B2:B4"]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(amount) FROM ledger",
        "SELECT avg(amount) FROM ledger WHERE who = 'Ada'",
        "SELECT who, sum(amount) FROM ledger GROUP BY who",
        "SELECT sum(a) FROM (SELECT amount AS a FROM ledger)",
        "SELECT price_eur + weight_kg FROM orders",
        "SELECT sum(price_eur) - sum(weight_kg) FROM orders",
        "SELECT coalesce(price_eur, weight_kg) FROM orders",
        "SELECT count(*) FROM orders WHERE price_eur > weight_kg",
        "SELECT price_eur FROM orders UNION ALL SELECT weight_kg FROM orders",
        "SELECT CASE WHEN item = 'a' THEN price_eur ELSE weight_kg END FROM orders",
    ],
)
def test_different_units_are_not_added(query: str) -> None:
    refused = ask(query, LEDGER, ORDERS).get("refused", "")
    assert re.search(r"units|cannot be added", refused), refused


NET = csv("city,net_eur,vat,pieces", "Bonn,10,1.9,2", "Ulm,20,3.8,4", name="net.csv")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT net_eur + vat FROM net",
        "SELECT sum(net_eur) - sum(vat) FROM net",
        "SELECT sum(net_eur) + count(*) FROM net",
        "SELECT net_eur / net_eur + net_eur FROM net",
        "SELECT coalesce(net_eur, vat) FROM net",
        "SELECT count(*) FROM net WHERE net_eur > vat",
        "SELECT count(*) FROM net WHERE net_eur BETWEEN vat AND 100",
        "SELECT a.city FROM net AS a JOIN net AS b ON a.net_eur = b.vat",
        "SELECT net_eur FROM net UNION ALL SELECT vat FROM net",
        "SELECT CASE WHEN city = 'Bonn' THEN net_eur ELSE vat END FROM net",
        "WITH x AS (SELECT net_eur AS a, vat AS b FROM net) SELECT sum(a + b) FROM x",
    ],
)
def test_an_amount_is_not_added_to_a_column_without_a_unit(query: str) -> None:
    refused = ask(query, NET).get("refused", "")
    assert "has no unit" in refused, refused


@pytest.mark.parametrize(
    ("query", "rows", "unit"),
    [
        ("SELECT sum(net_eur) + 5 FROM net", [[35]], "EUR"),
        ("SELECT sum(net_eur * pieces) FROM net", [[100]], "EUR"),
        ("SELECT sum(pieces * net_eur) FROM net", [[100]], "EUR"),
        ("SELECT sum(net_eur) / sum(pieces) FROM net", [[5]], "EUR"),
        ("SELECT sum(CASE WHEN city = 'Ulm' THEN net_eur ELSE 0 END) FROM net", [[20]], "EUR"),
        ("SELECT sum(vat) + sum(pieces) FROM net", [[11.7]], ""),
        ("SELECT 100 * sum(net_eur) FILTER (WHERE city = 'Ulm') / sum(net_eur) FROM net", [[66.6666666667]], ""),
        ("SELECT count(*) FROM net WHERE net_eur > 15", [[1]], ""),
        ("SELECT corr(net_eur, pieces) FROM net", [[1]], ""),
    ],
)
def test_counts_times_prices_and_constants_stay_possible(query: str, rows: list[list[Any]], unit: str) -> None:
    made = ask(query, NET)
    assert (made["rows"], made["columns"][0]["unit"]) == (rows, unit)


def test_a_product_of_a_quantity_and_a_price_is_money() -> None:
    use = csv("use_kwh,price_eur", "100,0.3", "200,0.25", name="use.csv")
    made = ask("SELECT sum(use_kwh * price_eur) AS cost FROM use", use)
    assert (made["rows"], made["columns"]) == ([[80]], [{"name": "cost", "unit": "EUR"}])


def test_a_unit_that_somebody_names_is_taken_and_said() -> None:
    made = engine.answer({"query": "SELECT sum(net_eur + vat) AS s FROM net", "units": {"net.vat": "€"}}, [NET.body()])
    assert (made["rows"], made["columns"]) == ([[35.7]], [{"name": "s", "unit": "EUR"}])
    assert made["tables"][0]["assumed"][0]["en"] == "“vat” has no unit in the file, and was taken as EUR"
    assert made["units"] == {"net.vat": "€"}
    for units in ({"net.net_eur": "USD"}, {"net.nothing": "EUR"}, {"net.vat": "apples"}, {"net.city": "EUR"}):
        assert "refused" in engine.answer({"query": "SELECT sum(vat) FROM net", "units": units}, [NET.body()]), units


def test_amounts_without_a_currency_beside_them_are_said() -> None:
    some = csv("what,amount,currency", "a,10,EUR", "b,20,", "c,5,EUR", name="some.csv")
    made = ask("SELECT sum(amount) AS s FROM some_", some)
    assert (made["rows"], made["columns"][0]["unit"]) == ([[35]], "EUR")
    assert "was taken as EUR" in made["tables"][0]["assumed"][0]["en"]
    mixed = csv("what,amount,currency", "a,10,EUR", "b,20,", "c,5,USD", name="mixed.csv")
    assert "units" in ask("SELECT sum(amount) FROM mixed WHERE what <> 'c'", mixed)["refused"]


def test_the_name_of_a_table_is_no_column() -> None:
    """DuckDB would give its rows as one value, with the numbers that they have in the sheet."""
    assert ask("SELECT net FROM net", NET)["refused"].startswith("There is no column net.")
    assert ask("SELECT n FROM net AS n", NET)["refused"].startswith("There is no column n.")


def test_a_computation_builds_on_an_earlier_one() -> None:
    """Its result is computed anew within the same statement, and its cells are named."""
    first = csv("city,cost (EUR)", "Bonn,10", "Berlin,20", name="costs.csv")
    second = Source(
        "g", "1", "costs.csv", "csv", csv("city,cost (EUR)", "Ulm,5", "Berlin,7", name="costs.csv").segments
    )
    cells = [
        Cell("total", "WITH x AS (SELECT cost_eur AS p FROM costs) SELECT sum(p) AS total FROM x", ["file"]),
        Cell("both", "SELECT total + (SELECT sum(cost_eur) FROM costs) AS total FROM total", ["g", "file"]),
    ]
    # In this statement the names of the tables are the other way round.
    query = "SELECT (SELECT total FROM both) - sum(cost_eur) AS rest FROM costs WHERE city = 'Berlin'"
    request = {"query": query, "cells": [one.data() for one in cells], "taken": []}
    made = engine.answer(request, [first.body(), second.body()])
    assert (made.get("refused"), made["rows"], made["columns"]) == (None, [[22]], [{"name": "rest", "unit": "EUR"}])
    assert {(one["file_id"], tuple(one["cells"])) for one in made["tables"]} == {
        ("file", ("B2:B3",)), ("g", ("B2:B3",)), ("file", ("B3",)),
    }  # fmt: skip
    assert made["formula"]["en"] == "total of “both” − sum of cost (EUR)"
    assert (made["cell"], made["cells"]) == ("rest", [one.data() for one in cells])


@pytest.mark.parametrize(
    ("cell", "query", "why"),
    [
        (Cell("x", "SELECT read_text('/etc/passwd') FROM net", ["file"]), "SELECT * FROM x", "not available"),
        (Cell("x", "DROP TABLE net", ["file"]), "SELECT * FROM x", "SELECT"),
        (
            Cell("x", "SELECT sum(net_eur) AS a FROM net", ["file"]),
            "SELECT a + (SELECT sum(vat) FROM net) FROM x",
            "no unit",
        ),
        (Cell("net", "SELECT sum(net_eur) AS a FROM net", ["file"]), "SELECT a FROM net", "name of a table"),
        (Cell("x", "SELECT sum(net_eur) AS a FROM net", ["file"]), "WITH x AS (SELECT 1) SELECT * FROM x", "WITH"),
        (Cell("x", "SELECT a FROM y", ["file"]), "SELECT * FROM x", "no table y"),
        (Cell("x", "SELECT sum(net_eur) AS a FROM net", ["other"]), "SELECT * FROM x", "no table net"),
    ],
)
def test_an_earlier_computation_is_checked_with_the_same_rules(cell: Cell, query: str, why: str) -> None:
    made = engine.answer({"query": query, "cells": [cell.data()]}, [NET.body()])
    assert why in made.get("refused", ""), made


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT sum(amount) FROM ledger WHERE currency = 'EUR'", [[30]]),
        ("SELECT currency, sum(amount) FROM ledger GROUP BY currency ORDER BY currency", [["EUR", 30], ["USD", 5]]),
        ("SELECT sum(amount) FILTER (WHERE currency = 'USD') FROM ledger", [[5]]),
        ("SELECT sum(price_eur) / sum(weight_kg) FROM orders", [[1.32]]),
    ],
)
def test_alike_units_are_added(query: str, rows: list[list[Any]]) -> None:
    assert ask(query, LEDGER, ORDERS)["rows"] == rows


def test_currencies_within_cells_are_told_apart() -> None:
    prices = csv("item,price", "a,5 €", "b,7 $", "c,9 €", name="prices.csv")
    assert "units" in ask("SELECT sum(price) FROM prices", prices)["refused"]
    assert ask("SELECT sum(price) FROM prices WHERE price_unit = 'EUR'", prices)["rows"] == [[14]]
    assert "units" in ask("SELECT max(price) FROM prices", prices)["refused"]
    each = ask("SELECT item, price FROM prices", prices)
    with pytest.raises(charts.Refused, match="several units"):
        charts.check(charts.Request(kind="pie", x="item", y=["price"], title="Prices"), each)


def test_a_file_whose_rows_were_cut_is_not_computed_over() -> None:
    notes = [f"{LEFT_OUT}the rows from 3 on."]
    cut = Document("f", "1", "Book", "", "excel", [*sheet("a,b", "x,1").segments], notes, truncated=True)
    with pytest.raises(Refused, match="the rows from 3 on"):
        Source.of(cut, "Book")


def test_a_spreadsheet_that_was_exported_as_csv_has_a_table_with_the_note() -> None:
    segments, _ = read_csv(b"a,b\n" + b"".join(b"row %d,%d\n" % (number, number) for number in range(9_000)))
    note = "Only the first sheet could be exported."
    document = Document("f", "1", "Book", "", "spreadsheet", segments, [note], truncated=True)
    given = Source.of(document, "Book")
    assert len(given.segments) > 1
    assert engine.compute([given], "SELECT sum(b) AS s FROM book")["rows"] == [[9_000 * 8_999 // 2]]
    assert only(given).assumed == [note]


def test_a_label_that_may_sum_up_is_one_of_which_a_rule_says_so() -> None:
    """The quick refusal of most labels leaves none out. # 000-21"""
    rules = (
        row_labels.says_total, row_labels.says_mean, row_labels.says_all, row_labels.says_period, row_labels.extreme_of
    )  # fmt: skip
    known = [
        "Total", "Grand total", "- Total -", "Gesamtkosten", "Sum of all", "Ø", "Max.", "median", "Alle Orte", "Q1",
        "Q 1/2025", "1st quarter", "FY2025", "2025", "H1", "Quartal 3", "année 2024", "Total " + "x" * 90,
    ]  # fmt: skip
    others = ["", "A-000123", "Berlin", "Totally", "Quarterback", "20256", "Summer", "Max Müller", "q_1", "—"]
    assert all(row_labels.may_sum_up(one) for one in known[:-1])
    for label in (*known, *others, *(f"{one} 7" for one in known)):
        assert row_labels.may_sum_up(label) == any(one(label) for one in rules), label


def test_a_natural_join_compares_all_columns_of_the_same_name() -> None:
    """Only the columns that a statement reads are loaded; such a join reads those that it does not name. # 000-21"""
    sources = [
        Source("a", "1", "a.csv", "csv", [Segment("all", None, "City,Kind,Cost\nBonn,x,1\nBonn,y,2\nUlm,x,4\n")]),
        Source("b", "1", "b.csv", "csv", [Segment("all", None, "City,Kind,Paid\nBonn,y,10\nUlm,x,40\nUlm,z,80\n")]),
    ]
    made = engine.compute(sources, "SELECT sum(paid) AS x FROM a NATURAL JOIN b")
    assert made["rows"] == [[50]]
    made = engine.compute(sources, "SELECT sum(paid) AS x FROM a JOIN b USING (city, kind)")
    assert made["rows"] == [[50]]
