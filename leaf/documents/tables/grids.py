"""The cells in the text of a file: of its sheets, and of the tables between its words."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from leaf.documents.tables.model import Source

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True)
class Grid:
    """Cells of one sheet, or of a table in a text."""

    part: str
    title: str
    rows: Sequence[Sequence[str]]
    european: bool = False
    typed: bool = False


def of(source: Source) -> Iterator[Grid]:
    """The grids of a file."""
    sheets = any(one.part.startswith("sheet ") for one in source.segments)
    # Google gives a very large spreadsheet as CSV only.
    if source.kind == "csv" or (source.kind == "spreadsheet" and not sheets):
        text = "".join(one.text for one in source.segments)
        delimiter = _delimiter(text)
        yield Grid("rows", "", _csv(text, delimiter), european=delimiter == ";")
        return
    for segment in source.segments:
        if source.kind == "pdf":
            yield Grid(segment.part, "", _csv(segment.text, ","))
        elif segment.part.startswith("sheet "):
            yield Grid(segment.part, segment.part.removeprefix("sheet "), _csv(segment.text, ","), typed=True)
        else:
            for number, rows in enumerate(_in_markdown(segment.text), 1):
                yield Grid(f"{segment.part}, table {number}", "", rows)


def _csv(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return [line.split(delimiter) for line in text.splitlines()]
    return rows


def _delimiter(text: str) -> str:
    """The sign that splits the most lines in a row into as many cells each: lines above the table do not count."""
    lines = [line for line in text[:20_000].splitlines()[:_SAMPLE_LINES] if line.strip()]
    best, most = ",", (0, 0)
    for sign in _DELIMITERS:
        counts = [len(row) - 1 for row in csv.reader(lines, delimiter=sign)] if lines else []
        alike = [(len([*group]), count) for count, group in groupby(counts) if count]
        if (score := max(alike, default=most)) > most:
            best, most = sign, score
    return best


def _in_markdown(text: str) -> Iterator[list[list[str]]]:
    """The tables of a Markdown text: lines between bars."""
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        bare = line.strip()
        if bare.startswith("|") and bare.count("|") > 1:
            cells = [one.strip().replace("\\|", "|") for one in _cells(bare)]
            if not all(_RULE.fullmatch(one) for one in cells):
                rows.append([_plain(one) for one in cells])
        elif rows:
            if len(rows) > 1:
                yield rows
            rows = []


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|").removesuffix("|")
    cells, begin = list[str](), 0
    for at, sign in enumerate(inner):
        if sign == "|" and (at == 0 or inner[at - 1] != "\\"):
            cells.append(inner[begin:at])
            begin = at + 1
    return [*cells, inner[begin:]]


def _plain(cell: str) -> str:
    return cell.replace("**", "").replace("\\", "").strip()
