"""Tables of many kinds and countries, whose figures equal those that a person would add up."""

import io
import time
from collections.abc import Sequence
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from leaf.documents import pdf_tables
from leaf.documents.kinds import kind_of
from leaf.documents.model import Segment
from leaf.documents.parser import parse
from leaf.documents.tables import Source, engine, tables_of

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def parsed(data: bytes, mime_type: str, name: str = "book.xlsx") -> Source:
    kind = kind_of(mime_type, name)
    found = parse(data, kind)
    return Source("file", "1", name, kind, found.segments, found.notes)


def ask(source: Source, query: str) -> Any:
    """The single value of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [source.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


def total(source: Source, column: str, table: str = "book") -> Any:
    return ask(source, f"SELECT sum({column}) AS x FROM {table}")  # noqa: S608 - names of tests


def assumed(source: Source) -> str:
    return "\n".join(one for table in tables_of([source]) for one in table.assumed)


def workbook(fill: Any, **options: Any) -> Source:
    data = io.BytesIO()
    book = xlsxwriter.Workbook(data, options)
    fill(book, book.add_worksheet("Sheet"))
    book.close()
    return parsed(data.getvalue(), XLSX)


WRITTEN = {
    "no cents": ("Item;Price\nBread;3,-\nMilk;1,50\nJuice;25,-\n", 29.5),
    "no cents, long dash": ("Item;Price\nRent;1'200.–\nPower;85.50\nWater;40.—\n", 1325.5),
    "minus before the currency": ("Item,Price\nA,10.00- EUR\nB,25.50 EUR\n", 15.5),
    "digits of Arabic": ("Item,Price\nA,١٬٢٥٠٫٥٠\nB,٣٠٠٫٢٥\n", 1550.75),
    "digits of full width": ("Item,Price\nA,￥８５，０００\nB,￥７，２５０\n", 92250),
    "yen in characters": ('Item,Price\nA,"85,000円"\nB,"7,250円"\n', 92250),
    "crowns": ("Item,Price\nA,100 kr\nB,250 kr\n", 350),
    "reais": ("Item;Price\nA;R$ 1.100,50\nB;R$ 250,00\n", 1350.5),
    "thousands and millions of a currency": ("Item,Price (USD)\nA,900K\nB,1.2M\nC,3.5M\n", 5_600_000),
    "a power of ten with a comma": ("Item;Price\nA;1,5E-03\nB;2,5E-03\n", 0.004),
    "text in spreadsheets": ("Item,Price\nA,'100\nB,'250.50\n", 350.5),
    "raised footnotes": ("Item,Price\nA,1 200 ¹\nB,300\nC,500²\n", 2000),
    "pieces": ("Item;Price\nA;12 Stk.\nB;50 Stück\nC;3 pcs\n", 65),
    "hours by name": ("Item;Price\nA;1,5 Std.\nB;2 Std.\nC;0,75 Std.\n", 4.25),
    "a point from 1000 on": ("Item,Price\nA,12.000\nB,-11.400\nC,650\n", 1250),
    "no digit before the point": ("Item,Price\nA,.456\nB,.512\n", 0.968),
    "lengths in words": ("Item,Price\nA,7h 45m\nB,1h30\nC,26h 15m\nD,30 min\n", 36),
}  # fmt: skip


@pytest.mark.parametrize("case", WRITTEN)
def test_amounts_are_read_as_people_write_them(case: str) -> None:
    text, wanted = WRITTEN[case]
    column = tables_of([csv(text)])[0].columns[1].name
    assert total(csv(text), column) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text",
    [
        # Millions, metres or months; either side of an account; an exponent.
        "Item,Price\nA,5M\nB,12M\n",
        'Item,Price\nA,"1,000.00 CR"\nB,800.00 DR\n',
        "Item;Price\nA;1.200,00 S\nB;3.500,00 H\n",
        "Item,Price\nA,10⁶\nB,10³\n",
        "Item,Price,DC\nA,100,D\nB,40,C\n",
    ],
)
def test_amounts_that_may_mean_several_things_are_not_added(text: str) -> None:
    assert total(csv(text), "price").startswith("refused: ")


def test_lakhs_are_no_single_rupees() -> None:
    (table,) = tables_of([csv("State,Budget (₹ in lakhs)\nA,120\nB,80\n")])
    assert table.columns[1].unit == "lakh INR"


def test_years_of_two_digits_are_those_of_spreadsheets_and_it_is_said() -> None:
    source = csv("Name,Born\nA,03/04/58\nB,21/12/72\nC,05/06/01\n")
    assert ask(source, "SELECT min(born) AS x FROM book") == "1958-04-03"
    assert "“03/04/58” in “Born” was read as a day of the last century" in assumed(source)


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        ("2026年1月5日 2026年2月3日", "2026-02-03"),
        ("03-Feb-25 14-Mar-25", "2025-03-14"),
        ("1er_février_2025 14_août_2025", "2025-08-14"),
        ("17_agosto_2025 1°_settembre_2025", "2025-09-01"),
        ("3rd_July_2025 22nd_of_June_2025", "2025-07-03"),
        ("3_stycznia_2025 17_października_2025", "2025-10-17"),
        ("2025/11/03_9:12:33_AM_GMT+1 2025/11/04_7:01:59_PM_GMT+1", "2025-11-04T19:01:59"),
    ],
)
def test_days_are_read_in_many_languages(cells: str, last: str) -> None:
    lines = "".join(f"{cell.replace('_', ' ')},1\n" for cell in cells.split())
    assert ask(csv(f"Day,Price\n{lines}"), "SELECT max(day) AS x FROM book") == last


def test_numbers_of_a_workbook_keep_their_point_beside_texts_with_a_comma() -> None:
    def fill(_: Any, sheet: Any) -> None:
        for row, value in enumerate(["Price", "1.234,50", "2.345,00", 12.5, 1.759]):
            sheet.write(row, 0, f"item {row}")
            sheet.write(row, 1, value)

    source = workbook(fill)
    assert ask(source, "SELECT sum(price) AS x FROM book WHERE price < 13 OR price > 2000") == 2357.5
    assert "The point of “1.759” in “Price” was read as the sign between thousands" in assumed(source)


HEADERS = {
    "years beside an empty corner": (",2024,2025\nSales,10,20\nCosts,5,6\n", "column_2025", 26),
    "years above labels": (",2024,,2025,\nCity,Plan,Real,Plan,Real\nA,1,2,3,4\nB,5,6,7,8\n", "column_2025_real", 12),
    "years with their unit": ("Item;2025 TEUR;2026 TEUR\nPay;1.200;1.300\nGoods;350;400\n", "column_2025_teur", 1550),
    "days of a month": ("Name,1,2,3,4\nAnn,8,8,7,0\nBob,6,8,8,8\n", "column_2", 16),
    "days": ("Item,01.01.2026,01.02.2026\nRent,900,950\nPower,80,70\n", "column_01_02_2026", 1020),
    "facts of the file above": ("Customer,4711,\nPeriod,202601,\nDay,Text,Price\n2026-01-05,Rent,9\n2026-01-06,Pay,5\n",
                                "price", 14),
    "its header again": ("Day,Price\n2026-01-05,1\n2026-01-06,2\nDay,Price\n2026-02-01,3\n", "price", 6),
    "of a pivot table": ("Sum of EUR,Column Labels,,\nRows,2024,2025,Total\nA,10,15,25\nB,8,7,15\nTotal,18,22,40\n",
                         "column_2025", 22),
    "with a name that goes over two rows": ("Team,Q1,,Q2,\nTeam,Plan,Real,Plan,Real\nA,1,2,3,4\nB,5,6,7,8\n",
                                            "q1_real", 8),
    "its header again, with a name of its own": ("Assets,2024,2025\nCash,12,15\nDebts,2024,2025\nLoan,30,24\n",
                                                 "column_2025", 39),
    "an empty row below it": ("Day,Km\n\n2026-01-03,10\n2026-01-09,12\n\n2026-02-01,7\n", "km", 29),
    "a title and a sum above it": ("Costs,,\nTotal,410,\nItem,Price,By\nA,60,x\nB,350,y\n", "price", 410),
    "an empty column for the eye": ("Item,,2024,,2025\nA,,1,,3\nB,,2,,4\nSubtotal,,3,,7\nC,,5,,6\n", "column_2025", 13),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADERS)
def test_headers_are_no_values(case: str) -> None:
    text, column, wanted = HEADERS[case]
    assert total(csv(text), column) == wanted


@pytest.mark.parametrize(
    "remark", ["Source: export of the shop", "* with delivery", "All prices are net.", "as agreed with the shop in May"]
)
def test_a_remark_below_a_table_is_no_row(remark: str) -> None:
    source = csv(f"Item,Price\nA,10\nB,20\n{remark},\n")
    assert ask(source, "SELECT count(*) AS x FROM book") == 2
    assert f"“{remark}”, was taken for a remark below the table" in assumed(source)


def test_an_item_without_a_price_at_the_end_is_a_row() -> None:
    assert ask(csv("Item,Price\nBread,10\nButter,20\nMustard,\n"), "SELECT count(*) AS x FROM book") == 3


SUMS: dict[str, tuple[str, float, str]] = {
    "a tax": ("Item,Price\nA,100\nB,60\nSubtotal,160\nVAT 20%,32\nTotal,192\n", 160, "“VAT 20%”, is a tax"),
    "two taxes": ("Item,Price\nA,100\nB,200\nNet sum,300\nMwSt 7%,7\nMwSt 19%,38\nGross sum,345\n", 300, "“MwSt 7%”"),
    "carried over": ("Item,Price\nA,100\nB,250\nCarried forward,350\nBrought forward,350\nC,70\nTotal,420\n", 420, ""),
    "an outline": ("Item,Price\nStaff,100\nPay,80\nPension,20\nGoods,50\nSteel,30\nWood,20\n", 150, "“Staff”, is the sum"),  # noqa: E501
    "an outline with numbers": ("No,Item,Price\n1,Staff,100\n1.1,Pay,80\n1.2,Fees,20\n2,Goods,50\n2.1,Oil,30\n2.2,Tea,20\n",  # noqa: E501
                                150, "“Goods”, is the sum"),
    "a part": ("Item,Price\nSales,40\nof which women,22\nShop,100\ndavon Frauen,35\n", 140, "“of which women”, is a part"),  # noqa: E501
    "a pivot table": ("Item,Price\nA,10\nB,20\nNord Ergebnis,30\nC,5\nSüd Ergebnis,5\nGesamtergebnis,35\n", 35, ""),
    "a growth": ("Item,Price\nA,100\nGrowth,10%\nB,200\nC,5\n", 305, "“Growth”, has shares only"),
    "a sum before a tax, without a label": (
        "Item,Price\nA,850\nB,120\nBase imponible,970\nIVA 21%,203.70\nTotal,1173.70\n", 970, "“Base imponible”, is"
    ),
    "what is paid": ("Item,Price\nA,120\nB,15\nC,300\nTotal,435\nPaid,200\nDue,235\n", 435, "“Paid”, is below"),
    "what is left, in fewer cells": (
        "Kind,Item,Price\nFood,Tea,3.70\nHome,Soap,4\nSum of it,,7.70\nLeft,,12.30\n", 7.7, "“Left”, is below"
    ),
    "a surplus": (
        "Item,Price\nFees,120\nGifts,50\nTotal income,170\nRent,60\nPay,75\nTotal costs,135\nSurplus,35\n",
        305, "“Surplus”, is below",
    ),
    "statistics": (
        "Name,Price\nA,71\nB,84\nC,66\nD,95\nE,84\nMean,80\nSD,11.6\nMax,95\nMin,66\nN,5\n", 400, "“SD”, is below"
    ),
    "a rounded mean": (
        "Alumno;Price;Nota\nA;6,5;7\nB;9;8,5\nC;4,25;6\nMedia del grupo;6,58;7,17\nMáximo;9;8,5\nMínimo;4,25;6\n",
        19.75, "",
    ),
    "the past": (
        "Item,Price\nA,10\nB,8\nSubtotal,18\nC,5\nSubtotal,5\nTotal,23\nLast year,21\n", 23, "“Last year”, is below",
    ),
    "a mean by another name": (
        "Name,Price,Mark\nA,2,1.67\nMax,3,3.33\nC,1,1.33\nD,4,3.00\nKlassenschnitt,2.5,2.33\n",
        10, "“Klassenschnitt”, is the mean",
    ),
    "the mean of a class": ("Name,Price\nA,85\nB,90\nC,71\nClass average,82\n", 246, ""),
    "weeks among their days": (
        "Day,Price\n2026-09-01,7.5\n2026-09-02,8\nKW 36,15.5\n2026-09-08,6\n2026-09-09,8.25\nKW 37,14.25\n",
        29.75, "“KW 36”, is the sum",
    ),
    "one row in a group": (
        "City,Shop,Price\nUlm,A,10\nUlm,B,20\nUlm Total,,30\nRom,A,7\nRom Total,,7\nGrand Total,,37\n", 37, ""
    ),
    "three rows of which one is taken away": (
        "Line,Price,2025\nSales,1000,1100\nCosts,(640),(700)\nProfit,360,400\n", 360, "“Profit”, is the sum"
    ),
    "years in all rows": ("Year,Item,Price\n2024,A,10\n2024,B,20\n2024,Total,30\n2025,C,5\n2025,D,6\n2025,Total,11\n", 41, ""),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("case", SUMS)
def test_no_amount_is_counted_twice(case: str) -> None:
    text, wanted, why = SUMS[case]
    assert total(csv(text), "price") == wanted
    assert why in assumed(csv(text))


@pytest.mark.parametrize(
    "text",
    [
        # A title with a word for sums, beside a year; a tax that is a cost; sums by chance; three numbers; further
        # rows below a sum, by their days or their number.
        "Day,Price\n2026-01-05,60\n2026-01-06,40\nTotal,100\n2026-01-12,110\n",
        "Item,Price\nA,60\nB,40\nTotal,100\nC,50\nD,30\nE,30\n",
        "Film,Year,Price\nRobocop,1990,50\nTotal Recall,1990,100\nHeat,1995,60\n",
        "Item,Price\nSales,100\nIncome tax 20%,20\nGifts,90\n",
        "Item,Price\nA,3\nB,1\nC,2\nD,7\nE,9\n",
        "Price\n10\n20\n180\n",
    ],
)
def test_a_row_like_a_sum_is_a_row(text: str) -> None:
    assert total(csv(text), "price") == (22 if "D,7" in text else 210)


def test_the_sum_of_a_group_may_name_it_in_the_column_of_the_groups() -> None:
    source = csv("Dept,Name,Price\nSales,Ann,32\n,Bob,29\nSales total,,61\nIT,Cem,41\n,Dee,39\nIT total,,80\n")
    assert ask(source, "SELECT sum(price) AS x FROM book WHERE dept = 'Sales'") == 61


def test_names_of_groups_within_groups_count_for_the_rows_below_them() -> None:
    source = csv("Region,Land,City,Price\nN,Sweden,Malmö,1\n,,Lund,2\n,Norway,Oslo,3\nS,Italy,Rome,4\n,,Bari,5\n")
    assert ask(source, "SELECT sum(price) AS x FROM book WHERE region = 'N'") == 6
    assert ask(source, "SELECT sum(price) AS x FROM book WHERE land = 'Italy'") == 9


def test_merged_cells_of_a_workbook_count_for_all_their_rows() -> None:
    def fill(_: Any, sheet: Any) -> None:
        for row, cells in enumerate([("No", "Team", "Price"), (1, None, 10), (2, None, 20), (3, "B", 5), (4, "B", 6)]):
            sheet.write_row(row, 0, cells)
        sheet.merge_range("B2:B3", "A")

    assert ask(workbook(fill), "SELECT sum(price) AS x FROM book WHERE team = 'A'") == 30


@pytest.mark.parametrize("column", ["net", "gross"])
@pytest.mark.parametrize(
    "rows",
    [
        "Item,Qty,Net,Gross,Currency\nA,1,10,11.90,EUR\nB,2,20,23.80,USD\n",
        "Item,Currency,Net,Gross,Qty\nA,EUR,10,11.90,1\nB,USD,20,23.80,2\n",
    ],
)
def test_a_column_of_currencies_is_that_of_all_amounts_beside_it(column: str, rows: str) -> None:
    source = csv(rows)
    assert "has several units" in total(source, column)
    assert total(source, "qty") == 3


def _written_by_a_program(rows: Sequence[Sequence[Any]]) -> Source:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append([*row])
    data = io.BytesIO()
    book.save(data)
    return parsed(data.getvalue(), XLSX)


def test_a_formula_that_nobody_has_calculated_is_no_zero() -> None:
    rows = [["Item", "Price"], *([f"item {at}", at] for at in range(1, 10)), ["last", "=5*2"]]
    source = _written_by_a_program(rows)
    assert "B11" in (refused := total(source, "price", "book"))
    assert "a formula without a stored result" in refused
    assert ask(source, "SELECT sum(price) AS x FROM book WHERE item <> 'last'") == 45
    assert "a formula" in ask(source, "SELECT count(*) AS x FROM book WHERE price > 3")


def test_a_sum_that_nobody_has_calculated_is_left_out() -> None:
    source = _written_by_a_program(
        [["Item", "Price"], ["a", 1], ["b", 2], ["c", 3], ["d", 4], ["Total", "=SUM(B2:B5)"]]
    )
    assert total(source, "price") == 10


def test_zeros_of_a_program_that_does_not_calculate_are_no_results() -> None:
    def fill(_: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["Item", "Count", "Price"])
        for row in range(1, 4):
            sheet.write_row(row, 0, [f"item {row}", row])
            sheet.write_formula(row, 2, f"=B{row + 1}*2")

    source = workbook(fill)
    assert total(source, "price").startswith("refused: ")
    assert total(source, "count") == 6


def test_lines_above_a_table_do_not_say_what_splits_its_cells() -> None:
    """Exports of banks end each line with a semicolon, and amounts have commas."""
    text = ';\n"Account";"30 days";\n"Balance";"3.210,55 EUR";\n\n"Day";"Kind";"Text";"Price";\n'
    rows = "".join(f'"{day}.07.2025";"x";"y";"{day}9,95";\n' for day in (14, 11, 10))
    assert ask(csv(text + rows), "SELECT sum(price) AS x FROM book_2") == 379.85


def test_hidden_rows_count_and_are_named() -> None:
    def fill(_: Any, sheet: Any) -> None:
        for row, cells in enumerate([("Item", "Price"), ("a", 1), ("b", 2), ("c", 4)]):
            sheet.write_row(row, 0, cells)
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_row(9, None, None, {"hidden": True})

    source = workbook(fill)
    assert total(source, "price") == 7
    assert "Hidden rows of the sheet “Sheet” count like others: 3." in assumed(source)


def test_a_raised_digit_is_no_further_digit_of_a_page() -> None:
    rows = "<tr><td>A</td><td>560<sup>2</sup></td></tr><tr><td>B</td><td>40</td></tr>"
    page = f"<table><tr><th>City</th><th>People</th></tr>{rows}</table>"
    assert total(parsed(page.encode(), "text/html", "book.html"), "people") == 600


def test_a_raised_digit_is_no_further_digit_of_a_pdf() -> None:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=10)
    for city, people, note in (("City", "People", ""), ("A", "331885", "1"), ("B", "246243", "2"), ("C", "126949", "")):
        pdf.cell(60, 6, city)
        pdf.write(6, people)
        pdf.char_vpos = "SUP"
        pdf.write(6, note)
        pdf.char_vpos = "LINE"
        pdf.ln(6)
    segments, notes = pdf_tables.read(bytes(pdf.output()))
    assert total(Source("file", "1", "book.pdf", "pdf", segments, notes), "people") == 705_077


def test_the_foot_of_a_table_may_stand_before_its_rows() -> None:
    page = (
        "<table><thead><tr><th>Item</th><th>Price</th></tr></thead><tfoot><tr><td>Total</td><td>6</td></tr></tfoot>"
        "<tbody><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr><tr><td>C</td><td>3</td></tr></tbody></table>"
    )
    assert total(parsed(page.encode(), "text/html", "book.html"), "price") == 6


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("Position,Count\nGoalkeeper,3\nDefender,8\nForward,5\n", 16),
        ("Paper,Count\nLetter,3\nMemo,8\nReport,50\n", 61),
        ("Answer,Count\nYes,8\nNo,3\nDont know,2\n", 13),
        ("Item,Count\nPens,3\nInk,8\nCarried forward,11\nPaper,5\n", 16),
    ],
)
def test_words_of_sums_that_name_other_things_are_tried_on_the_numbers(rows: str, expected: int) -> None:
    """A row counts as a sum of others only where its numbers are one."""
    assert total(csv(rows), "count") == expected


@pytest.mark.parametrize(
    "rows",
    [
        "Position,Count\nDefender,8\nMidfielder,8\nForward,8\n",
        "Position,Count\nDefender,5\nMidfielder,3\nForward,8\n",
        "Position,Count,Goals\nDefender,2,7\nMidfielder,9,11\nForward,11,4\n",
        "Document,Count\nLetter,20\nSummary,31\nAnnual report,51\n",
        "Channel,Count\nPrint,500\nTV,500\nMedia,500\n",
        "Prenda,Count\nCamisa,10\nMedia,10\nFalda,30\n",
        "Product,Count\nBasic,5.99\nTotal Repair,5.99\nColor,6.49\n",
        "Name,Count\nAnna,4\nTom,5\nMax,5\nEva,3\n",
        "Name,Count,Age\nLea,10,7\nPaul,12,8\nMax,12,8\n",
        "Name,Count\nJi,71\nSoo,65\nMin,65\n",
        "Song,Count\nOne,100\nTwo,50\nAll,50\n",
        "Answer,Count\nAgree,12\nDisagree,7\nDont care,4\n",
        "Item,Count\nMeat,5\nDavon Carne,9\n",
        "Item,Count\nBolts,5\nNuts,2\nScrews,3\nNails,9\nPins,4\nClips,5\n",
    ],
)
def test_people_and_things_that_are_called_like_sums_are_rows(rows: str) -> None:
    """Chance is no sum: a player of the age of the oldest is called Max, and two products cost the same."""
    wanted = sum(float(line.split(",")[1]) for line in rows.splitlines()[1:])
    assert total(csv(rows), "count") == pytest.approx(wanted)


@pytest.mark.parametrize("last", ["Total,14", "Average,4.67"])
def test_a_sum_that_fits_only_with_a_row_says_that_it_is_one(last: str) -> None:
    """Max is a pupil if the sum below counts him, and the highest mark if it does not."""
    assert total(csv(f"Name,Count\nAnna,4\nTom,5\nMax,5\n{last}\n"), "count") == 14
    assert total(csv("Name,Count\nJan,1\nFeb,4\nMax,4\nTotal,5\n"), "count") == 5


def test_a_last_sum_that_differs_from_its_rows_is_said() -> None:
    """It is no further amount, and somebody should look at it."""
    source = csv("Item,Count\nA,3\nB,5\nTotal,9\n")
    assert total(source, "count") == 8
    assert "Row 4, “Total”, is kept apart as a sum though it is not the sum of the rows above it" in assumed(source)


@pytest.mark.parametrize(
    ("header", "cells", "unit"),
    [
        ("First try,Second try", "5.4,5.6", ""),
        ("Ron,Ben", "8,7", ""),
        ("Min,Max", "3,12", ""),
        ("Temp min,Temp max", "-3,4", ""),
        ("Staff (m),Staff (w)", "5,7", ""),
        ("Price RON,Number", "5,7", "RON"),
        ("Duration (min),Number", "5,7", "min"),
    ],
)
def test_words_and_names_in_headers_are_no_units(header: str, cells: str, unit: str) -> None:
    """A first try is not paid in liras, and the lowest temperature is not one in minutes."""
    (table,) = tables_of([csv(f"Place,{header}\nA,{cells}\nB,{cells}\n")])
    assert [one.unit for one in table.columns] == ["", unit, ""]


@pytest.mark.parametrize(
    ("label", "cells", "wanted"),
    [
        ("Distance", ["3 miles", "13 miles"], ("number", "mi")),
        ("Temps", ["10 mn", "45 mn"], ("text", "")),
        ("Result", ["28:24", "31:27"], ("text", "")),
        ("Version", ["1.2.10", "1.2.11"], ("text", "")),
        ("Record", ["10-4-12", "8-6-12"], ("text", "")),
        ("Note", ["2", "2-", "1", "3"], ("text", "")),
        ("Umsatz", ["2 mn €", "3 mn €"], ("number", "EUR")),
    ],
)
def test_scores_versions_marks_and_miles_are_no_other_quantities(
    label: str, cells: list[str], wanted: tuple[str, str]
) -> None:
    """Three miles are not three thousand, a score is no length of time, and a mark is not negative."""
    (table,) = tables_of([csv("Name;" + label + "\n" + "".join(f"n{at};{one}\n" for at, one in enumerate(cells)))])
    assert (table.columns[1].type, table.columns[1].unit) == wanted


def test_spoons_are_not_added_to_grams() -> None:
    """A word in a column of units beside a unit is another unit, though it is not known."""
    source = csv("Item,Count,Unit\nFlour,500,g\nMilk,300,ml\nSugar,2,tbsp\n")
    assert "has several units" in total(source, "count")


def test_sizes_and_hours_of_a_day_are_labels() -> None:
    """Consecutive numbers beside a label are a header wherever they begin."""
    assert total(csv("Model,36,37,38,39\nRunner,3,4,5,1\nWalker,1,2,7,3\n"), "column_37") == 6


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Name,City,Phone\nAnn,Berlin,a\nBen,Paris,b\n\nCy,Rome,c\nDi,Oslo,d\n", 4),
        ("Date,Event,Who\n2026-01-01,start,a\n2026-01-02,stop,b\n\n2026-01-03,start,c\n2026-01-04,stop,d\n", 4),
        ("Name,Count\nA,1\nB,2\n\nC,\nD,4\n", 4),
        ("Name,City,\nAnn,Berlin,x\nBen,Paris,y\n", 2),
        ("Item,,Price\nBread,fresh,\nMilk,cold,2\nEgg,x,3\n", 3),
        ("Question,Count\nI like it.,5\nI do not like it.,3\nI have no opinion on it.,\n", 3),
    ],
)
def test_no_row_is_swallowed_by_a_header_a_gap_or_a_remark(text: str, rows: int) -> None:
    """An empty row between people or days, a header without its last label, and an answer without votes."""
    assert [len(one.rows) for one in tables_of([csv(text)])] == [rows]


def test_several_remarks_below_a_table_are_no_rows() -> None:
    """Only items that are sentences themselves make a last sentence one of them."""
    (table,) = tables_of([csv("Item,Count\nA,1\nB,2\nSource: export\nNote: draft\n")])
    assert len(table.rows) == 2


def test_headers_that_stand_there_again_are_found_in_linear_time() -> None:
    """Rows like the header were looked up in a set that was made anew for each row, and sums in a list."""
    began = time.process_time()
    for rows in ("a,b\n" * 60_000, "Day,Qty\n" + "a,12\nb,34\nc,46\n" * 20_000):
        tables_of([csv(rows)])
    assert time.process_time() - began < 10


def test_another_table_below_a_gap_stays_another_one() -> None:
    """Words in the place of the numbers above are its header."""
    found = tables_of([csv("Name,Qty\nA,1\nB,2\n\nCity,People\nX,5\nY,6\n")])
    assert [len(one.rows) for one in found] == [2, 2]
