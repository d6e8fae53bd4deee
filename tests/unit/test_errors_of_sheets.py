"""Errors of formulas in sheets of all formats: a computation leaves them out, and its card names them as errors."""

import openpyxl
import pytest

from leaf.documents import Segment, kind_of, parse
from leaf.documents.tables import Source, engine
from leaf.texts import of
from leaf.views import computations
from tests.unit.test_documents_workbooks import ods, saved, xls


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["Item", "Amount"], ["a", 10], ["b", "#DIV/0!"], ["c", "#N/A"], ["d", None], ["e", 25]):
        sheet.append(row)
    return saved(book)


_FORMULA = '<table:table-cell table:formula="of:=1/0" office:value-type="{}"><text:p>{}</text:p></table:table-cell>'
_ODS = ods(
    ("Item", "Amount"), ("a", 10.0), ("b", _FORMULA.format('string" office:string-value="', "#DIV/0!")),
    ("c", _FORMULA.format('float" office:value="0', "#NV")), ("d",), ("e", 25.0),
)  # fmt: skip
_XLS = xls(("Item", "Amount"), ("a", 10.0), ("b", "=#DIV/0!"), ("c", "#N/A"), ("d",), ("e", 25.0))
_CSV = "Posten;Betrag\na;10\nb;#DIV/0!\nc;{}\nd;\ne;25\n"


@pytest.mark.parametrize(
    ("name", "data", "second"),
    [
        ("x.xlsx", _xlsx(), "#N/A"), ("x.ods", _ODS, "#NV"), ("x.xls", _XLS, "#N/A"),
        ("x.csv", _CSV.format("#BEZUG!").encode(), "#BEZUG!"), ("x.csv", _CSV.format("#WERT!").encode(), "#WERT!"),
        ("x.csv", _CSV.format("#NV").encode(), "#NV"),
    ],
)  # fmt: skip
def test_errors_are_no_empty_cells(name: str, data: bytes, second: str) -> None:
    """000-21."""
    kind = kind_of("", name)
    source = Source("f", "1", name, kind, parse(data, kind).segments)
    amount, table = ("betrag", "x") if kind == "csv" else ("amount", engine.describe([source])["tables"][0]["name"])
    made = engine.compute([source], f"SELECT sum({amount}) AS result FROM {table}", view=True)  # noqa: S608 - names
    (used,) = made["tables"]
    assert made["rows"] == [[35]]
    assert (used["errors"], used["unread"]) == (["B3 “#DIV/0!”", f"B4 “{second}”"], [])
    assert [*used["blank"].values()] == [1]
    (sheet,) = [computations._sheet(one) for one in made["tables"]]  # pyright: ignore[reportPrivateUsage]
    assert of("en")("computed.errors", cells=f"B3 “#DIV/0!”, B4 “{second}”") in sheet.notes


def test_only_the_first_of_many_errors_are_named_with_their_number() -> None:
    """000-21."""
    text = "Item,Amount\n" + "".join(f"i{at},{'#REF!' if at % 2 else at}\n" for at in range(60))
    source = Source("f", "1", "x.csv", "csv", [Segment("all", None, text)])
    (used,) = engine.compute([source], "SELECT sum(amount) AS result FROM x")["tables"]
    assert (len(used["errors"]), used["errors"][-1]) == (21, "… (30)")
