"""Splits the text of a file into grids of cells: sheets, and tables between words."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePath

from leaf.documents.kinds import kind_of
from leaf.documents.model import Segment
from leaf.documents.tables.model import Source
from leaf.texts.places import attachment_of, in_attachment

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50
_DECLARED = re.compile(r'"?sep=([,;|\t])"?[ \t,;]*(?:\r\n?|\n|\Z)', re.IGNORECASE)
_DECLARED_FOR = 20_000
"""Characters in which a delimiter that is declared has to occur."""
_GUESSED_FROM = 20_000
"""Characters from which a delimiter is guessed."""
_LINES = re.compile(r"lines \d+-\d+")
_RULE = re.compile(r":?-+:?")
_EMPHASISED = re.compile(r"([*_`])([^*_`]{1,200})\1")
_DECIMALS = re.compile(r"[^\d.,]{0,6}\d[\d.,'’ \u00a0\u202f]{0,20}([.,])\d{1,2}[^\d.,]{0,6}")
_LOOKED_AT = 50
"""How many of the first rows and columns of a table are checked for its decimal sign."""


@dataclass(frozen=True)
class Grid:
    """Cells of a sheet, or of a table in a text."""

    part: str
    stem: str
    """The name of its tables, before it is made unique: that of the file, with that of the sheet among several."""
    rows: Sequence[Sequence[str]]
    european: bool = False
    """Whether an ambiguous number is read with a decimal comma."""
    typed: bool = False


def of(source: Source) -> Iterator[Grid]:
    """Yields the grids of a file, and of the files that are attached to it."""
    for name, several in groupby(source.segments, lambda one: attachment_of(one.part)[0]):
        if not name:
            yield from _in_file(source.name, source.kind, [*several])
            continue
        inner = [replace(one, part=attachment_of(one.part)[1]) for one in several]
        kind = kind_of("", name)
        # The tables of a PDF are found by its lines, which its text does not show.
        if kind != "pdf":
            yield from (replace(one, part=in_attachment(name, one.part)) for one in _in_file(name, kind, inner))


def _in_file(name: str, kind: str, segments: Sequence[Segment]) -> Iterator[Grid]:
    stem = PurePath(name).stem if "." in name else name
    sheets = sum(one.part.startswith("sheet ") for one in segments)
    # Google exports a very large spreadsheet only as CSV.
    if kind == "csv" or (kind == "spreadsheet" and not sheets):
        text = "".join(one.text for one in segments)
        delimiter, begin = delimiter_of(text)
        # The line that declares the delimiter counts as a row, as it does in a spreadsheet program.
        rows = [*([[]] if begin else []), *_csv(text[begin:], delimiter)]
        yield Grid("rows", stem, rows, european=delimiter == ";")
        return
    for part, text in whole(segments):
        if kind == "pdf":
            rows = _csv(text, ",")
            yield Grid(part, stem, rows, european=_writes_commas(rows))
        elif part.startswith("sheet "):
            title = part.removeprefix("sheet ")
            yield Grid(part, f"{stem} {title}" if sheets > 1 else stem, _csv(text, ","), typed=True)
        else:
            for number, rows in enumerate(_in_markdown(text), 1):
                yield Grid(f"{part}, table {number}", stem, rows, european=_writes_commas(rows))


def whole(segments: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Yields the parts of a file with their texts. Neighbouring parts that were cut between lines are joined."""
    for is_cut, several in groupby(segments, lambda one: _LINES.fullmatch(one.part) is not None):
        if is_cut:
            cut = [*several]
            first, last = cut[0].part.partition("-")[0], cut[-1].part.rpartition("-")[2]
            yield f"{first}-{last}", "".join(one.text for one in cut)
        else:
            yield from ((one.part, one.text) for one in several)


def delimiter_of(text: str) -> tuple[str, int]:
    """The delimiter of a CSV, and where its rows begin: after a first line that declares it, such as `sep=;`."""
    found = _DECLARED.match(text)
    begin = found.end() if found else 0
    if found and found[1] in text[begin : begin + _DECLARED_FOR]:
        return found[1], begin
    return _guessed_delimiter(text[begin : begin + _GUESSED_FROM]), begin


def _csv(text: str, delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return [line.split(delimiter) for line in text.splitlines()]
    return rows


def _guessed_delimiter(text: str) -> str:
    """The delimiter that splits the longest run of lines into equally many cells. Lines above the table are ignored.

    Of several, it is the comma last, which stands within numbers and headers as well.
    """
    lines = [line for line in text.splitlines()[:_SAMPLE_LINES] if line.strip()]
    best, most = ",", (0, False, 0)
    for sign in _DELIMITERS:
        counts = [len(row) - 1 for row in csv.reader(lines, delimiter=sign)] if lines else []
        alike = [(len([*group]), sign != ",", count) for count, group in groupby(counts) if count]
        if (score := max(alike, default=most)) > most:
            best, most = sign, score
    return best


def _writes_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Whether some of the first cells have a decimal comma and no first cell has a decimal point."""
    signs = {
        found[1]
        for row in rows[:_LOOKED_AT]
        for cell in row[:_LOOKED_AT]
        if (found := _DECIMALS.fullmatch(cell.strip()))
    }
    return signs == {","}


def _in_markdown(text: str) -> Iterator[list[list[str]]]:
    """Yields the cells of each table in a Markdown text."""
    for lines in in_text(text):
        yield [[_plain(one.strip().replace("\\|", "|")) for one in _cells(line)] for _, line in lines]


def in_text(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yields the tables of a Markdown text as lines, each with its index in the text.

    The lines of a table begin with a bar, or they contain bars and surround a line of rules, such as `--- | ---`. The
    line of rules is left out.
    """
    found: list[tuple[int, str]] = []
    is_open = False
    lines = [*text.splitlines(), ""]
    for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True)):
        bare = line.strip()
        is_closed = bare.startswith("|") and bare.count("|") > 1
        is_open = "|" in bare and (is_open or (not is_closed and "|" in below and _is_rule(below)))
        if is_closed or is_open:
            if not _is_rule(bare):
                found.append((number, bare))
        elif found:
            if len(found) > 1:
                yield found
            found = []


def _is_rule(line: str) -> bool:
    return not line.strip("|:- \t") and all(_RULE.fullmatch(one.strip()) for one in _cells(line.strip()))


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|").removesuffix("|")
    cells, begin = list[str](), 0
    for at, sign in enumerate(inner):
        if sign == "|" and (at == 0 or inner[at - 1] != "\\"):
            cells.append(inner[begin:at])
            begin = at + 1
    return [*cells, inner[begin:]]


def _plain(cell: str) -> str:
    bare = cell.replace("**", "").replace("\\", "").strip()
    emphasised = _EMPHASISED.fullmatch(bare)
    return emphasised[2] if emphasised else bare
