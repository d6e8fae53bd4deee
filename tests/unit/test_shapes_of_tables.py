"""Tables as people make them: titles, groups, sums in odd places, merged cells, amounts in millions, hours."""

import io
from decimal import Decimal
from typing import Any

import pytest

from leaf.documents.kinds import kind_of
from leaf.documents.model import Segment
from leaf.documents.parser import parse
from leaf.documents.tables import Source, Table, engine, tables_of, unit_names, values
from leaf.documents.tables.model import Refused


def csv(text: str, name: str = "book.csv") -> Source:
    return Source("file", "1", name, "csv", [Segment("all", None, text)])


def parsed(data: bytes, mime_type: str, name: str) -> Source:
    kind = kind_of(mime_type, name)
    return Source("file", "1", name, kind, parse(data, kind).segments)


def ask(source: Source, query: str) -> Any:
    """The single value of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [source.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


def column(table: Table, name: str) -> list[Any]:
    return next(one.values for one in table.columns if one.name == name)


def test_a_total_in_a_column_of_dates_is_no_further_amount() -> None:
    """Also where an empty line stands before it, and cells of it are empty."""
    lines = "".join(f"2026-0{month}-01,A,{month}.00\n" for month in range(1, 7))
    rows, sums = tables_of([csv(f"Date,Shop,Amount USD\n{lines}\nTotal,,21.00\n")])
    assert [one.type for one in rows.columns] == ["date", "text", "number"]
    assert column(rows, "amount_usd") == [Decimal(f"{month}.00") for month in range(1, 7)]
    assert (sums.rows, column(sums, "amount_usd")) == ([9], [Decimal("21.00")])


def test_a_row_at_the_top_that_sums_up_all_others_is_no_further_row() -> None:
    rows, sums = tables_of([csv("Team,Hours\nAll teams,30\nRed,10\nBlue,20\n")])
    assert (column(rows, "team"), column(sums, "team")) == (["Red", "Blue"], ["All teams"])


def test_a_name_that_begins_with_all_is_no_sum() -> None:
    (table,) = tables_of([csv("Item,Price\nPrinter,10\nAll-in-one printer,30\nScanner,20\n")])
    assert (len(table.rows), table.assumed) == (3, [])


def test_names_of_groups_count_for_the_rows_below_them() -> None:
    rows, sums = tables_of(
        [csv("Country,City,Units\nGermany,Berlin,5\n,Hamburg,7\n,Subtotal,12\nFrance,Paris,9\n,Lyon,1\n,Subtotal,10\n")]
    )
    assert column(rows, "country") == ["Germany", "Germany", "France", "France"]
    assert any("Germany" in one for one in rows.assumed)
    assert column(sums, "units") == [Decimal(12), Decimal(10)]


@pytest.mark.parametrize(
    "text",
    [
        # One name is missing in a list of many.
        "Name,Team\nAnn,Red\nBob,Red\n,Blue\nCem,Blue\nDee,Red\n",
        # The names repeat: the empty cells are empty.
        "Status,Ticket\nopen,1\n,2\nopen,3\n,4\n",
        "Year,Item\n2024,a\n,b\n2025,c\n,d\n",
        # Nothing stands beside the empty cells.
        "Topic,Note\nA,x\n,\nB,y\n,\n",
    ],
)
def test_an_empty_cell_is_not_always_part_of_a_group(text: str) -> None:
    (table,) = tables_of([csv(text)])
    assert not any("were taken for the name" in one for one in table.assumed)


def test_words_above_a_table_are_its_title() -> None:
    (table,) = tables_of([csv("Budget 2026\n(in thousand EUR)\n\nTeam,Plan\nRed,100\nBlue,200\n")])
    assert table.title == "Budget 2026, (in thousand EUR)"
    assert (table.header, column(table, "plan")) == (4, [Decimal(100), Decimal(200)])


def test_lines_of_a_title_may_stand_right_above_the_header() -> None:
    (table,) = tables_of([csv("# exported in 2026\n# by a tool\nid,cost\n1,20.5\n2,\n3,19\n")])
    assert (table.title, table.header) == ("# exported in 2026, # by a tool", 3)
    assert column(table, "cost") == [Decimal("20.5"), None, Decimal(19)]


def test_numbers_of_several_units_in_a_column_of_their_own_are_not_added() -> None:
    source = csv("Item,Qty,Unit,Price\nScrew,1000,pcs,€0.05\nOil,12,l,€7.90\nRope,30,m,€1.20\n")
    with pytest.raises(Refused, match="several units"):
        engine.compute([source], "SELECT sum(qty) FROM book")
    assert engine.compute([source], "SELECT sum(qty) FROM book WHERE unit = 'l'")["rows"] == [[12]]


def test_a_row_that_may_have_been_cut_at_a_separator_is_told() -> None:
    """95,000 without quotation marks is two cells, of which the second stands under no header. # 000-21"""
    (table,) = tables_of([csv("Project,Budget\nA,1200\nB,850\nC,95,000\n")])
    assert [note for note in table.assumed if note.startswith("Row 4 has “000” after the last column with a name")]
    (table,) = tables_of([csv("Project,Budget,\nA,1200,x\nB,850,y\nC,95,\n")])
    assert table.assumed == [], "a column without a name is no cut cell"


def test_a_remark_below_a_table_is_no_title_of_the_next() -> None:
    first, second = tables_of([csv("Item,Price\nA,1\nB,2\n* without tax\n\nItem,Price\nC,3\nD,4\n")])
    assert (first.title, second.title) == ("", "")


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("Revenue (m€)", "million EUR"), ("Umsatz in Mio. EUR", "million EUR"), ("Kosten TEUR", "thousand EUR"),
        ("Kosten (T€)", "thousand EUR"), ("Cost (USD thousands)", "thousand USD"), ("Net, £m", "million GBP"),
        ("Amount (in millions of euros) 2025", "million EUR"), ("Budget (bn USD)", "billion USD"),
        ("Price EUR/kWh", "EUR/kWh"), ("Satz (€ je Stunde)", "EUR/h"), ("Fee (EUR) Member", "EUR"),
        ("Price (net) EUR", "EUR"), ("Speed (m/s)", ""), ("Team", ""), ("W", ""), ("Room m", ""),
    ],
)  # fmt: skip
def test_a_header_says_in_what_its_numbers_count(label: str, unit: str) -> None:
    assert unit_names.unit_of_label(label) == unit


def test_millions_are_not_added_to_ones() -> None:
    source = csv("Year,Revenue (m€),Cost (EUR)\n2024,1.5,200000\n2025,2.5,300000\n")
    with pytest.raises(Refused, match="million EUR"):
        engine.compute([source], "SELECT sum(revenue_m + cost_eur) FROM book")
    (found,) = engine.compute([source], "SELECT sum(revenue_m) AS s FROM book")["columns"]
    assert found["unit"] == "million EUR"


def test_a_price_for_each_times_its_count_is_money() -> None:
    source = csv("Site,Energy (kWh),Price (EUR/kWh),Weight (kg)\nA,100,0.3,5\nB,200,0.4,6\n")
    statement = "SELECT sum(energy_kwh * price_eur_kwh) AS s, sum(weight_kg * price_eur_kwh) AS t FROM book"
    result = engine.compute([source], statement)
    assert [(one["unit"], value) for one, value in zip(result["columns"], result["rows"][0], strict=True)] == [
        ("EUR", 110), ("", 4.0 - 0.1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "cells", "wanted"),
    [
        ("Worked", ["8:00", "7:30", "0:45"], ["8", "7.5", "0.75"]),
        ("Time", ["8:00:00", "25:30:00"], ["8", "25.5"]),
        ("Dauer", ["-1:15", "0:20"], ["-1.25", "0.333333"]),
    ],
)
def test_lengths_of_time_are_hours(label: str, cells: list[str], wanted: list[str]) -> None:
    found = values.read(cells, label)
    assert (found.type, found.unit, found.values) == ("number", "h", [Decimal(one) for one in wanted])
    assert found.assumed == [("computed.hours", cells[0])]


@pytest.mark.parametrize(("label", "cells"), [("Start", ["08:00", "17:30"]), ("Time", ["09:00:00", "10:15:00"])])
def test_times_of_a_day_are_no_lengths(label: str, cells: list[str]) -> None:
    assert values.read(cells, label).type == "clock"


def _workbook(rows: list[list[Any]], number_format: str) -> Table:
    """The table of a workbook, whose numbers have a format."""
    import xlsxwriter

    data = io.BytesIO()
    book = xlsxwriter.Workbook(data)
    sheet, form = book.add_worksheet("Sheet"), book.add_format({"num_format": number_format})
    for number, row in enumerate(rows):
        for at, cell in enumerate(row):
            sheet.write(number, at, cell, form if isinstance(cell, float | int) else None)
    book.close()
    mime_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    (table,) = tables_of([parsed(data.getvalue(), mime_type, "book.xlsx")])
    return table


def test_hours_beyond_a_day_are_read_from_a_workbook_as_it_shows_them() -> None:
    table = _workbook([["Person", "Total time"], ["Kim", 8 / 24], ["Kim", 32.5 / 24]], "[h]:mm")
    assert column(table, "total_time") == [Decimal(8), Decimal("32.5")]


MERGED = """<h1>Fees</h1><table><thead><tr><th rowspan=2>Course</th><th colspan=2>Fee (EUR)</th></tr>
<tr><th>Member</th><th>Guest</th></tr></thead><tbody><tr><td rowspan="2">Yoga</td><td>10</td><td>15</td></tr>
<tr><td>11</td><td>16</td></tr><tr><td>Pottery</td><td>20</td><td>30</td></tr></tbody></table>"""


def test_html_tables_of_a_page_move_no_other_cell() -> None:
    (table,) = tables_of([parsed(MERGED.encode(), "text/html", "fees.html")])
    assert [(one.label, one.unit) for one in table.columns] == [
        ("Course", ""), ("Fee (EUR) Member", "EUR"), ("Fee (EUR) Guest", "EUR"),
    ]  # fmt: skip
    assert column(table, "course") == ["Yoga", "Yoga", "Pottery"]
    assert column(table, "fee_eur_guest") == [Decimal(15), Decimal(16), Decimal(30)]


def test_html_tables_of_a_document_move_no_other_cell() -> None:
    import docx

    document = docx.Document()
    rows = ["Area|Fee (EUR)|", "|2025|2026", "North|1200|1300", "|900|950", "South|100|110"]
    table = document.add_table(rows=len(rows), cols=3)
    for at, row in enumerate(rows):
        for place, text in enumerate(row.split("|")):
            table.cell(at, place).text = text
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Fee (EUR)"
    table.cell(2, 0).merge(table.cell(3, 0)).text = "North"
    data = io.BytesIO()
    document.save(data)
    mime_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    (found,) = tables_of([parsed(data.getvalue(), mime_type, "fees.docx")])
    assert [one.label for one in found.columns] == ["Area", "Fee (EUR) 2025", "Fee (EUR) 2026"]
    assert column(found, "area") == ["North", "North", "South"]
    assert column(found, "fee_eur_2026") == [Decimal(1300), Decimal(950), Decimal(110)]


@pytest.mark.parametrize("span", ["65000", "999999999999", "-1", "x", "²"])
def test_a_page_may_claim_any_number_of_html_tables(span: str) -> None:
    row = f"<tr><td rowspan={span} colspan={span}>x</td><td>1</td></tr>"
    segments = parsed(f"<table>{row * 50}</table>".encode(), "text/html", "a.html").segments
    assert len(segments[0].text) < 50_000


MONTHS = ["Jan,1", "Feb,2", "Mar,3", "Q1,6", "Apr,4", "May,5", "Jun,6", "Q2,15"]


@pytest.mark.parametrize(
    ("lines", "periods"),
    [
        (MONTHS, ["Q1", "Q2"]),
        ([*MONTHS, "H1 2026,21", "Year,21"], ["Q1", "Q2", "H1 2026", "Year"]),
        (["2026-01,1", "2026-02,2", "2026-03,3", "1. Quartal,6"], ["1. Quartal"]),
    ],
)
def test_a_quarter_below_its_months_is_no_further_amount(lines: list[str], periods: list[str]) -> None:
    rows, sums = tables_of([csv("\n".join(["Month,Sales", *lines]))])
    assert sum(column(rows, "sales")) == 21 - 15 * (len(lines) == 4)
    assert [
        one or sums.columns[0].unread[row] for one, row in zip(column(sums, "month"), sums.rows, strict=True)
    ] == periods


@pytest.mark.parametrize(
    "lines",
    [
        # The third quarter happens to be the sum of the first two.
        ["Q1,1", "Q2,2", "Q3,3", "Q4,9"],
        # The months of one quarter, and the others as a whole.
        ["Jan,1", "Feb,2", "Mar,3", "Q2,7", "Q3,8"],
        ["2023,1", "2024,2", "2025,3"],
    ],
)
def test_a_quarter_that_sums_up_no_months_is_a_row(lines: list[str]) -> None:
    (table,) = tables_of([csv("\n".join(["Period,Sales", *lines]))])
    assert (len(table.rows), table.assumed) == (len(lines), [])


def test_rows_that_name_a_section_are_no_rows_of_it() -> None:
    """Sums over sections rest on their cells, and on those of their names."""
    source = csv("Item,EUR\nOffice,\nPaper,10\nPens,5\nSubtotal,15\nTravel,\nTrain,100\nTaxi,40\nTotal,155\n")
    rows, _ = tables_of([source])
    assert column(rows, "section") == ["Office", "Office", "Travel", "Travel"]
    assert column(rows, "item") == ["Paper", "Pens", "Train", "Taxi"]
    result = engine.compute([source], "SELECT section, sum(eur) AS cost FROM book GROUP BY 1 ORDER BY 1")
    assert result["rows"] == [["Office", 15], ["Travel", 140]]
    assert result["tables"][0]["cells"] == ["B3:B4", "B7:B8", "A2", "A6"]


def test_names_of_sections_may_have_a_column_of_their_own() -> None:
    rows, _ = tables_of([csv("Team,Name,Hours\nRed,,\n,Ann,3\n,Bob,4\nBlue,,\n,Cem,5\nTotal,,12\n")])
    assert column(rows, "team") == ["Red", "Red", "Blue"]
    assert rows.columns[0].named_in == {3: 2, 4: 2, 6: 5}


@pytest.mark.parametrize(
    "text",
    [
        # An item without an amount stands at the end, or two of them follow each other.
        "Item,EUR\nOffice,\nPaper,10\nPens,\n",
        "Item,EUR\nOffice,\nPens,\nPaper,10\nTrain,\nTaxi,4\n",
        # The first row has an amount.
        "Item,EUR\nPaper,10\nOffice,\nPens,5\nTrain,\nTaxi,4\n",
    ],
)
def test_an_item_without_an_amount_is_no_section(text: str) -> None:
    (table,) = tables_of([csv(text)])
    assert [one.name for one in table.columns] == ["item", "eur"]
    assert len(table.rows) == text.count("\n") - 1


def test_a_row_of_units_below_the_header_belongs_to_it() -> None:
    (table,) = tables_of([csv("Sensor,Length,Cost\nUnit,[mm],€\nA,5,1.50\nB,7,2.50\n")])
    assert [(one.name, one.type, one.unit) for one in table.columns] == [
        ("sensor", "text", ""), ("length_mm", "number", "mm"), ("cost", "number", "EUR")
    ]  # fmt: skip
    assert (table.header, table.rows) == (2, [3, 4])


def test_a_row_of_currencies_above_words_is_a_row() -> None:
    (table,) = tables_of([csv("Country,Currency\nSpain,EUR\nIndia,INR\n")])
    assert table.rows == [2, 3]


@pytest.mark.parametrize(
    ("number_format", "unit"),
    [
        ('_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-', "EUR"), ("#,##0.00\\ [$€-407]", "EUR"), ('"$"#,##0', "USD"),
        ("[$$-409]#,##0.00", "USD"), ("[$£-809]#,##0", "GBP"), ("#,##0 [$CHF]", "CHF"), ("£#,##0", "GBP"),
        # Canadian dollars.
        ("[$$-1009]#,##0.00", ""), ("#,##0.00", ""), ('0 "days"', "d"), ('0.0" kg"', "kg"),
        ("0.0\\ \\k\\g;-0.0\\ \\k\\g", "kg"),
        # Thousands and millions.
        ('0.0,"t"', ""), ('0.0,," m"', ""), ('"min. "0', ""), ('0 "boxes"', ""),
    ],
)  # fmt: skip
def test_the_format_of_a_cell_says_its_unit(number_format: str, unit: str) -> None:
    table = _workbook([["Item", "Amount"], ["Rent", -1200.5], ["Power", 80], ["Sale", 5000]], number_format)
    assert table.columns[1].unit == unit
    assert column(table, "amount") == [Decimal("-1200.5"), Decimal(80), Decimal(5000)]


@pytest.mark.parametrize("label", ["Итого", "合計", "Razem", "Toplam", "Σ", "Totaal", "المجموع"])
def test_totals_are_known_in_many_languages(label: str) -> None:
    rows, sums = tables_of([csv(f"Item,Qty\nA,3\nB,5\n{label},8\n")])
    assert (column(rows, "item"), column(sums, "qty")) == (["A", "B"], [Decimal(8)])


def test_a_last_row_without_a_label_that_sums_up_all_others_is_no_further_amount() -> None:
    rows, sums = tables_of([csv("Item,Qty\nA,3\nB,5\n,8\n")])
    assert (column(rows, "qty"), sums.rows) == ([Decimal(3), Decimal(5)], [4])


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        # A row that is a sum by chance above the one without a label; sums of groups with one label, below and above.
        ("Item,Price,No\nA,10,1\nB,20,2\nC,30,3\n,60,6\n", [5]),
        ("City,Sex,No\nUlm,m,10\nUlm,f,20\nUlm,All,30\nRom,m,5\nRom,f,6\nRom,All,11\nAlle,All,41\n", [4, 7, 8]),
        ("City,Sex,No,Of\nUlm,all,34,9\nUlm,m,23,5\nUlm,f,11,4\nRom,all,15,3\nRom,m,12,1\nRom,f,3,2\n", [2, 5]),
    ],
)
def test_the_sums_of_all_groups_are_kept_apart(text: str, sums: list[int]) -> None:
    """000-21."""
    assert tables_of([csv(text)])[0].totals == sums


def test_a_last_row_with_the_sums_of_several_columns_is_one_by_any_name() -> None:
    rows, sums = tables_of([csv("Shop,In,Out\nA,3,1\nB,5,2\nC,4,9\nThe whole firm,12,12\n")])
    assert (len(rows.rows), column(sums, "shop")) == (3, ["The whole firm"])


def test_a_profit_is_no_further_amount() -> None:
    """Nor is the margin in the middle; the share of each in the sales is not looked at."""
    lines = ["Sales,100,120,100%", "Goods,-40,-50,-42%", "Margin,60,70,58%", "Staff,-30,-35,-29%", "Profit,30,35,29%"]
    rows, sums = tables_of([csv("\n".join(["Line,2024,2025,Share", *lines]))])
    assert (column(rows, "line"), column(sums, "line")) == (["Sales", "Goods", "Staff"], ["Margin", "Profit"])
    assert any("Margin" in one for one in rows.assumed)


def test_rows_that_sum_up_others_stay_in_their_order() -> None:
    lines = ["Sale,100,120", "Good,-40,-50", "Margin,60,70", "Pay,-30,-35", "Subtotal,30,35", "Tax,-5,-6", "Rest,25,29"]
    _, sums = tables_of([csv("\n".join(["Line,2024,2025", *lines]))])
    assert (column(sums, "line"), sums.rows) == (["Margin", "Subtotal", "Rest"], [4, 6, 8])


def test_the_balance_at_the_end_is_no_further_amount() -> None:
    rows, _ = tables_of([csv("Item,EUR\nOpening balance,100\nSales,50\nRent,-30\nClosing balance,120\n")])
    assert sum(column(rows, "eur")) == 120


def test_the_lowest_and_the_highest_below_a_table_are_no_further_values() -> None:
    rows, sums = tables_of([csv("Month,Temp\nJan,1\nFeb,4\nMar,6\nMin,1\nMax,6\nMedian,4\n")])
    assert (len(rows.rows), column(sums, "month")) == (3, ["Min", "Max", "Median"])
    (table,) = tables_of([csv("Month,Temp\nJan,1\nFeb,4\nMin,0\n")])
    assert any("Min" in one for one in table.assumed)


@pytest.mark.parametrize(
    "text",
    [
        # One column only: a chance.
        "Item,Qty\nA,3\nB,5\nC,8\n",
        "Shop,In,Out\nA,3,1\nB,5,2\nC,4,9\nD,12,11\n",
        "Shop,In,Out\nA,0,0\nB,0,0\nC,0,0\nD,0,0\n",
        # A name is missing.
        "Item,Qty\nA,3\nB,5\n,5\n",
    ],
)
def test_a_last_row_that_does_not_sum_up_all_others_is_a_row(text: str) -> None:
    (table,) = tables_of([csv(text)])
    assert len(table.rows) == text.count("\n") - 1


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["3/4/2026 1:05 PM", "12/31/2026 12:00 AM"], ["2026-03-04 13:05:00", "2026-12-31 00:00:00"]),
        (["Mon 2 March 2026", "Di., 3. März 2026", "March 4, 2026"], ["2026-03-02", "2026-03-03", "2026-03-04"]),
        (["2026-03-04T10:00:00Z", "2026-03-05T10:00:00+02:00"], ["2026-03-04 10:00:00", "2026-03-05 10:00:00"]),
    ],
)
def test_times_are_read_as_programs_write_them(cells: list[str], wanted: list[str]) -> None:
    assert [str(one) for one in values.read(cells, "At").values] == wanted


def test_a_dash_before_a_number_is_its_sign() -> None:
    assert values.read(["−5", "–3", "2"], "Change").values == [Decimal(-5), Decimal(-3), Decimal(2)]
    assert values.read(["1–3", "4–6", "7–9"], "Pages").type == "text"


def test_a_mark_of_a_footnote_is_no_part_of_a_number() -> None:
    assert values.read(["1,200*", "3,400", "560 †"], "People").values == [Decimal(1200), Decimal(3400), Decimal(560)]


SHIFTS = "Name,Start,End\nAnn,7:30,16:00\nBen,9:15,17:45\nCem,10:00,18:30\n"
NIGHT = "Dee,22:00,6:00\n"


@pytest.mark.parametrize(
    ("query", "result"),
    [
        ("SELECT min(start) AS x FROM book", "07:30"),
        ("SELECT max(start) AS x FROM book", "10:00"),
        ("SELECT name AS x FROM book ORDER BY start DESC LIMIT 1", "Cem"),
        ("SELECT count(*) AS x FROM book WHERE start >= '9:00'", 2),
        ("SELECT sum(date_diff('minute', start, end_)) / 60 AS x FROM book", 25.5),
    ],
)
def test_times_of_a_day_have_their_order_and_differences(query: str, result: Any) -> None:
    """9:15 is before 10:00. # 000-21"""
    assert ask(csv(SHIFTS), query) == result


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT sum(start) AS x FROM book", "not added up"),
        ("SELECT end_ - start AS x FROM book", "TIME"),
        ("SELECT sum(date_diff('hour', start, end_)) AS x FROM book", "Take minutes"),
        ("SELECT sum(date_diff('minute', start, end_)) AS x FROM book", "midnight"),
        ("SELECT date_diff('minute', min(start), max(end_)) AS x FROM book", "needs two columns"),
        ("SELECT date_diff('minute', s, e) AS x FROM (SELECT start AS s, end_ AS e FROM book) AS t", "needs two"),
    ],
)
def test_what_times_of_a_day_do_not_have_is_refused(query: str, why: str) -> None:
    """Neither a sum, nor differences over midnight. # 000-21"""
    made = ask(csv(SHIFTS + NIGHT), query)
    assert str(made).startswith("refused: ")
    assert why in made


@pytest.mark.parametrize("days", ["01/13/2025 13/02/2025 05/06/2025", "01.02.2025 soon 03.02.2025 later"])
def test_days_in_several_orders_are_words_and_it_is_said(days: str) -> None:
    """000-21."""
    (table,) = tables_of([csv("Day,Price\n" + "".join(f"{day},1\n" for day in days.split()))])
    assert table.columns[0].type == "text"
    assert any("not all of its cells are days in one order" in one for one in table.assumed)


@pytest.mark.parametrize("label", ["Version", "Name"])
def test_words_that_are_no_days_are_not_told_of(label: str) -> None:
    """000-21."""
    cells = {"Version": "1.2.25 1.3.25 1.13.25 13.1.25", "Name": "Ann Bob 01.02.2025"}[label]
    (table,) = tables_of([csv(f"{label},Price\n" + "".join(f"{cell},1\n" for cell in cells.split()))])
    assert (table.columns[0].type, table.assumed) == ("text", [])
