"""Tables of kinds that no rule was made for: marks, limits, results, exports, units of rows. 000-21, 000-22."""

import io
import re
import time
from typing import Any

import openpyxl
import pytest

from leaf.documents.kinds import kind_of
from leaf.documents.model import Segment
from leaf.documents.parser import parse
from leaf.documents.tables import Source, engine, tables_of

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def parsed(data: bytes, mime_type: str, name: str) -> Source:
    kind = kind_of(mime_type, name)
    found = parse(data, kind)
    return Source("file", "1", name, kind, found.segments, found.notes)


def ask(source: Source, query: str) -> Any:
    """The single value of a result; the reason of a refusal, after `refused: `."""
    made = engine.answer({"query": query}, [source.body()])
    return f"refused: {made['refused']}" if "refused" in made else made["rows"][0][0]


def rows(text: str) -> int:
    return ask(csv(text), "SELECT count(*) AS x FROM book")


def assumed(source: Source) -> str:
    return "\n".join(one for table in tables_of([source]) for one in table.assumed)


def units(text: str) -> dict[str, str]:
    return {one.name: one.unit for one in tables_of([csv(text)])[0].columns if one.type == "number"}


APART = {
    "crosses": ("Name,5 Jan,12 Jan,19 Jan\nAnn,x,x,\nBen,,x,x\nCem,x,,x\nDee,x,x,x\nPresent,3,3,3\n", 4, "counts the"),
    "crosses and a sum": ("Name;01.09.;08.09.;Sum\nA;x;x;2\nB;x;-;1\nC;-;x;1\nAnwesend;2;2;4\n", 3, "counts the"),
    "yes and no": ("Guest,Dinner,Lunch\nAnn,yes,no\nBen,yes,yes\nCem,no,yes\nDee,yes,yes\nAll,3,3\n", 4, "counts"),
    "present and absent": ("Name,Mo,Tu\nAnn,x,x\nBen,,x\nCem,x,x\nPresent,2,3\nAbsent,1,0\n", 3, "counts the"),
    "what can be reached": ("Name,Quiz,Exam\nPoints Possible,10,100\nAnn,8,88\nBen,9,75\nCem,10,91\n", 3, "be reached"),
    "a maximum of marks": ("Name;A;B\nMax. Punkte;10;15\nLena;7;12\nTim;9;9\nUwe;10;14\n", 3, "be reached"),
    "what can be reached, below": ("Name,Quiz,Exam\nAnn,8,88\nBen,9,75\nCem,10,91\nOut of,10,100\n", 3, "be reached"),
    "a profit": ("Line,2024,2025\nRevenue,1000,1200\nCosts,640,700\nProfit,360,500\n", 2, "what is left"),
    "results in steps": (
        ("Position;2024;2025\nUmsatz;5000;5800\nMaterial;2100;2450\nRohertrag;2900;3350\nPersonal;1200;1310\n"
        "Miete;300;310\nEBIT;1400;1730\nZinsen;100;90\nErgebnis;1300;1640\n"), 5, "“EBIT”, is what is left",
    ),
    "a result below a sum of costs": (
        "Line,2024\nRevenue,1000\nStaff,300\nRent,100\nTotal costs,400\nProfit,600\n", 3, "“Profit”, is what is left"
    ),
    "a balance": ("Account,Amount\nOpening balance,1500\nChange,320\nClosing balance,1820\n", 2, "“Closing bal"),
    "another balance": ("Konto;Giro\nAnfangsbestand;1500\nZugang;325\nEndbestand;1825\n", 2, "“Endbestand”, is"),
    "a closed account": (
        ("Day,Text,Debit,Credit,Balance\n2026-01-01,Opening,,,2000\n2026-01-03,Rent,900,,1100\n"
        "2026-01-15,Pay,,2500,3600\n2026-01-20,Shop,150,,3450\n2026-01-31,Closing,1050,2500,3450\n"), 4, "“Closing”",
    ),
    "votes": (
        ("Party;Votes;Share\nRed;412331;45,6 %\nBlue;301772;33,4 %\nGreen;190000;21,0 %\nValid;904103;100,0 %\n"
        "Invalid;9120;\nTurnout;;71,3 %\n"), 3, "“Valid”, is the sum",
    ),
    "an outline with codes": (
        ("Code,Account,Price\n1,Assets,9500\n10,Current,6500\n100,Cash,1500\n101,Bank,5000\n11,Fixed,3000\n"
        "110,Machines,2200\n111,Cars,800\n"), 4, "“Assets”, is the sum of rows below",
    ),
    "a part, in Portuguese": ("Rubrica;Valor\nPessoal;1000\ndos quais direção;300\nRenda;200\nTotal;1200\n", 2, "“dos"),
    "a part, in Italian": ("Voce;Costo\nMacchine;1000\ndelle quali nuove;300\nAffitto;200\nTotale;1200\n", 2, "“delle"),
    "a tax, with its label among rates": (
        ("Day,Work,Hours,Rate,Amount\n2026-10-01,Design,4,80,320\n2026-10-02,Build,6,80,480\n2026-10-03,Test,2,75,150\n"
        "2026-10-04,Docs,3,75,225\n,,,Subtotal,1175\n,,,GST 10%,117.50\n,,,Total,1292.50\n"), 4, "“GST 10%”, is a tax",
    ),
    "a fact below": (
        ("Day,Value,Kind,Text,Price\n2026-07-28,2026-07-28,x,Rent,-89.00\n2026-07-25,2026-07-25,y,Pay,28.10\n"
        "Old balance,24.92 EUR\n"), 2, "remark below",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", APART)
def test_a_row_that_restates_others_is_kept_apart_and_said(case: str) -> None:
    text, count, why = APART[case]
    assert rows(text) == count
    assert why in assumed(csv(text))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        # A pupil called Max with the best marks, features of a product, a profit that is none, three amounts of which
        # one is the sum of the others, a small party below others, men and women of all.
        ("Name,Points,Age\nMax,25,14\nLena,19,13\nTim,18,14\n", 3),
        ("Feature,Basic,Pro\nExport,x,x\nShare,,x\nAudit,,x\n", 3),
        ("Feature,Basic,Seats\nExport,x,1\nShare,,2\nAudit,x,5\n", 3),
        ("Line,2024,2025\nRevenue,1000,1200\nCosts,640,700\nProfit,350,500\n", 3),
        ("Item,Price\nRent,1000\nFood,500\nCar,1500\n", 3),
        ("Item,Price\nChairs,1500\nLamps,320\nTables,1180\n", 3),
        ("Day,Text,Debit,Balance\n2026-01-03,Rent,900,1100\n2026-01-20,Shop,150,950\n2026-01-21,Tax,50,900\n", 3),
        ("Name,Mo,Tu\nAnn,x,x\nBen,,x\nCem,x,x\nDee,4,4\n", 4),
        # Seats of a product, what others have chosen, a further week without costs, products, towns.
        ("Feature,Basic,Pro,Team\nExport,x,x,x\nShare,,x,x\nAudit,,,x\nSeats,1,2,3\n", 4),
        ("Party,Votes\nRed,50\nBlue,27\nRest,23\n", 3),
        ("Day,Km,EUR\nMo,1000,500\nTu,1200,600\nWeek 36,2200,1100\nWe,800,\n", 4),
        ("Item,Price\nProduct A,125\nProduct B,200\nProduct C,325\n", 3),
        ("Place,Price\nBerlin Mitte,100\nHamburg,200\nBerlin Wedding,300\n", 3),
        ("Level,Points,Bonus\n1,2,3\n2,4,x\n", 2),
        # The same fees for all, the same hours on most days, a column of zeros, a price per piece, the same quantity.
        ("Flat,Rent,Heating,Parking\nA,950,120,60\nB,950,120,60\nC,950,120,60\nD,950,120,60\n", 4),
        ("Shop,Mon,Tue,Wed,Thu,Fri\nNorth,10,10,10,10,8\nSouth,10,10,10,10,6\nEast,10,10,10,10,7\n", 3),
        ("Team,Points,Fouls\nA,1,0\nB,3,0\nC,5,0\nD,9,0\n", 4),
        ("Pack,Pieces,Price\nS,1,2\nM,3,6\nL,5,10\nXL,9,18\n", 4),
        ("Item,Net,Qty\nA,125,1\nB,200,1\nC,325,1\n", 3),
        ("Item,Net,Qty\nA,125,2\nB,200,1\nC,325,1\n", 3),
    ],
)
def test_a_row_that_only_looks_so_is_a_row(text: str, count: int) -> None:
    assert rows(text) == count


def test_counts_of_marks_can_be_asked_for() -> None:
    text = APART["crosses"][0]
    assert ask(csv(text), "SELECT column_5_jan AS x FROM book_totals") == 3


EXPORT = "Type,Day,Amount,Fee,Currency,State,Balance\nCARD,2025-03-01,-23.40,0.00,{},ok,976.60\nTOPUP,2025-03-03,500.00,2.50,EUR,ok,1474.10\n"  # noqa: E501


def test_all_amounts_of_an_export_have_the_currency_of_its_column() -> None:
    assert units(EXPORT.format("EUR")) == {"amount": "EUR", "fee": "EUR", "balance": "EUR"}
    for column in ("amount", "fee", "balance"):
        assert "has several units" in ask(csv(EXPORT.format("USD")), f"SELECT sum({column}) AS x FROM book")  # noqa: S608


def test_counts_and_rates_beside_a_currency_have_none() -> None:
    trades = "Ticker,Shares,Price,Currency,Total\nA,10,180.50,USD,1805.00\nB,5,170.00,{},850.00\n"
    assert units(trades.format("USD")) == {"shares": "", "price": "USD", "total": "USD"}
    assert ask(csv(trades.format("EUR")), "SELECT sum(shares) AS x FROM book") == 15
    assert "has several units" in ask(csv(trades.format("EUR")), "SELECT sum(total) AS x FROM book")


def test_rows_of_several_units_below_periods_are_not_added() -> None:
    source = csv("Metric,Jan,Feb\nRevenue (EUR),1000,1100\nStaff,10,11\nArea (m²),250,300\nMargin,12%,14%\n")
    assert "has several units" in ask(source, "SELECT sum(feb) AS x FROM book")
    assert ask(source, "SELECT sum(feb) AS x FROM book WHERE metric = 'Staff'") == 11
    assert ask(source, "SELECT count(*) AS x FROM book") == 4


def test_rows_of_one_unit_below_periods_are_added() -> None:
    source = csv("Item,2024,2025\nRent (EUR),100,110\nPower (EUR),50,60\n")
    made = engine.answer({"query": "SELECT sum(column_2025) AS x FROM book"}, [source.body()])
    assert (made["rows"], made["columns"][0]["unit"]) == ([[170]], "EUR")


def test_a_stock_of_several_units_has_a_value() -> None:
    """Kilos and pieces are not added, but what they cost is money."""
    source = csv("Item;Stock;Unit;Price (EUR)\nFlour;2,5;kg;0,80\nEggs;30;pcs;0,20\n")
    made = engine.answer({"query": "SELECT sum(stock * price_eur) AS x FROM book"}, [source.body()])
    assert (made["rows"], made["columns"][0]["unit"]) == ([[8]], "EUR")
    assert "several units" in ask(source, "SELECT sum(stock) AS x FROM book")
    assert "several units" in ask(source, "SELECT sum(stock + stock * price_eur) AS x FROM book")


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        # The sign of a currency at the first amount and the sum; before brackets none; none but at the sum.
        ('"$12,000" "(3,000)" $40', 9040),
        ("$100 200 300 Total,$600", 600),
        ("100 200 300 Total,$600", 600),
    ],
)  # fmt: skip
def test_amounts_of_accounts_have_the_currency_of_their_sum(cells: str, total: float) -> None:
    lines = "".join(f"{one}\n" if "Total" in one else f"item {at},{one}\n" for at, one in enumerate(cells.split(" ")))
    assert units(f"Item,Price\n{lines}") == {"price": "USD"}
    assert ask(csv(f"Item,Price\n{lines}"), "SELECT sum(price) AS x FROM book") == total


def test_dollars_and_counts_are_no_amounts_of_one_unit() -> None:
    assert "several units" in ask(
        csv("What,Value\nRevenue,$1000\nStaff,25\nProfit,$200\n"), "SELECT sum(value) FROM book"
    )


@pytest.mark.parametrize(
    "cells", ["1,234* 300", "1,234[1] 300", "1,234[a] 300[b]", "1,234ᵃ 300", "1,200 (1)|300|34"]
)  # fmt: skip
def test_marks_of_footnotes_are_no_part_of_numbers(cells: str) -> None:
    lines = "".join(f'a,"{one}"\n' for one in re.split(r"\|" if "|" in cells else " ", cells))
    assert ask(csv(f"Item,Price\n{lines}"), "SELECT sum(price) AS x FROM book") == 1534


def test_second_values_in_brackets_are_no_footnotes() -> None:
    assert ask(csv("Item,Price\nA,12 (3)\nB,10 (2)\nC,8\n"), "SELECT sum(price) AS x FROM book").startswith("refused")


def test_a_raised_letter_of_a_page_is_a_footnote() -> None:
    page = "<table><tr><th>City</th><th>People</th></tr><tr><td>A</td><td>560<sup>a</sup></td></tr><tr><td>B</td><td>40</td></tr></table>"  # noqa: E501
    assert ask(parsed(page.encode(), "text/html", "book.html"), "SELECT sum(people) AS x FROM book") == 600


def test_days_with_points_and_with_slashes_are_of_different_countries() -> None:
    source = csv("No,Day\n1,03.02.26\n2,02/28/2026\n3,17.03.26\n4,04/01/2026\n")
    assert ask(source, "SELECT max(day) AS x FROM book") == "2026-04-01"
    assert ask(source, "SELECT count(*) AS x FROM book WHERE month(day) = 2") == 2


def test_a_pause_is_a_length_of_time_and_a_meal_is_not() -> None:
    assert ask(csv("Day,Break\nMo,0:30\nTu,0:45\n"), 'SELECT sum("break") AS x FROM book') == 1.25
    assert ask(csv("Day,Break\nMo,10:30\nTu,12:45\n"), 'SELECT sum("break") AS x FROM book').startswith("refused")


def test_a_first_row_that_describes_the_file_is_no_row() -> None:
    source = csv(
        "EXTF;700;21;Batch;13;20260201;RE\nAmount;Side;WKZ;Account;Day;Text;More\n1190,00;S;EUR;10000;0501;Kaya;x\n"
        "59,50;H;EUR;4930;0901;Paper;y\n238,00;S;EUR;10001;1501;Celik;z\n"
    )
    assert ask(source, "SELECT sum(amount) AS x FROM book WHERE side = 'S'") == 1428


def test_a_second_row_of_words_is_no_header() -> None:
    assert [len(one.rows) for one in tables_of([csv("A,1,x\nB,n/a,y\nC,3,z\n")])] == [3]


def test_hidden_columns_are_named() -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["Item", "Secret", "Price"], ["a", 1, 10], ["b", 2, 20]):
        sheet.append(row)
    sheet.column_dimensions["B"].hidden = True
    data = io.BytesIO()
    book.save(data)
    assert "Hidden columns of the sheet “Sheet” are read like others: B." in assumed(
        parsed(data.getvalue(), XLSX, "book.xlsx")
    )


SIDES = "Account;Text;Amount;S/H\n4400;Sales;1.190,00;H\n1200;Bank;1.190,00;S\n4930;Paper;59,50;S\n"


def test_sides_of_an_account_are_not_added() -> None:
    """A column that says on which side an amount stands is as good as a sign, and has to be used."""
    for query in ("sum(amount)", "avg(amount)"):
        assert "both sides of an account" in ask(csv(SIDES), f"SELECT {query} AS x FROM book")  # noqa: S608
    assert ask(csv(SIDES), "SELECT sum(amount) AS x FROM book WHERE s_h = 'S'") == 1249.5
    assert ask(csv(SIDES), "SELECT sum(CASE WHEN s_h = 'S' THEN amount ELSE -amount END) AS x FROM book") == 59.5
    assert ask(csv("Name,Points,Grade\nA,12,C\nB,18,D\n"), "SELECT sum(points) AS x FROM book") == 30


def test_words_among_numbers_have_no_largest_one() -> None:
    """“<0.5” stands behind 3.4 by its letters."""
    found = ask(csv("No,Level\n1,<0.5\n2,1.2\n3,3.4\n4,<0.5\n"), "SELECT max(level) AS x FROM book")
    assert "such as “<0.5”" in found
    assert ask(csv("No,Train\n1,06:12\n2,11:40\n"), "SELECT max(train) AS x FROM book") == "11:40"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Player,Goals,Assists,Minutes\nMax Weber,20,15,1800\nLeo,14,9,1650\nTim,8,12,1500\n", 3),
        ("Silo,Level,Share\nA,120,60%\nB,80,40%\nC,150,75%\nMax. capacity,200,100%\n", 3),
    ],
)
def test_a_name_with_max_is_a_row_and_an_abbreviation_is_none(text: str, count: int) -> None:
    assert rows(text) == count


def test_a_row_of_units_may_have_a_rate() -> None:
    source = csv("Day,Way,Fuel,Use\n,km,l,l/100 km\n2026-01-04,610,41.2,6.0\n2026-01-19,640,38.5,6.2\n")
    assert ask(source, "SELECT sum(fuel_l) AS x FROM book") == 79.7


def test_rates_beside_a_currency_are_no_amounts() -> None:
    assert units("Currency,Rate\nUSD,1.0842\nGBP,0.8561\n") == {"rate": ""}


def test_days_are_a_length_of_time() -> None:
    assert units("Task,Duration\nA,3 d\nB,1.5 d\n") == {"duration": "d"}


SUMS = {
    "numbers of columns above the header": ("1;2;3\nItem;Qty;Price\nA;2;10,00\nB;3;5,50\n", 15.5),
    "numbers of columns below the header": ("Item;Qty;Price\n1;2;3\nA;2;10,00\nB;3;5,50\n", 15.5),
    "sums above their groups": (
        "Region,City,Price\nNorth total,,30\n,Kiel,10\n,Husum,20\nSouth total,,25\n,Ulm,12\n,Hof,13\nTotal,,55\n",
        55,
    ),
    "spoilt votes": ("Name,Price,%\nA,540,54.0\nB,460,46.0\nTotal votes,1000,100.0\nSpoilt,12,\n", 1000),
    "a mean of one digit": ("Name;Price\nA;2\nB;3\nC;1\nD;2\nSchnitt;2,0\n", 8),
    "accounts with numbers": (
        "No;Account;Price\n4;Staff;900\n40;Pay;700\n41;Other;200\n5;Goods;350\n50;Rent;250\n51;Power;100\n",
        1250,
    ),
    "numbers of columns that are values": ("Name,A,B\n1,2,3\n2,3,4\n", 7),
    "a tax that is withheld": ("Item;Price\nA;1200\nB;300\nBase;1500\nIVA 21%;315\nIRPF -15%;-225\nTotal;1590\n", 1500),
    "costs that are a share": ("Item,Price,N\nA,500,1\nB,300,2\nDirect,800,3\nRent 20%,160,1\nTotal,960,4\n", 960),
    "a first row of all": ("Name,Price,B\nResults from 2 ads,450,90\nA,150,20\nB,300,70\n", 450),
    "statements of a program": (
        (
            "Account,Price\nIncome,\nSales,1000\nTotal Income,1000\nGoods,\nSteel,350\nTotal Goods,350\n"
            "Gross Profit,650\nCosts,\nRent,200\nPay,250\nTotal Costs,450\nNet Income,200\n"
        ),
        1800,
    ),
    "a remark with a number": ("Name,Price\nA,30\nB,40\nC,50\nn = 3,\n", 120),
    "formats": ("Film,Format,Price\nA,3D,100\nB,2D,80\n", 180),
}


@pytest.mark.parametrize("case", SUMS)
def test_sums_are_those_of_a_careful_reader(case: str) -> None:
    text, wanted = SUMS[case]
    column = "b" if "A,B" in text else "price"
    assert ask(csv(text), f"SELECT sum({column}) AS x FROM book") == wanted  # noqa: S608 - names of tests


LONG = {
    "marks": "a,x,\nb,,x\n",
    "counts of marks": "a,x,3\n",
    "profits": "cost,1,1\nProfit,1,1\n",
    "sums above": "x total,3,3\na,1,1\nb,2,2\n",
    "units": "A (EUR),1,2\nB (kg),1,2\n",
    "footnotes": "a,12 (1),3\nb,13,3\nc,14,3\n",
    "limits": "Max. points,9,9\n",
}


@pytest.mark.parametrize("case", LONG)
def test_rows_of_these_kinds_are_found_in_linear_time(case: str) -> None:
    """Each of them was looked for among all others once."""
    began = time.process_time()
    tables_of([csv("Name,2024,2025\n" + LONG[case] * (30_000 // LONG[case].count("\n")))])
    assert time.process_time() - began < 5


def test_what_is_left_below_the_sum_does_not_hide_days() -> None:
    source = csv("Day;In;Out\n01/03/2026;1200;\n02/03/2026;;800\n15/03/2026;640;\nTotal;1840;800\nBalance;1040;\n")
    assert ask(source, "SELECT max(day) AS x FROM book") == "2026-03-15"


TIERS = (
    ",2024,,,,2025,,,\n,Online,,Shop,,Online,,Shop,\nRegion,Units,EUR,Units,EUR,Units,EUR,Units,EUR\n"
    "North,10,100.5,20,210,11,120,22,230\nSouth,30,300,40,410.25,33,330,44,440\n"
)


def test_years_may_stand_over_two_further_rows_of_labels() -> None:
    """000-21."""
    table = tables_of([csv(TIERS)])[0]
    assert [one.label for one in table.columns][:3] == ["Region", "2024 Online Units", "2024 Online EUR"]
    assert ask(csv(TIERS), "SELECT sum(column_2025_shop_eur) AS x FROM book") == 670


@pytest.mark.parametrize("corner", ["£000", "€000", "$000"])
def test_thousands_of_a_currency_in_the_corner_are_a_label(corner: str) -> None:
    """000-21."""
    text = (
        f'{corner},2025,2024\nTurnover,"1,250","1,180"\nCost of sales,(720),(690)\nGross profit,530,490\n'
        "Admin,(310),(305)\nOperating profit,220,185\n"
    )
    assert ask(csv(text), "SELECT sum(column_2025) AS x FROM book") == 220


@pytest.mark.parametrize(
    "text",
    [
        "Kennzahl,Jan,Feb,Mrz,Apr\nUmsatz (EUR),10500,9800,12100,11050\nMitarbeiter,14,14,15,15\n",
        "Kennzahl;Werk Ulm;Werk Jena\nUmsatz (EUR);120.000;98.000\nAusschuss (%);2,5;3,1\nMitarbeiter;34;29\n",
        "Metric,North,South\nSales [£],500,600\nArea [m²],20,30\n",
    ],
)
def test_rows_of_several_units_are_not_added_below_any_header(text: str) -> None:
    """000-21."""
    name = tables_of([csv(text)])[0].columns[1].name
    assert "has several units" in ask(csv(text), f"SELECT sum({name}) AS x FROM book")  # noqa: S608


@pytest.mark.parametrize(
    "text",
    [
        "Article,Sold,Stock\nRope (m),5,6\nNails (kg),7,8\n",
        "Line,Net,Gross\nVAT (19 %),5,6\nVAT (7 %),7,8\nRest,1,1\n",
        "Item,Ulm,Jena\nVoucher (EUR),5,6\nLamp,7,8\nChair,2,2\n",
    ],
)
def test_units_in_the_names_of_articles_do_not_part_their_counts(text: str) -> None:
    """000-21."""
    name = tables_of([csv(text)])[0].columns[1].name
    assert ask(csv(text), f"SELECT sum({name}) AS x FROM book") >= 12  # noqa: S608


def test_days_in_eight_digits_are_days() -> None:
    """000-21."""
    text = "Datum;Wert\n20260103;5\n20260110;7\n20260201;9\n"
    assert ask(csv(text), "SELECT sum(wert) AS x FROM book WHERE datum < DATE '2026-02-01'") == 12
    assert "was read as a day" in assumed(csv(text))


@pytest.mark.parametrize(
    "text", ["Order no,Price\n20260103,5\n20260110,7\n20260201,9\n", "Cost,N\n20260103,5\n20269910,7\n20260201,9\n"]
)
def test_other_numbers_of_eight_digits_are_numbers(text: str) -> None:
    """000-21."""
    assert tables_of([csv(text)])[0].columns[0].type == "number"


@pytest.mark.parametrize(
    ("amounts", "unit"), [("15.000,00 TL;1.240,75 TL", "TRY"), ("45 000,00 руб.;20,50 руб.", "RUB")]
)
def test_amounts_have_a_currency_in_its_usual_letters(amounts: str, unit: str) -> None:
    """000-21."""
    one, other = amounts.split(";")
    text = f"Kalem;Tutar\nKira;{one}\nSu;{other}\n"
    assert units(text) == {"tutar": unit}


def test_billions_in_short_are_read_beside_a_currency_only() -> None:
    """000-21."""
    text = "Firm,Revenue,Grade\nA,$1.2M,1B\nC,$800K,2B\nD,$3B,3B\n"
    assert ask(csv(text), "SELECT sum(revenue) AS x FROM book") == 3_002_000_000
    assert units(text) == {"revenue": "USD"}


FURTHER: dict[str, tuple[str, dict[str, str]]] = {
    "three orders of days": (
        ("Ordered;Shipped;Paid;EUR\n2026-01-05;01/20/2026;25.01.2026;10\n2026-02-10;02/22/2026;28.02.2026;20\n"
        "2026-03-03;03/09/2026;31.03.2026;40\n"),
        {"sum(eur) FILTER (WHERE shipped >= DATE '2026-02-23')": "40", "max(paid)": "2026-03-31"},
    ),
    "a sign with a point": ("Artikel;Preis\nA;Fr. 25.–\nB;Fr. 40.50\nC;Fr. 10.–\n", {"sum(preis)": "75.5"}),
    "apostrophes": ("Ort;Lohn CHF\nChur;4’250.00\nDavos;5’100.50\n", {"sum(lohn_chf)": "9350.5"}),
    "gaps of three widths": (
        "Stadt;Wert\nKiel;1\u00a0234,5\nHamm;2\u2009000,0\nOslo;3\u202f000,5\n", {"sum(wert)": "6235"}
    ),
    "groups with a sum each": (
        ("Dept;Name;Salary\nIT;Ann;4000\nIT;Bob;3000\nSubtotal IT;;7000\n;;\nHR;Cid;2500\nHR;Dee;3500\n"
        "Subtotal HR;;6000\n;;\nGrand total;;13000\n"), {"sum(salary)": "13000", "count(*)": "4"},
    ),
    "quarters among months": (
        "Month,Sales\nJan,10\nFeb,20\nMar,30\nQ1,60\nApr,5\nMay,6\nJun,7\nQ2,18\nTotal,78\n", {"sum(sales)": "78"}
    ),
    "lengths below zero": ("Tag;Überstunden\nMo;1:30\nDi;-0:45\nMi;2:00\n", {"sum(uberstunden)": "2.75"}),
    "times and a word": ("Bus,Leaves\nA,06:15\nB,late\nC,10:20\nD,9:05\nE,23:50\nF,12:00\n", {"max(leaves)": "23:50"}),
    "a sum in Hungarian": ("Tétel;Összeg\nBér;100 000\nÁram;25 500\nÖsszesen;125 500\n", {"sum(osszeg)": "125500"}),
}  # fmt: skip


@pytest.mark.parametrize("case", FURTHER)
def test_further_forms_are_read(case: str) -> None:
    text, wanted = FURTHER[case]
    found = {one: str(ask(csv(text), f"SELECT {one} AS x FROM book")) for one in wanted}  # noqa: S608
    assert found == wanted


def test_times_of_a_day_have_a_mean_where_no_midnight_can_lie_between_them() -> None:
    night, morning = csv("Bus;Leaves\nA;22:00\nB;02:00\nC;10:20\n"), csv("Bus;Leaves\nA;9:00\nB;9:30\nC;8:15\n")
    assert str(ask(morning, "SELECT avg(leaves) AS x FROM book")) == "08:55"
    assert "midnight or noon" in str(ask(night, "SELECT avg(leaves) AS x FROM book"))
    assert "they are not added up" in str(ask(morning, "SELECT sum(leaves) AS x FROM book"))


@pytest.mark.parametrize("label", ["I alt", "En tout"])
def test_two_words_for_a_sum_are_one(label: str) -> None:
    assert str(ask(csv(f"Vare;Pris\nBrød;20\nOst;35\n{label};55\n"), "SELECT sum(pris) AS x FROM book")) == "55"


def test_forints_are_no_feet() -> None:
    assert units("Tétel;Ár\nKenyér;1 250 Ft\nTej;480 Ft\n") == {"ar": "HUF"}
    assert units("Tétel;Ár (Ft)\nKenyér;1 250\nTej;480\n") == {"ar_ft": ""}
    assert units("Boat,Length\nA,12 ft\nB,31 ft\n") == {"length": "ft"}


def test_every_result_says_that_further_tables_were_left_out() -> None:
    sheets = [Segment(f"sheet W{number}", None, "Item,Cost\na,1\nb,2\n") for number in range(201)]
    found = tables_of([Source("file", "1", "book.xlsx", "excel", sheets)])
    assert len(found) == 200
    assert all("more than 200 tables" in one.assumed[-1] for one in found)
    assert "200" not in assumed(Source("file", "1", "book.xlsx", "excel", sheets[:200]))
