"""Units, errors, comments and hidden rows in OpenDocument workbooks, which calamine does not return."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from leaf.documents.sheet_extras import SheetExtras
from leaf.documents.tables.model import letters
from leaf.documents.tables.unit_names import currency_of, unit_of_cell
from leaf.documents.tables.values import is_error

_TAG = re.compile(rb"<(/?)table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])([^<>]*)>")
_ATTRIBUTE = re.compile(
    rb'(?:table|office):(name|value-type|value|currency|visibility|formula|number-(?:rows|columns)-repeated)="([^"]{0,200})'
)
_TEXT = re.compile(rb"\s*<text:p(?:\s[^<>]*)?>([^<]{1,20})<")
"""The text of a cell, as far as an error, or a number with its unit, is one."""
_NUMBER_AND_UNIT = re.compile(r"(-?\d[\d.,'’ \u00a0\u202f]*)([^\d\s.,'’]{1,4})")
_COMMENT = re.compile(rb"\s*<office:annotation(?=[\s/>])[^<>]*>")
_COMMENT_END: Final = b"</office:annotation>"
_COMMENT_BYTES: Final = 10_000
"""Maximum size of a comment with its marks. A larger one is not read."""
_ABOUT_COMMENT = re.compile(rb"<(?:dc|meta):[^<>]*>[^<]*")
"""The author and the day of a comment."""
_MARKS = re.compile(rb"<[^<>]*>")
_HIDDEN: Final = frozenset({"collapse", "filter"})


@dataclass
class _Row:
    """A row, or several equal rows that the file stores as one."""

    about: dict[str, str]
    units: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    errors: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    comments: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    columns: int = 0
    has_values: bool = False

    def add(self, about: dict[str, str], text: str, comment: str, most: int) -> None:
        """Adds a cell, or several equal cells that the file stores as one, up to column `most`."""
        count = _repeated(about, "columns")
        unit = "%" if about.get("value-type") == "percentage" else currency_of(about.get("currency", ""))
        if about.get("value-type") == "float" and not unit:
            unit = _shown_unit(about.get("value", ""), text)
        self.has_values |= "value-type" in about
        if "formula" in about and is_error(text) and self.columns < most:
            self.errors.append((self.columns, text))
        if comment and self.columns < most:
            self.comments.append((self.columns, comment))
        if unit:
            self.units += [(at, unit) for at in range(self.columns, min(self.columns + count, most))]
        self.columns += count

    def end(self, sheet: SheetExtras, begin: int, most: int) -> int:
        """Adds the extras of this row to a sheet, up to row `most`. Returns the number of the next row, from 0."""
        end = begin + _repeated(self.about, "rows")
        numbers = range(begin, min(end, most))
        if self.units:
            sheet.units |= dict.fromkeys(numbers, tuple(self.units))
        sheet.errors |= {(number, column): text for number in numbers for column, text in self.errors}
        sheet.comments += [
            f"{letters(column)}{number + 1}: {text}" for number in numbers[:1] for column, text in self.comments
        ]
        if self.has_values and self.about.get("visibility") in _HIDDEN:
            sheet.hidden += [number + 1 for number in numbers]
        return end


def extras(content: bytes, most_rows: int, most_columns: int, most_cells: int) -> Iterator[tuple[str, SheetExtras]]:
    """Yields the name and the extras of each sheet.

    Args:
        content: The part `content.xml` of the archive.
        most_rows: Maximum number of rows per sheet; later rows are ignored.
        most_columns: Maximum number of columns per sheet; later columns are ignored.
        most_cells: Approximate maximum number of cells with a unit in all sheets; later cells get no unit.
    """
    name, sheet, row, number, depth, left = "", SheetExtras(), _Row({}), 0, 0, most_cells
    for tag in _TAG.finditer(content):
        opens, is_empty = not tag[1], tag[3].endswith(b"/")
        if tag[2] == b"table":
            # A cell may contain a table of its own.
            if not is_empty:
                depth += 1 if opens else -1
            if opens and depth == 1:
                name, sheet, number = _attributes(tag[3]).get("name", ""), SheetExtras(), 0
            elif depth == 0:
                yield name, sheet
        elif depth == 1 and tag[2] == b"table-row":
            row = _Row(_attributes(tag[3])) if opens else row
            if is_empty or not opens:
                number, left = row.end(sheet, number, most_rows), left - len(row.units)
        elif depth == 1 and opens and left > 0:
            comment, begin = ("", tag.end()) if is_empty else _comment(content, tag.end())
            shown = None if is_empty else _TEXT.match(content, begin)
            row.add(_attributes(tag[3]), shown[1].decode("utf-8", "replace") if shown else "", comment, most_columns)


def _shown_unit(value: str, text: str) -> str:
    """The unit behind a number as the sheet shows it; empty for none, and for a number with fewer digits than its value
    has before the point, as one in thousands.
    """
    found = _NUMBER_AND_UNIT.fullmatch(text)
    whole = value.lstrip("-").partition(".")[0]
    if found is None or not whole.isdigit() or len(whole) > sum(map(str.isdigit, found[1])):
        return ""
    return unit_of_cell(found[2])


def _comment(content: bytes, begin: int) -> tuple[str, int]:
    """The text of the comment with which a cell begins, and where it ends; without a comment, "" and `begin`."""
    opening = _COMMENT.match(content, begin)
    if opening is None or opening[0].endswith(b"/>"):
        return "", begin
    end = content.find(_COMMENT_END, opening.end(), opening.end() + _COMMENT_BYTES)
    if end < 0:
        return "", begin
    words = _MARKS.sub(b"", _ABOUT_COMMENT.sub(b"", content[opening.end() : end].replace(b"</text:p>", b" ")))
    return " ".join(html.unescape(words.decode("utf-8", "replace")).split()), end + len(_COMMENT_END)


def _attributes(text: bytes) -> dict[str, str]:
    return {name.decode(): html.unescape(value.decode("utf-8", "replace")) for name, value in _ATTRIBUTE.findall(text)}


def _repeated(about: dict[str, str], kind: str) -> int:
    number = about.get(f"number-{kind}-repeated", "1")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 8 else 1
