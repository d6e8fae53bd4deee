"""Rows that are not added up in the sum below them, and rows with the difference of others, found by their numbers."""

import pytest

from leaf.documents.model import Segment
from leaf.documents.tables import Source, engine, tables_of


def csv(text: str) -> Source:
    return Source("file", "1", "book.csv", "csv", [Segment("all", None, text)])


def total(text: str, column: str = "amount") -> float:
    return engine.compute([csv(text)], f"SELECT sum({column}) AS x FROM book")["rows"][0][0]  # noqa: S608 - names of tests


def assumed(text: str) -> str:
    return "\n".join(one for table in tables_of([csv(text)]) for one in table.assumed)


ITEMS = "Item,Amount\nA,200\nB,300\nC,150\n"


@pytest.mark.parametrize(
    "rows",
    [
        "Discount 10%,65\nTotal after discount,585\n",
        "Subtotal,650\nDiscount 10%,65\nTotal after discount,585\n",
        "Rabatt,65\nSumme,585\n",
        "Voucher,15\nDiscount,50\nTotal,585\n",
    ],
)
def test_a_discount_without_a_sign_is_kept_apart(rows: str) -> None:
    """000-21."""
    assert total(ITEMS + rows) == 650
    assert "is subtracted in the sum below it and was kept apart" in assumed(ITEMS + rows)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (f"{ITEMS}Number of items,3\nTotal,650\n", "amount"),
        (f"{ITEMS}Anzahl,3\nMittel,216.67\nSumme,650\n", "amount"),
        ("Item,Amount\nA,250\nB,400\nNumber of items,2\nTotal,650\n", "amount"),
        ("Item,Qty,Amount\nA,2,200\nB,3,300\nC,1,150\nNumber of items,,3\nTotal,6,650\n", "amount"),
    ],
)
def test_a_row_that_the_sum_below_leaves_out_is_kept_apart(text: str, column: str) -> None:
    """000-21."""
    assert total(text, column) == 650
    assert "is not a part of the sum below it and was kept apart" in assumed(text)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Item,Amount\nTulot,4100\nMenot,2500\nTulos,1600\n", 4),
        ("Item,Amount\nRevenue,4100\nCosts,2500\nProfit,1600\nEmployees,12\n", 4),
        ("Item,2023,2024\nA,4100,4200\nB,1500,1100\nC,600,900\nD,2000,2200\nStaff,14,15\n", 5),
        ("Item,Amount\nA,200\nB,300\nC,150\nRabatt,65\nEndpreis,585\n", 6),
        ("Item,Amount\nX,7\nD,4100\nE,2500\nF,1600\n", 5),
    ],
)
def test_a_row_with_the_difference_of_others_is_mentioned(text: str, row: int) -> None:
    """000-21."""
    assert f"Row {row}, “" in assumed(text)
    assert "is the difference of rows above it, and counts as one of them" in assumed(text)


@pytest.mark.parametrize("label", ["Tot.", "=", "Samtals"])
def test_a_last_row_with_the_sum_of_two_others_is_mentioned(label: str) -> None:
    """000-21."""
    text = f"Item,Amount\nA,101\nB,202\n{label},303\n"
    assert f"Row 4, “{label}”, is the sum of the rows above it, and counts as one of them" in assumed(text)


def test_a_sum_of_rows_with_signs_subtracts_nothing() -> None:
    """000-21."""
    text = "Line,2024,2025\nSale,100,120\nGood,-40,-50\nMargin,60,70\nPay,-30,-35\nSubtotal,30,35\n"
    assert "is subtracted" not in assumed(text)


def test_ordinary_rows_are_no_differences() -> None:
    """000-21."""
    text = "Item,Amount\n" + "".join(f"item {at},{at * at * 7 % 1009}\n" for at in range(1, 60))
    assert assumed(text) == ""
    assert assumed("Item,Amount\nA,50\nB,30\nC,20\nD,15\n") == ""
