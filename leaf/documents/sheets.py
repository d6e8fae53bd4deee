"""Workbooks, every sheet as rows of CSV."""

import csv
import io
import re
import warnings
import zipfile
from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Any

from leaf import texts
from leaf.documents.model import LEFT_OUT, Segment, Unreadable
from leaf.documents.office import BROKEN, unpackable

MAX_ROWS = 50_000
MAX_COLUMNS = 500
MAX_CELLS = 2_000_000
_UNCOMPUTED = re.compile(rb"<f[ >][^<]*</f>\s*(?:<v\s*/>|<v></v>|</c>)|<f[^<>]*/>\s*(?:<v\s*/>|<v></v>|</c>)")


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """Every sheet of an xlsx workbook. Row N of the text is row N of the sheet.

    Raises:
        Unreadable: It is damaged, encrypted or too large.
    """
    import openpyxl

    notes: list[str] = []
    segments: list[Segment] = []
    with unpackable(data) as archive, warnings.catch_warnings():
        # openpyxl warns of styles and extensions that it leaves out; values are all that is read here.
        warnings.simplefilter("ignore")
        try:
            book: Any = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            cells = MAX_CELLS
            for sheet in book.worksheets:
                text, used, left_out = _sheet(sheet, cells)
                cells -= used
                segments.append(Segment(f"sheet {sheet.title}", sheet.title, text))
                if left_out:
                    notes.append(f"{LEFT_OUT}{left_out} of the sheet “{sheet.title}”.")
                if sheet.sheet_state != "visible":
                    notes.append(f"The sheet “{sheet.title}” is hidden in the workbook.")
            book.close()
            uncomputed = _uncomputed(archive)
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_workbook")) from None
    if uncomputed:
        formulas_have = "1 formula has" if uncomputed == 1 else f"{uncomputed} formulas have"
        notes.append(f"{formulas_have} no stored result: the cells are empty here.")
    if not segments:
        raise Unreadable(texts.english("refusals.empty_workbook"))
    return segments, notes


def _sheet(sheet: Any, cells: int) -> tuple[str, int, str | None]:
    """The text of a sheet, its number of cells, and a note about omitted ones."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    used = blank = 0
    left_out: str | None = None
    # The size that a workbook states may be wrong, or that of the whole grid.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), 1):
        values = _trimmed(_shown(cell) for cell in row[:MAX_COLUMNS])
        if len(row) > MAX_COLUMNS and any(cell.value is not None for cell in row[MAX_COLUMNS:]):
            left_out = f"the columns after the {MAX_COLUMNS}th"
        used += len(values)
        if number > MAX_ROWS or used > cells:
            left_out = f"the rows from {number} on"
            break
        if not values:
            blank += 1
            continue
        written.write("\n" * blank)
        blank = 0
        writer.writerow(values)
    return written.getvalue(), used, left_out


def _trimmed(values: Iterable[str]) -> list[str]:
    kept = list(values)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _shown(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, str(cell.number_format or ""))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _number(value: float, number_format: str) -> str:
    if "%" in number_format:
        return f"{value * 100:.10g}%"
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


def _uncomputed(archive: zipfile.ZipFile) -> int:
    """How many formulas were written by a program that does not calculate."""
    names = [name for name in archive.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
    return sum(len(_UNCOMPUTED.findall(archive.read(name))) for name in names)
