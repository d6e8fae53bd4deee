"""Figures over tables that people shape in their own way: each is right, refused, or stands with a note. 000-21."""

import io
import re
from typing import Any

import openpyxl
import pytest

from leaf.documents import opendocument_sheets
from leaf.documents.model import Segment
from leaf.documents.parser import parse
from leaf.documents.tables import Source, engine, tables_of
from leaf.documents.text import decode


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def ask(text: str, query: str) -> Any:
    """The single value of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [csv(text).body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


def assumed(text: str) -> str:
    return "\n".join(one for table in tables_of([csv(text)]) for one in table.assumed)


@pytest.mark.parametrize(
    ("rows", "total"),
    [
        ("Total income,1000\nTotal expenses,1800\nNet loss,-800\n", 2800),
        ("Total income,1000\nTotal expenses,700\nNet profit,300\n", 1700),
    ],
)
def test_income_is_no_sum_of_expenses_and_a_loss(rows: str, total: int) -> None:
    """000-21."""
    assert ask(f"Line,Amount\n{rows}", "SELECT sum(amount) FROM book") == total
    assert "is what is left of the first row" in assumed(f"Line,Amount\n{rows}")


def test_a_price_and_a_quantity_are_not_added_up() -> None:
    """000-21."""
    goods = "Item,A,B,C\nPrice,10,20,30\nQty,1,2,3\n"
    assert "several units" in ask(goods, "SELECT sum(a) FROM book")
    assert ask(goods, "SELECT a FROM book WHERE item = 'Price'") == 10
    assert ask("Item,A,B\nPrice,10,20\nTax,1,2\n", "SELECT sum(a) FROM book") == 11
    assert ask("Kind,Cost,Done\nFees,10,20\nCount,1,2\n", "SELECT sum(cost) FROM book") == 11


@pytest.mark.parametrize("cell", ["~100", "≈ 100", "ca. 100", "approx. 100", "Circa 100"])
def test_an_approximate_number_is_read_and_told(cell: str) -> None:
    """000-21."""
    text = f"Item,Amount\nx,{cell}\ny,30\n"
    assert ask(text, "SELECT sum(amount) FROM book") == 130
    assert f"“{cell}” in “Amount” is approximate" in assumed(text)


def test_a_bound_is_left_out_of_sums_and_told() -> None:
    """000-21."""
    made = engine.answer(
        {"query": "SELECT sum(level) AS x FROM book"}, [csv("No,Level\n1,<0.5\n2,1.2\n3,3.4\n4,<0.5\n").body()]
    )
    assert made["rows"] == [[4.6]]
    assert made["tables"][0]["unread"] == ["B2 “<0.5”", "B5 “<0.5”"]


@pytest.mark.parametrize("cell", ["<0.5", "5-7", "etwa 40", "10 (est.)"])
def test_a_cell_that_may_be_larger_than_the_largest_number_is_not_passed_over(cell: str) -> None:
    """000-21."""
    text = f"Item,Days\nA,10\nB,{cell}\nC,8\nD,9\nE,3\nF,4\n"
    assert f"such as “{cell}”" in ask(text, "SELECT max(days) FROM book")
    assert ask(text, "SELECT max(days) FROM book WHERE days IS NOT NULL") == 10


@pytest.mark.parametrize(
    ("cells", "total", "unit"),
    [
        ("1.5 kg/500 g/2 kg", 4000, "g"), ("1.2 m/80 cm/950 mm", 2950, "mm"), ("2 h/45 min/1.5 h", 255, "min"),
        ("1 l/250 ml", 1250, "ml"),
    ],
)  # fmt: skip
def test_amounts_in_units_of_one_dimension_are_converted(cells: str, total: int, unit: str) -> None:
    """000-21."""
    text = "Item,Amount\n" + "".join(f"x,{cell}\n" for cell in cells.split("/"))
    made = engine.answer({"query": "SELECT sum(amount) AS x FROM book"}, [csv(text).body()])
    assert (made["rows"], made["columns"][0]["unit"]) == ([[total]], unit)
    assert "has a larger unit than other cells" in assumed(text)


@pytest.mark.parametrize("cells", ["2 d/4 h", "5 mi/3 km", "1 GB/500 MB", "5 kg/3 m", "5 °C/40 °F"])
def test_other_units_are_not_converted(cells: str) -> None:
    """000-21."""
    text = "Item,Amount\n" + "".join(f"x,{cell}\n" for cell in cells.split("/"))
    assert "several units" in ask(text, "SELECT sum(amount) FROM book")


@pytest.mark.parametrize("columns", ["2024,2025", "East,West"])
def test_the_labels_that_a_pivot_table_puts_above_its_header_are_no_part_of_names(columns: str) -> None:
    """000-21."""
    text = (
        f"Sum of Amount,Column Labels,,\nRow Labels,{columns},Grand Total\nN,10,20,30\nS,5,6,11\nGrand Total,15,26,41\n"
    )
    assert [one.label for one in tables_of([csv(text)])[0].columns] == [
        "Row Labels",
        *columns.split(","),
        "Grand Total",
    ]
    assert ask(text, "SELECT sum(grand_total) FROM book") == 41


def test_a_unit_above_the_header_is_that_of_periods() -> None:
    """000-21."""
    (table,) = tables_of([csv("All amounts in thousands of EUR\nItem,2024,2025\nA,5,6\nB,7,9\n")])
    assert [one.unit for one in table.columns] == ["", "thousand EUR", "thousand EUR"]


@pytest.mark.parametrize(("last", "total"), [("Total,6:15", 6.25), (",6:15", 6.25)])
def test_times_that_a_last_row_adds_up_are_durations(last: str, total: float) -> None:
    """000-21."""
    assert ask(f"Task,Amount\nA,3:45\nB,2:30\n{last}\n", "SELECT sum(amount) FROM book") == total


def test_times_of_a_day_remain_when_one_of_them_is_the_sum_of_others() -> None:
    """000-21."""
    assert tables_of([csv("Class,Begin\nA,9:00\nB,10:00\nC,19:00\n")])[0].columns[1].type == "clock"


RUNNING = {
    "a balance": "Day,Amount,Balance\n1,,1000\n2,-500,500\n3,2000,2500\n4,-120,2380\n",
    "a balance, newest first": "Day,Amount,Balance\n4,-120,2380\n3,2000,2500\n2,-500,500\n1,1000,1000\n",
    "a balance of two columns": "Out,In,Balance\n,,100\n30,,70\n,50,120\n20,,100\n",
    "a sum so far": "Year,Sold,Balance\n2022,10,10\n2023,15,25\n2024,20,45\n",
}


@pytest.mark.parametrize("case", RUNNING)
def test_a_running_sum_is_told(case: str) -> None:
    """000-21."""
    assert "“Balance” adds up" in assumed(RUNNING[case])


@pytest.mark.parametrize(
    "text",
    [
        "Item,Plan,Actual\nA,10,11\nB,20,19\nC,30,33\nD,40,41\n",
        "Item,Amount,Balance\nA,10,1000\nB,20,1020\nC,30,1050\nD,41,1090\n",
    ],
)
def test_other_columns_are_no_running_sums(text: str) -> None:
    """000-21."""
    assert "adds up" not in assumed(text)


def test_a_difference_in_either_order_is_told() -> None:
    """000-21."""
    assert "“Delta”, is the difference" in assumed("Item,Jan,Feb,Mar\nPlan,10,20,30\nActual,11,19,33\nDelta,1,-1,3\n")


def test_a_row_about_all_with_a_weighted_mean_beside_its_sum_is_no_row() -> None:
    """000-21."""
    text = "Country,Cases,per 100k\nA,100,5.5\nB,200,7.5\nAll,300,6.8\n"
    assert ask(text, "SELECT sum(cases) FROM book") == 300
    assert ask(text.replace("6.8", "99"), "SELECT sum(cases) FROM book") == 600
    assert "“EU”, is the sum of the rows above" in assumed(text.replace("All", "EU"))


@pytest.mark.parametrize(
    "text",
    [
        "Account,Amount\nAssets,300\n  Cash,100\n  Stock,200\nDebts,50\n  Loan,30\n  Card,20\n",
        "No,Name,Amount\n1,Assets,300\n1.1,Cash,100\n1.2,Stock,200\n2,Debts,50\n2.1,Loan,30\n2.2,Card,20\nTotal,,350\n",
    ],
)
def test_the_heads_of_an_outline_by_indents_or_numbers_are_no_rows(text: str) -> None:
    """000-21."""
    assert ask(text, "SELECT sum(amount) FROM book") == 350
    changed = text.replace("200", "190")
    assert ask(changed, "SELECT sum(amount) FROM book") == 640
    assert "“Assets”, stands above rows that are parts of it" in assumed(changed)


def test_a_sum_without_a_label_above_shares_is_no_row() -> None:
    """000-21."""
    text = "Name,Q1,Q2,Year\nA,1,20,21\nB,2,20,22\n,3,40,43\nGrowth,,33%,\n"
    assert ask(text, "SELECT sum(year) FROM book") == 43


def test_a_label_behind_empty_cells_of_numbers_belongs_to_no_item() -> None:
    """The tax of a bill is no row of its last item. 000-21."""
    text = "Item,Qty,Price,Amount\nA,2,10.00,20.00\nB,1,5.50,5.50\n,,Net,25.50\n,,VAT 20%,5.10\n,,Gross,30.60\n"
    assert ask(text, "SELECT sum(amount) FROM book") == 25.5


def test_an_equal_amount_below_a_blank_by_mistake_is_a_row() -> None:
    """000-21."""
    assert ask("City,Amount\nBonn,12\nRome,40\n Nice,40\nOslo,15\n", "SELECT sum(amount) FROM book") == 107


def test_prices_in_a_first_column_are_no_outline() -> None:
    """000-21."""
    assert "stands above" not in assumed("Price,Sold\n1,10\n1.5,20\n2,30\n2.5,40\n")


def test_sections_with_a_header_each_are_named() -> None:
    """000-21."""
    text = "Section A,,\nItem,Cost,Qty\nx,1,2\ny,3,4\nSection B,,\nItem,Cost,Qty\nz,5,6\nw,7,8\n"
    assert ask(text, "SELECT count(*) FROM book") == 4
    assert ask(text, "SELECT sum(cost) FROM book WHERE section = 'Section B'") == 12


def test_two_remarks_between_few_rows_are_no_rows() -> None:
    """000-21."""
    text = "Item,Cost\nA,10\nNote: dearer since May,\nB,20\nC,30\n(see below),\nD,45\n"
    assert ask(text, "SELECT count(*) FROM book") == 4


def test_a_workbook_shows_the_units_of_its_number_formats() -> None:
    """1.5 kg and 500 g are not 501.5. 000-21."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["Item", "Weight"], ["A", 1.5], ["B", 500]):
        sheet.append(row)
    sheet["B2"].number_format, sheet["B3"].number_format = '0.0" kg"', '0" g"'
    data = io.BytesIO()
    book.save(data)
    found = parse(data.getvalue(), "excel")
    source = Source("file", "1", "book.xlsx", "excel", found.segments, found.notes)
    assert engine.answer({"query": "SELECT sum(weight) AS x FROM book"}, [source.body()])["rows"] == [[2000]]


@pytest.mark.parametrize(
    ("value", "shown", "unit"),
    [("1.5", "1.5 kg", "kg"), ("500", "500 g", "g"), ("1500", "1.5 t", ""), ("5", "5 boxes", ""), ("5", "5", "")],
)
def test_an_open_document_shows_the_units_of_its_number_formats(value: str, shown: str, unit: str) -> None:
    """000-21."""
    about = f'office:value-type="float" office:value="{value}"'
    row = f"<table:table-row><table:table-cell {about}><text:p>{shown}</text:p></table:table-cell></table:table-row>"
    content = f'<table:table table:name="S">{row}</table:table>'.encode()
    ((_, extras),) = opendocument_sheets.extras(content, 10, 10, 10)
    assert dict(extras.units.get(0, ())) == ({0: unit} if unit else {})


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Ürün;Fiyat\nÇay bardağı;12,50\nSüt şişesi;8,75\n", "cp1254"),
        ("Personel;İzin günü\nFatih Şahin;12\n", "cp1254"),
        ("Şehir,Nüfus\nİstanbul,15000\nMuğla,1000\n", "cp1254"), ("Nafn;Upphæð\nÞór;10\nSigríður;20\n", "cp1252"),
        ("Staða;Verð\nÞyngd;10\n", "cp1252"), ("Název;Částka\nNájem;1200\nElektřina;150\n", "cp1250"),
        ("Imię;Kwota\nŁukasz;100\nMałgorzata;200\n", "cp1250"), ("Товар;Цена\nХлеб;30\nМолоко;80\n", "cp1251"),
        ("Name,Город\nAnn,Москва\nBob,Казань\n", "cp1251"), ("Größe;Menge\nÄpfel;3\nBüro;4\n", "cp1252"),
    ],
)  # fmt: skip
def test_the_charset_of_a_csv_is_detected(text: str, charset: str) -> None:
    """000-22."""
    assert decode(text.encode(charset))[0] == text


def test_the_notes_are_sentences() -> None:
    """Each names the row or the cell. 000-21."""
    notes = assumed("Day,Amount,Balance\n1,,1000\n2,-500,500\n3,2000,2500\n4,~120,2620\n").split("\n")
    assert notes
    assert all(re.search(r"“.+”", one) for one in notes)


@pytest.mark.parametrize(
    ("condition", "blank"),
    [("year = 2025", {"Year": 4}), ("year IS NULL", {}), ("year IS NOT NULL AND month > 0", {}), ("month = 1", {})],
)
def test_rows_are_told_that_a_condition_leaves_out_because_a_cell_is_empty(
    condition: str, blank: dict[str, int]
) -> None:  # fmt: skip
    """A year that is written once for several rows would else leave the others out unseen. 000-21."""
    sales = "Year,Month,Sold\n2025,1,10\n,2,20\n,3,30\n2026,1,5\n,2,6\n,3,7\n"
    made = engine.answer({"query": f"SELECT sum(sold) FROM book WHERE {condition}"}, [csv(sales).body()])  # noqa: S608
    assert made["tables"][0]["blank"] == blank
