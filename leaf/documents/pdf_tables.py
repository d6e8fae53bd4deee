"""Finds the tables of a PDF by the lines around their cells, or by the columns of their words.

The text of a page has no columns, so the file itself is searched, and only when somebody computes over it.
Pure and synchronous. pdfplumber reads the pages, in a child process only (`leaf.documents.isolation`).
"""

import csv
import io
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

from leaf import texts
from leaf.documents.model import Segment
from leaf.documents.pdf import pages_with_text
from leaf.documents.pieces import ranges
from leaf.documents.tables import days, values

MAX_PAGES: Final = 80
"""Maximum number of pages that are searched for tables."""
SECONDS: Final = 12.0
_MOST_WORDS: Final = 4_000
_LEAST_ROWS: Final = 3
"""Minimum number of rows of a table without lines around its cells, its header row included."""
_CELL_GAP: Final = 0.7
"""Minimum gap between two cells, as a multiple of the text height. Words of one cell are closer."""
_ROW_GAP: Final = 3.0
"""Maximum gap between two rows, as a multiple of the text height."""
_FIGURES: Final = 0.6
"""A column has figures if more than this share of its filled cells are numbers or dates."""
_SAME_POINTS: Final = 4.0
_SMALL: Final = 0.8
"""Maximum size of a raised digit, relative to the character before it."""
_DIGIT = re.compile(r"\d")


@dataclass
class _Found:
    """A table, and the pages that it spans."""

    pages: list[int]
    edges: Sequence[float]
    """The left edges of its columns, in points."""
    rows: list[list[str]]
    number: int
    """Its number on its first page, from 1."""

    @property
    def part(self) -> str:
        page = f"page {self.pages[0]}" if len(self.pages) == 1 else f"pages {ranges(self.pages)}"
        return f"{page}, table {self.number}"


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The tables of a PDF as CSV, one segment each (`page 3, table 1`), and a note about pages not searched in time.

    A table that continues over several pages is one segment (`pages 3-4, table 1`).

    Raises:
        Unreadable: It is encrypted or damaged.
    """
    import pdfplumber
    from pdfplumber.utils.exceptions import PdfminerException

    candidates = [*_candidates(pages_with_text(data))]
    until = time.monotonic() + SECONDS
    found: list[_Found] = []
    searched = 0
    try:
        opened: Any = pdfplumber.open(io.BytesIO(data))
    except PdfminerException:
        return [], []
    with opened as document:
        for number in candidates[:MAX_PAGES]:
            if time.monotonic() > until:
                break
            page: Any = document.pages[number - 1]
            try:
                tables = [*_tables(page)]
            except PdfminerException:
                tables = []
            for at, (edges, rows) in enumerate(tables, 1):
                before = found[-1] if found and at == 1 else None
                if before is not None and before.pages[-1] == number - 1 and _same(before.edges, edges):
                    before.pages.append(number)
                    before.rows += rows[1:] if rows[0] == before.rows[0] else rows
                else:
                    found.append(_Found([number], edges, rows, at))
            page.close()
            searched += 1
    missed = candidates[searched:]
    notes: list[str] = [texts.english("notes.tables_waiting", pages=ranges(missed))] if missed else []
    return [Segment(one.part, None, _csv(one.rows)) for one in found], notes


def _candidates(pages: Sequence[tuple[int, str]]) -> Iterator[int]:
    """The numbers of pages with several lines of digits. After such a page, one line suffices: the end of a table."""
    before = 0
    for number, text in pages:
        rows = sum(1 for line in text.splitlines() if _DIGIT.search(line))
        if rows >= _LEAST_ROWS - 1 or (rows and number == before + 1):
            before = number
            yield number


def _csv(rows: Sequence[Sequence[str]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _same(edges: Sequence[float], others: Sequence[float]) -> bool:
    return len(edges) == len(others) and all(
        abs(one - other) <= _SAME_POINTS for one, other in zip(edges, others, strict=True)
    )


def _tables(page: Any) -> Iterator[tuple[Sequence[float], list[list[str]]]]:
    """The tables of a page from top to bottom, each with the left edges of its columns and its rows."""
    _raise_digits(page.chars)
    ruled = [one for one in page.find_tables() if len(one.rows) > 1 and len(one.columns) > 1]
    tables = [(one.bbox[1], _edges(one), _cells(one.extract())) for one in ruled]
    words = page.extract_words(keep_blank_chars=False, use_text_flow=False)[:_MOST_WORDS]
    free = [one for one in words if not any(_is_in(one, table.bbox) for table in ruled)]
    tables += _by_columns(free)
    for _, edges, rows in sorted(tables, key=lambda one: one[0]):
        yield edges, rows


_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _raise_digits(letters: Sequence[dict[str, Any]]) -> None:
    """Replaces raised small digits by superscript characters, in place.

    They mark a footnote or a power, and would otherwise be joined to the number before them.
    """
    for before, one in pairwise(letters):
        size = before["size"]
        is_near = abs(one["x0"] - before["x1"]) < size / 3 and before["top"] < one["bottom"] < before["bottom"]
        if one["text"].isdecimal() and one["size"] < _SMALL * size and is_near:
            one["text"] = one["text"].translate(_RAISED)


def _edges(table: Any) -> list[float]:
    return sorted({round(one.bbox[0], 1) for one in table.columns})


def _cells(rows: Sequence[Sequence[str | None]]) -> list[list[str]]:
    return [[" ".join((cell or "").split()) for cell in row] for row in rows]


def _is_in(word: dict[str, Any], box: Sequence[float]) -> bool:
    across, down = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return box[0] <= across <= box[2] and box[1] <= down <= box[3]


@dataclass
class _Cell:
    left: float
    right: float
    text: str


@dataclass
class _Line:
    top: float
    height: float
    cells: list[_Cell]


def _by_columns(words: Sequence[dict[str, Any]]) -> Iterator[tuple[float, list[float], list[list[str]]]]:
    """Tables without lines around their cells: rows of words in common columns, at least one of them with figures."""
    for lines in _bands([*_lines(words)]):
        columns = _columns(lines)
        if len(columns) < 2:
            continue
        rows = [_row(one, columns) for one in lines]
        if any(_has_figures([row[at] for row in rows[1:]]) for at in range(1, len(columns))):
            yield lines[0].top, [left for left, _ in columns], rows


def _lines(words: Sequence[dict[str, Any]]) -> Iterator[_Line]:
    ordered = sorted(words, key=lambda one: (round((one["top"] + one["bottom"]) / 2), one["x0"]))
    line: list[dict[str, Any]] = []
    for word in ordered:
        if line and abs(word["bottom"] - line[-1]["bottom"]) > (word["bottom"] - word["top"]) / 2:
            yield _line(line)
            line = []
        line.append(word)
    if line:
        yield _line(line)


def _line(words: list[dict[str, Any]]) -> _Line:
    height = max(one["bottom"] - one["top"] for one in words)
    cells: list[_Cell] = []
    for word in sorted(words, key=lambda one: one["x0"]):
        if cells and word["x0"] - cells[-1].right < _CELL_GAP * height:
            cells[-1].right, cells[-1].text = word["x1"], f"{cells[-1].text} {word['text']}"
        else:
            cells.append(_Cell(word["x0"], word["x1"], word["text"]))
    return _Line(min(one["top"] for one in words), height, cells)


def _bands(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Groups of consecutive lines that have several cells each and small gaps between them."""
    for has_cells, group in groupby(lines, lambda one: len(one.cells) > 1):
        band = [*group]
        if not has_cells:
            continue
        begin = 0
        for at, (above, below) in enumerate(pairwise(band), 1):
            if below.top - above.top > (_ROW_GAP + 1) * above.height:
                if at - begin >= _LEAST_ROWS:
                    yield band[begin:at]
                begin = at
        if len(band) - begin >= _LEAST_ROWS:
            yield band[begin:]


def _columns(lines: Sequence[_Line]) -> list[tuple[float, float]]:
    """The left and right edges of the columns. A column ends where no line has a cell."""
    spans = sorted((cell.left, cell.right) for line in lines for cell in line.cells)
    columns: list[tuple[float, float]] = []
    for left, right in spans:
        if columns and left <= columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _row(line: _Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    row = [""] * len(columns)
    for cell in line.cells:
        at = next(at for at, (left, right) in enumerate(columns) if left <= cell.left <= right)
        row[at] = f"{row[at]} {cell.text}".strip()
    return row


def _has_figures(cells: Sequence[str]) -> bool:
    """Whether most cells of a column are numbers or dates."""
    filled = [cell for cell in cells if cell]
    figures = sum(values.is_number(cell) or days.is_date(cell) for cell in filled)
    return len(filled) > 1 and figures > _FIGURES * len(filled)
