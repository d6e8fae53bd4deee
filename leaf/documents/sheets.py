"""Reads workbooks (xlsx, xls and ods), each sheet as rows of CSV.

calamine reads the values. `SheetExtras` has the rest. For xlsx, this is percentages, currencies, errors, hidden
rows and columns, comments, and formulas without a result; for xls, the same without comments and hidden columns; for
ods, percentages, currencies, errors, comments and hidden rows. openpyxl is about ten times slower, and reads only
workbooks for which calamine would need too much memory.
"""

import csv
import html
import io
import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from leaf import texts
from leaf.documents import old_workbooks, ole, opendocument_sheets, sheet_comments, sheet_extras
from leaf.documents.model import Segment, Unreadable, left_out
from leaf.documents.office import BROKEN, COMPOUND, unpackable
from leaf.documents.pieces import ranges
from leaf.documents.sheet_extras import SheetExtras
from leaf.documents.tables.model import letters
from leaf.documents.tables.unit_names import currency_of, unit_of_cell
from leaf.documents.tables.values import is_number
from leaf.documents.xml_trees import tree_of

MAX_ROWS = 200_000
MAX_COLUMNS = 500
MAX_CELLS = 2_000_000
_MAX_AREA = 8_000_000
"""Maximum number of cells between the first and the last cell of a sheet. calamine allocates memory for each."""
_WORKBOOK = "xl/workbook.xml"
_CONTENT = "content.xml"
_CELL = re.compile(
    rb'<c r="(?P<column>[A-Z]{1,3})(?P<row>\d{1,7})"(?P<about>[^<>]*)>'
    rb"(?P<formula><f(?:[ ][^<>]*)?(?:/>|>(?P<written>[^<]{0,8192})</f>))?\s*(?:<v>(?P<value>[^<]{0,20}))?"
)
_ROW = re.compile(rb"<row ([^<>]{1,400})>")
_NUMBER = re.compile(rb'(?:^|\s)r="(\d{1,7})"')
_HIDDEN = re.compile(rb'\shidden="(?:1|true)"')
_COLUMNS = re.compile(rb"<col ([^<>]{1,400}?)/?>")
_BOUND = re.compile(rb'\b(min|max)="(\d{1,6})"')
_CALCULATES = re.compile(rb'<calcPr [^<>]*fullCalcOnLoad="(?:1|true)"')
"""Matches a workbook that asks to be calculated on opening. Programs that do not calculate write such workbooks."""
_FORMULA_CHARACTERS = 80
_STYLE = re.compile(rb'\ss="(\d{1,6})"')
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_PERCENT_FORMATS = {9: "%", 10: "%"}
"""The built-in number formats that show percentages."""
_FORMAT_TEXT = re.compile(r'\[\$([^\]-]{1,5})(?:-([0-9A-Fa-f]{1,8}))?\]|"([^"]{1,8})"|([$€£¥])')
"""A text in a number format: a currency with its region, a text in quotation marks, or a currency sign."""
_FORMAT_UNIT = re.compile(r'[0#?](?:\\? )?("[^"]{1,12}"|(?:\\[^\W\d_]){1,3})(?:;|\Z)')
"""A text behind the digits of a number format. Behind a comma, which means thousands, it may be a power of ten."""
_FORMAT_CHARACTERS = 200
_US_DOLLARS = {None, "409"}


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """Every sheet of a workbook, and notes. Row N of the text is row N of the sheet.

    Raises:
        Unreadable: It is damaged, encrypted or too large.
    """
    if data.startswith(COMPOUND):
        if ole.kind_of(data) != "excel":
            raise Unreadable(texts.english("refusals.encrypted_office"))
        return _read(data, _old_extras(data))
    with unpackable(data) as archive:
        try:
            names = archive.namelist()
            extras: Mapping[str, SheetExtras] = {}
            if _WORKBOOK in names:
                extras = _extras(archive)
            elif _CONTENT in names:
                extras = dict(opendocument_sheets.extras(archive.read(_CONTENT), MAX_ROWS, MAX_COLUMNS, MAX_CELLS))
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_workbook")) from None
        return _read(data, extras)


def _read(data: bytes, extras: Mapping[str, SheetExtras]) -> tuple[list[Segment], list[str]]:
    notes: list[str] = []
    segments: list[Segment] = []
    cells = MAX_CELLS
    sheets = _by_openpyxl(data) if any(one.is_vast for one in extras.values()) else _by_calamine(data, extras)
    try:
        for sheet in sheets:
            text, used, limit = _text(sheet.rows, cells)
            cells -= used
            extra = extras.get(sheet.name, SheetExtras())
            segments.append(Segment(f"sheet {sheet.name}", sheet.name, text))
            if extra.comments:
                segments.append(Segment(f"comments {sheet.name}", sheet.name, "\n".join([*extra.comments, ""])))
            if limit is not None:
                key, number = limit
                notes.append(left_out(key, number=number, sheet=sheet.name))
            if sheet.hidden:
                notes.append(texts.english("notes.hidden_sheet", sheet=sheet.name))
            if extra.hidden:
                notes.append(texts.english("notes.hidden_rows", sheet=sheet.name, rows=ranges(extra.hidden)))
            if extra.hidden_columns:
                shown = ", ".join(extra.hidden_columns)
                notes.append(texts.english("notes.hidden_columns", sheet=sheet.name, columns=shown))
    except BROKEN:
        raise Unreadable(texts.english("refusals.damaged_workbook")) from None
    if uncomputed := sum(len(one.uncomputed) for one in extras.values()):
        notes.append(texts.english("notes.formulas", count=uncomputed))
    if not segments:
        raise Unreadable(texts.english("refusals.empty_workbook"))
    return segments, notes


@dataclass(frozen=True)
class _Sheet:
    name: str
    hidden: bool
    rows: Iterable[list[str]]
    """All rows from the first row of the sheet, each from the first column."""


def _by_calamine(data: bytes, extras: Mapping[str, SheetExtras]) -> Iterator[_Sheet]:
    import python_calamine as calamine

    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            for about in book.sheets_metadata:
                if about.typ is calamine.SheetTypeEnum.WorkSheet:
                    sheet = book.get_sheet_by_name(about.name)
                    hidden = about.visible is not calamine.SheetVisibleEnum.Visible
                    rows = _rows(sheet, extras.get(about.name, SheetExtras()))
                    yield _Sheet(about.name, hidden, _with_merged(rows, _merged(sheet)))
    except calamine.PasswordError:
        raise Unreadable(texts.english("refusals.encrypted_office")) from None
    except calamine.CalamineError:
        raise Unreadable(texts.english("refusals.damaged_workbook")) from None
    except BaseException as failure:
        # calamine panics on a reference to a place outside the file, and its panic is not an `Exception`.
        if type(failure).__name__ != "PanicException":
            raise
        raise Unreadable(texts.english("refusals.damaged_workbook")) from None


def _rows(sheet: Any, extras: SheetExtras) -> Iterator[list[str]]:
    if sheet.start is None:
        return
    # calamine returns empty rows above the first cell, but no empty columns before it.
    before = [""] * sheet.start[1]
    written: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for (row_number, column), text in (extras.errors | extras.uncomputed).items():
        written[row_number].append((column, text))
    for number, values in enumerate(sheet.iter_rows()):
        row = [*before, *map(_cell_text, values)]
        for column, unit in extras.units.get(number, ()):
            if column < len(row):
                row[column] = _cell_text(values[column - len(before)], unit)
        for column, text in written.get(number, ()):
            row += [""] * (column + 1 - len(row))
            row[column] = text
        yield row


def _with_merged(rows: Iterable[list[str]], merged: Mapping[int, Sequence[tuple[int, int]]]) -> Iterator[list[str]]:
    """Yields the rows, with the text of a vertically merged cell in each of its rows. Numbers are not repeated.

    Args:
        rows: The rows of a sheet.
        merged: The result of `_merged`.
    """
    above: dict[int, tuple[str, int]] = {}
    for number, row in enumerate(rows):
        for column, last in merged.get(number, ()):
            if column < len(row) and row[column] and not is_number(row[column]):
                above[column] = row[column], last
        for column, (text, last) in [*above.items()]:
            row.extend([""] * (column + 1 - len(row)))
            row[column] = row[column] or text
            if last <= number:
                del above[column]
        yield row


def _merged(sheet: Any) -> dict[int, list[tuple[int, int]]]:
    """The vertically merged cells: column and last row of each, by the first row. All count from 0."""
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if left == right and bottom > top and left < MAX_COLUMNS:
            found[top].append((left, bottom))
    return found


def _by_openpyxl(data: bytes) -> Iterator[_Sheet]:
    import openpyxl

    with warnings.catch_warnings():
        # openpyxl warns about styles and extensions that it does not read. They are not needed here.
        warnings.simplefilter("ignore")
        book: Any = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        for sheet in book.worksheets:
            # The stated size of a sheet may be wrong, or may be that of the whole grid.
            sheet.reset_dimensions()
            rows = (
                [_cell_text(cell.value, _unit_of(str(cell.number_format or ""))) for cell in row]
                for row in sheet.iter_rows()
            )
            yield _Sheet(sheet.title, sheet.sheet_state != "visible", rows)
        book.close()


def _text(rows: Iterable[list[str]], cells: int) -> tuple[str, int, tuple[str, int] | None]:
    """The text of a sheet, the number of its cells, and the key and number of a note about omitted rows or columns."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    used = blank = 0
    limit: tuple[str, int] | None = None
    for number, row in enumerate(rows, 1):
        values = _trimmed(row[:MAX_COLUMNS])
        if any(row[MAX_COLUMNS:]):
            limit = ("notes.columns_left", MAX_COLUMNS)
        used += len(values)
        if number > MAX_ROWS or used > cells:
            limit = ("notes.rows_left", number)
            break
        if not values:
            blank += 1
            continue
        written.write("\n" * blank)
        blank = 0
        writer.writerow(values)
    return written.getvalue(), used, limit


def _trimmed(values: list[str]) -> list[str]:
    kept = list(values)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _cell_text(value: Any, unit: str = "") -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, unit)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    if isinstance(value, timedelta):
        return _hours(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _hours(length: timedelta) -> str:
    """A duration as sheets show it, such as `30:05:00`. Hours are not converted to days."""
    minutes, seconds = divmod(round(abs(length).total_seconds()), 60)
    sign = "-" if length < timedelta() else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _number(value: float, unit: str) -> str:
    if unit == "%":
        return f"{value * 100:.10g}%"
    number = str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
    return f"{number} {unit}" if unit else number


@lru_cache(1000)
def _unit_of(number_format: str) -> str:
    """The unit that a number format shows: `%`, a currency code, or a unit behind the digits; empty for none."""
    if "%" in number_format:
        return "%"
    for sign, region, quoted, bare in _FORMAT_TEXT.findall(number_format):
        currency = currency_of(sign or quoted or bare)
        # Many countries have dollars of their own.
        if currency and ("$" not in sign or (region or None) in _US_DOLLARS):
            return currency
    behind = _FORMAT_UNIT.search(number_format[:_FORMAT_CHARACTERS])
    return unit_of_cell(behind[1].strip('"').replace("\\", "")) if behind is not None else ""


def _old_extras(data: bytes) -> Mapping[str, SheetExtras]:
    """The extras of each sheet of an xls, by name. Empty for a damaged file, which calamine then reports."""
    try:
        return old_workbooks.extras(data, _unit_of, frozenset(_PERCENT_FORMATS))
    except BROKEN:
        return {}


def _extras(archive: zipfile.ZipFile) -> Mapping[str, SheetExtras]:
    """The extras of each sheet of an xlsx, by its name."""
    units, calculates = _styles(archive), _CALCULATES.search(archive.read(_WORKBOOK)) is not None
    found: dict[str, SheetExtras] = {}
    for name, path in _paths(archive).items():
        if path in archive.NameToInfo:
            found[name] = _extras_of_sheet(archive.read(path), units, calculates=calculates)
            found[name].comments = sheet_comments.of(archive, path)
    return sheet_extras.with_uncomputed(found)


def _extras_of_sheet(sheet: bytes, units: Mapping[int, str], *, calculates: bool) -> SheetExtras:
    extras = SheetExtras()
    hidden = _hidden_rows(sheet)
    with_values: set[int] = set()
    marked: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    rows = columns = count = 0
    for cell in _CELL.finditer(sheet):
        count += 1
        row, column = int(cell["row"]) - 1, _column(cell["column"])
        rows, columns = max(rows, row + 1), max(columns, column + 1)
        if row + 1 in hidden and (cell["value"] or b"inlineStr" in cell["about"]):
            with_values.add(row + 1)
        if cell["formula"] and _record_formula(extras, cell, (row, column), calculates=calculates):
            continue
        if b' t="e"' in cell["about"] and cell["value"]:
            extras.errors[row, column] = cell["value"].decode("utf-8", "replace")
        elif units and (style := _STYLE.search(cell["about"])) and (unit := units.get(int(style[1]))):
            marked[row].append((column, unit))
    extras.units = sheet_extras.units_by_row(marked)
    extras.hidden = sorted(with_values)
    extras.hidden_columns = [*_hidden_columns(sheet, columns)]
    extras.is_vast = rows * columns > _MAX_AREA or sheet.count(b"<c ") != count or b":c r=" in sheet
    return extras


def _hidden_rows(sheet: bytes) -> set[int]:
    """The numbers of the hidden rows, from 1."""
    hidden = (row[1] for row in _ROW.finditer(sheet) if _HIDDEN.search(row[1]))
    return {int(number[1]) for about in hidden if (number := _NUMBER.search(about))}


def _hidden_columns(sheet: bytes, count: int) -> Iterator[str]:
    """The hidden columns among the first `count` ones of a sheet, as `B` or `D:F`."""
    for one in _COLUMNS.finditer(sheet[: sheet.find(b"<sheetData")]):
        bounds = {name: int(number) for name, number in _BOUND.findall(one[1])}
        if _HIDDEN.search(one[0]) and 0 < bounds.get(b"min", 0) <= count:
            first, last = bounds[b"min"], min(bounds.get(b"max", 0), count)
            yield letters(first - 1) if last <= first else f"{letters(first - 1)}:{letters(last - 1)}"


def _record_formula(extras: SheetExtras, cell: re.Match[bytes], at: tuple[int, int], *, calculates: bool) -> bool:
    """Records a formula in `extras`. Returns whether no value is stored for it; an empty string is a value."""
    value = cell["value"]
    if value and (not calculates or value != b"0"):
        extras.has_results = True
        return False
    if b' t="str"' in cell["about"]:
        return False
    written = html.unescape((cell["written"] or "…".encode()).decode("utf-8", "replace"))
    (extras.zeros if value else extras.uncomputed)[at] = f"={written[:_FORMULA_CHARACTERS]}"
    return not value


def _column(name: bytes) -> int:
    """The number of a column, from 0."""
    number = 0
    for letter in name:
        number = number * 26 + letter - ord("A") + 1
    return number - 1


def _paths(archive: zipfile.ZipFile) -> dict[str, str]:
    """The archive paths of the sheets, by sheet name."""
    relations = tree_of(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {one.get("Id"): one.get("Target") or "" for one in relations.iterfind("{*}Relationship")}
    found: dict[str, str] = {}
    for sheet in tree_of(archive.read(_WORKBOOK)).iterfind("{*}sheets/{*}sheet"):
        target = targets.get(sheet.get(_RELATION), "")
        found[sheet.get("name") or ""] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return found


def _styles(archive: zipfile.ZipFile) -> dict[int, str]:
    """The unit (`%` or a currency code) of each cell style that shows one, by style number."""
    if "xl/styles.xml" not in archive.namelist():
        return {}
    styles = tree_of(archive.read("xl/styles.xml"))
    formats = dict(_PERCENT_FORMATS)
    for one in styles.iterfind("{*}numFmts/{*}numFmt"):
        if unit := _unit_of(one.get("formatCode") or ""):
            formats[int(one.get("numFmtId") or -1)] = unit
    cells = enumerate(styles.iterfind("{*}cellXfs/{*}xf"))
    return {number: formats[id_] for number, one in cells if (id_ := int(one.get("numFmtId") or 0)) in formats}
