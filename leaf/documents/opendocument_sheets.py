"""Units and hidden rows of the sheets in a workbook of OpenDocument, which calamine leaves out."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from leaf.documents.sheet_marks import Marks
from leaf.documents.tables.unit_names import currency_of

_TAG = re.compile(rb"<(/?)table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])([^<>]*)>")
_ATTRIBUTE = re.compile(
    rb'(?:table|office):(name|value-type|currency|visibility|number-(?:rows|columns)-repeated)="([^"]{0,200})"'
)
_HIDDEN: Final = frozenset({"collapse", "filter"})


@dataclass
class _Row:
    """A row, or several equal ones."""

    about: dict[str, str]
    units: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    columns: int = 0
    has_values: bool = False

    def add(self, about: dict[str, str], most: int) -> None:
        """Adds a cell, or several equal ones, up to a number of columns."""
        count = _repeated(about, "columns")
        unit = "%" if about.get("value-type") == "percentage" else currency_of(about.get("currency", ""))
        self.has_values |= "value-type" in about
        if unit:
            self.units += [(at, unit) for at in range(self.columns, min(self.columns + count, most))]
        self.columns += count

    def end(self, sheet: Marks, begin: int, most: int) -> int:
        """Adds its marks to a sheet, up to a number of rows, and returns the number of the next row."""
        end = begin + _repeated(self.about, "rows")
        numbers = range(begin, min(end, most))
        if self.units:
            sheet.units |= dict.fromkeys(numbers, tuple(self.units))
        if self.has_values and self.about.get("visibility") in _HIDDEN:
            sheet.hidden += [number + 1 for number in numbers]
        return end


def marks(content: bytes, most_rows: int, most_columns: int, most_cells: int) -> Iterator[tuple[str, Marks]]:
    """The name of each sheet, and its marks.

    Args:
        content: The part `content.xml` of the archive.
        most_rows: Rows of a sheet that are looked at.
        most_columns: Columns that are.
        most_cells: Cells with a unit of all sheets, about; those behind have none.
    """
    name, sheet, row, number, depth, left = "", Marks(), _Row({}), 0, 0, most_cells
    for tag in _TAG.finditer(content):
        opens, is_empty = not tag[1], tag[3].endswith(b"/")
        if tag[2] == b"table":
            # A cell of a sheet may hold a table of its own.
            depth += 0 if is_empty else 1 if opens else -1
            if opens and depth == 1:
                name, sheet, number = _attributes(tag[3]).get("name", ""), Marks(), 0
            elif depth == 0:
                yield name, sheet
        elif depth == 1 and tag[2] == b"table-row":
            row = _Row(_attributes(tag[3])) if opens else row
            if is_empty or not opens:
                number, left = row.end(sheet, number, most_rows), left - len(row.units)
        elif depth == 1 and opens and left > 0:
            row.add(_attributes(tag[3]), most_columns)


def _attributes(text: bytes) -> dict[str, str]:
    return {name.decode(): html.unescape(value.decode("utf-8", "replace")) for name, value in _ATTRIBUTE.findall(text)}


def _repeated(about: dict[str, str], kind: str) -> int:
    number = about.get(f"number-{kind}-repeated", "1")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 8 else 1
