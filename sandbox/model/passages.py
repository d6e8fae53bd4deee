"""The passages of a file that can be quoted: sentences, headings and rows of tables.

Lines such as `[page 3]` or `[sheet Budget]` stand before the segments of a file and name the place of what follows.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["sentence", "heading", "row"]

MAX_PASSAGES = 5000
"""How many passages of one content are looked at."""
GAP = "[…]"
"""Stands in a content where text is left out."""

_LINE_CHARACTERS = 4000
_WINDOW_CHARACTERS = 320
_WRAPPED_LINE = 45
"""A line at least this long was probably wrapped, so the next line goes on with it."""
_MARKER = re.compile(
    r"\[((?:pages?|sheet|slides?|section|rows?|lines?|tab|part|notes)\b[^\[\]]{0,120})\]", re.IGNORECASE
)
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_ITEM = re.compile(r"(?:([-*+•–])|(\d{1,3}[.)])|[a-z]\))\s+(?=\S)")
_RULE = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|?)+")
_TABULAR = re.compile(r"sheet|csv|tsv|excel|xlsx?|\bods\b|table", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…][\"”»’)\]]*\s+(?=[\"“„«(]?[A-ZÄÖÜ0-9])")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|no|nr|art|abs|ca|inc|ltd|co|vs|fig|[a-z]|\d{1,2})\.$", re.IGNORECASE
)
_TITLE = re.compile(r"[^\W\d_]\w[^=<>{}|.!?;:,]{0,56}[^\W_]|\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[^\W\d_a-z][^.!?;:]{0,60}")


@dataclass(frozen=True)
class Passage:
    """Something that can be quoted, and where it stands."""

    text: str
    kind: Kind
    label: str
    """The place within the file, such as `page 3`; empty where the content names none."""
    heading: str
    block: int
    """Passages with the same number stand in one paragraph, list item or table."""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    bullet: str = ""
    """The sign before it in a list: `-` or `3.`."""


@dataclass
class _Cutter:
    """Goes through the lines of a content and remembers the place."""

    tabular: bool
    label: str = ""
    heading: str = ""
    block: int = 0
    lines: list[str] = field(default_factory=list[str])
    rows: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def cut(self, content: str) -> Iterator[Passage]:
        for line in (whole.strip()[:_LINE_CHARACTERS] for whole in content.splitlines()):
            marked, heading, separator = _MARKER.fullmatch(line), _HEADING.fullmatch(line), self._separator(line)
            if marked or heading or not line or line == GAP or bool(separator) != bool(self.rows):
                yield from self._flush()
            if marked or line == GAP:
                self.label, self.heading = marked[1].strip() if marked else self.label, ""
            elif heading:
                yield from self._titled(heading[1].rstrip("# "))
            elif separator and not _RULE.fullmatch(line):
                self.rows.append(_cells(line, separator))
            elif line and not separator:
                self.lines.append(line)
        yield from self._flush()

    def _separator(self, line: str) -> str:
        """The sign between the cells of a row; empty where a line is no row."""
        if line.startswith("|") and line.count("|") > 1:
            return "|"
        return next((sign for sign in "\t;," if sign in line and (self.tabular or sign == "\t")), "")

    def _titled(self, title: str) -> Iterator[Passage]:
        self.block += 1
        self.heading = title
        yield Passage(title, "heading", self.label, title, self.block)

    def _flush(self) -> Iterator[Passage]:
        lines, self.lines, rows, self.rows = self.lines, [], self.rows, []
        self.block += 1
        if rows:
            yield from self._table(rows)
        # Pages of a PDF have no blank lines, so a title may stand on any line of them.
        while lines:
            if (
                _TITLE.fullmatch(lines[0])
                and len(lines[0].split()) <= 8
                and (len(lines) == 1 or len(lines[0]) < len(lines[1]))
            ):
                yield from self._titled(lines.pop(0))
                continue
            size = next((at for at in range(1, len(lines)) if _parts(lines[at - 1], lines[at])), len(lines))
            item = _ITEM.match(lines[0])
            text = " ".join(lines[:size])[item.end() if item else 0 :]
            bullet = (item[2] or "-") if item else ""
            for sentence in _sentences(re.sub(r"^(?:>\s*)+", "", text)):
                yield Passage(sentence, "sentence", self.label, self.heading, self.block, bullet=bullet)
                bullet = ""
            lines = lines[size:]
            self.block += 1

    def _table(self, rows: list[tuple[str, ...]]) -> Iterator[Passage]:
        columns = rows[0] if len(rows) > 1 else ()
        for cells in rows[1:] if columns else rows:
            named = zip((*columns, *[""] * len(cells)), cells, strict=False)
            text = ", ".join(f"{column}: {cell}" if column else cell for column, cell in named if cell)
            if text:
                yield Passage(text, "row", self.label, self.heading, self.block, cells, columns)


def split(content: str, file_kind: str = "") -> list[Passage]:
    """The passages of a content, in order.

    Args:
        content: What a tool that reads files returned.
        file_kind: The file's kind or name; in a table every line is a row.
    """
    cut = _Cutter(bool(_TABULAR.search(file_kind))).cut(content)
    return [passage for _, passage in zip(range(MAX_PASSAGES), cut, strict=False)]


def window(passages: list[Passage], place: int) -> list[Passage]:
    """A passage with what follows it in its paragraph, as far as it is short."""
    found = [passages[place]]
    for passage in passages[place + 1 :]:
        size = sum(len(each.text) for each in found) + len(passage.text)
        if passage.block != found[0].block or passage.kind != "sentence" or size > _WINDOW_CHARACTERS:
            break
        found.append(passage)
    return found


def _parts(line: str, following: str) -> bool:
    """Whether a paragraph ends between two lines."""
    ended = line.endswith((".", ":", "!", "?"))
    return bool(_ITEM.match(following)) or len(line) < _WRAPPED_LINE or (ended and bool(_TITLE.fullmatch(following)))


def _cells(line: str, separator: str) -> tuple[str, ...]:
    if separator == "|":
        inner = line.removeprefix("|").removesuffix("|")
        return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        row = line.split(separator)
    return tuple(cell.strip() for cell in row)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        sentence = text[start : end.end()].strip()
        if not _ABBREVIATION.search(sentence):
            yield sentence
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()
