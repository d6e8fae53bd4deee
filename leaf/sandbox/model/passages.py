"""Cuts the content of a file into passages that can be quoted: sentences, list items, headings, table rows.

Lines such as `[page 3]` or `[sheet Budget]` stand before the segments of a file and name the place of what follows.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["sentence", "heading", "row"]

MAX_PASSAGES = 5000
"""How many passages of one content are looked at; the rest of a longer one is read part by part."""

_MARKER = re.compile(
    r"\[((?:pages?|sheet|slides?|section|rows?|lines?|tab|part|notes)\b[^\[\]]{0,120})\]", re.IGNORECASE
)
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_ITEM = re.compile(r"(?:[-*+•–]|\d{1,3}[.)]|[a-z]\))\s+(?=\S)")
_PIPE_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_SENTENCE_END = re.compile(r"[.!?…]+[\"”»’)\]]*\s+(?=[\"“„«(]?[A-ZÄÖÜÉÀ0-9])")
CONTENTS_LINE = re.compile(r"(?:\.\s?){3,}\s*\d+\s*$|…\s*\d+\s*$")
"""A line of a table of contents: it names a subject, and says nothing about it."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nr|art|abs|ca|approx|inc|ltd|co|vs|etc|fig|tel|bzw|e\.g|i\.e|z\.b|d\.h|u\.a"
    r"|[a-z]|\d{1,2}))\.$",
    re.IGNORECASE,
)
_UNMARKED = 7
"""The level of a heading that no sign marks: below all that are marked."""
_LINE_CHARACTERS = 4000
_WRAPPED_LINE = 45
"""A line at least this long is taken for one that was wrapped, so the next line goes on with it."""
_TABLE_KINDS = re.compile(r"sheet|csv|tsv|excel|xlsx?|\bods\b|table", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """Something that can be quoted, and where it stands."""

    text: str
    kind: Kind
    label: str
    """The place within the file, such as `page 3`; empty where the content names none."""
    heading: str
    """The title that it stands under."""
    path: str
    """That title with those of the sections around it."""
    block: int
    """Passages with the same number stand in one paragraph, list or table."""
    line: int = 0
    """Passages of a block with the same number stand in one line, wrapped lines counted as one."""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass
class _Cutter:
    """Goes through the lines and keeps what is known about the place."""

    tabular: bool
    label: str = ""
    titles: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The open titles with their levels, the outermost first."""
    block: int = 0
    lines: list[str] = field(default_factory=list[str])
    rows: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def cut(self, content: str) -> Iterator[Passage]:
        lines = [part for line in content.splitlines() for part in _bounded(line)]
        separators = _separators(lines, self.tabular)
        for line, separator in zip(lines, separators, strict=True):
            yield from self._line(line.strip(), separator)
        yield from self._flush()

    def _line(self, line: str, separator: str) -> Iterator[Passage]:
        marker = _MARKER.fullmatch(line)
        heading = _HEADING.fullmatch(line)
        if marker or heading or not line:
            yield from self._flush()
        if marker:
            self.label = marker[1].strip()
            # A page or section may lie within the one before; a sheet or a slide does not.
            if not self.label.lower().startswith(("page", "section")):
                self.titles = []
        elif heading:
            yield from self._titled(heading[1].rstrip("# "), len(line) - len(line.lstrip("#")))
        elif separator:
            if self.lines:
                yield from self._flush()
            if not _PIPE_RULE.fullmatch(line):
                self.rows.append(_cells(line, separator))
        elif line:
            if self.rows:
                yield from self._flush()
            self.lines.append(line)

    def _titled(self, title: str, level: int = _UNMARKED) -> Iterator[Passage]:
        self.titles = [*(each for each in self.titles if each[0] < level), (level, _plain(title))]
        self.block += 1
        yield self._passage(_plain(title), "heading")

    def _flush(self) -> Iterator[Passage]:
        lines, self.lines = self.lines, []
        rows, self.rows = self.rows, []
        if lines and _is_title(lines):
            yield from self._titled(lines.pop(0))
        if lines or rows:
            self.block += 1
        for number, paragraph in enumerate(_paragraphs(lines)):
            for sentence in _sentences(paragraph):
                yield self._passage(sentence, "sentence", number)
        if rows:
            yield from self._table(rows)

    def _table(self, rows: list[tuple[str, ...]]) -> Iterator[Passage]:
        columns = rows[0] if len(rows) > 1 else ()
        for line, cells in enumerate(rows[1:] if columns else rows):
            text = ", ".join(
                f"{column}: {cell}" if column else cell for column, cell in _paired(columns, cells) if cell
            )
            if text:
                yield Passage(text, "row", self.label, *self._above(), self.block, line, cells, columns)

    def _passage(self, text: str, kind: Kind, line: int = 0) -> Passage:
        return Passage(text, kind, self.label, *self._above(), self.block, line)

    def _above(self) -> tuple[str, str]:
        titles = [title for _, title in self.titles]
        return (titles[-1] if titles else ""), " ".join(titles)


def _bounded(line: str) -> list[str]:
    # Patterns take quadratic time on some lines, so a line without an end is cut.
    return [line[at : at + _LINE_CHARACTERS] for at in range(0, len(line), _LINE_CHARACTERS)] or [""]


def split(content: str, file_kind: str = "") -> list[Passage]:
    """The passages of a content, in order.

    Args:
        content: What `read_drive_file` gave.
        file_kind: The file's kind or name; in a table every line is a row.
    """
    found: list[Passage] = []
    for passage in _Cutter(bool(_TABLE_KINDS.search(file_kind))).cut(content):
        found.append(passage)
        if len(found) >= MAX_PASSAGES:
            break
    return found


def window(passages: list[Passage], place: int, characters: int = 320) -> range:
    """The places of a passage and its neighbours in the same block, up to about so many characters."""
    first = last = place
    length = len(passages[place].text)
    for forward in (True, True, False, True):
        at = last + 1 if forward else first - 1
        if not 0 <= at < len(passages) or passages[at].block != passages[place].block:
            continue
        length += len(passages[at].text)
        if length > characters:
            break
        first, last = min(first, at), max(last, at)
    return range(first, last + 1)


def lines(passages: list[Passage], places: range) -> list[str]:
    """The passages as they stand: sentences of one paragraph on one line, list items and short lines on their own."""
    found: dict[tuple[int, int], list[str]] = {}
    for place in places:
        passage = passages[place]
        found.setdefault((passage.block, passage.line), []).append(passage.text)
    return [" ".join(texts) for texts in found.values()]


def _paired(columns: tuple[str, ...], cells: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for place, cell in enumerate(cells):
        yield (columns[place] if place < len(columns) else ""), cell


def _separators(lines: list[str], tabular: bool) -> list[str]:
    """For each line the sign that separates its cells, or nothing where the line is no row of a table."""
    found = [""] * len(lines)
    for place, line in enumerate(lines):
        text = line.strip()
        if text.startswith("|") and text.count("|") >= 2:
            found[place] = "|"
    for separator, needed in (("\t", 1), (";", 1 if tabular else 2), (",", 1 if tabular else 2)):
        counts = [
            0 if found[i] or _MARKER.fullmatch(line.strip()) else len(_cells(line, separator)) - 1
            for i, line in enumerate(lines)
        ]
        for start, end in _runs(counts, needed, 2 if tabular or separator == "\t" else 3):
            found[start:end] = [separator] * (end - start)
    return found


def _runs(counts: list[int], needed: int, length: int) -> Iterator[tuple[int, int]]:
    """Where lines with the same count, at least `needed`, follow one another at least `length` times."""
    start = 0
    for place in range(1, len(counts) + 1):
        if place == len(counts) or counts[place] != counts[start]:
            if counts[start] >= needed and place - start >= length:
                yield start, place
            start = place


def _cells(line: str, separator: str) -> tuple[str, ...]:
    if separator == "|":
        inner = line.strip().removeprefix("|").removesuffix("|")
        return tuple(_plain(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", inner))
    if separator not in line:
        return (line.strip(),)
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        row = line.split(separator)
    return tuple(cell.strip() for cell in row)


def _is_title(lines: list[str]) -> bool:
    """Whether the first line of a block reads as a heading without a sign."""
    first = lines[0]
    if len(first) > 60 or len(first.split()) > 8 or first[-1] in ".!?;,:" or ": " in first or _ITEM.match(first):
        return False
    if not first[0].isalnum() or not any(character.isalpha() for character in first):
        return False
    return len(lines) == 1 or lines[1][-1] in ".!?" or len(lines[1]) >= 60


def _paragraphs(lines: list[str]) -> list[str]:
    """The lines, with those that were only wrapped joined again."""
    joined: list[str] = []
    previous = ""
    for line in lines:
        if len(previous) >= _WRAPPED_LINE and not _ITEM.match(line):
            joined[-1] += " " + line
        else:
            joined.append(line)
        previous = line
    return joined


def _sentences(paragraph: str) -> Iterator[str]:
    item = _ITEM.match(paragraph)
    text = _plain(paragraph[item.end() :] if item else paragraph)
    if CONTENTS_LINE.search(text[-80:]):
        yield text
        return
    start = 0
    for end in _SENTENCE_END.finditer(text):
        before = text[start : end.end()].rstrip()
        if before and not _ABBREVIATION.search(before):
            yield before
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def _plain(text: str) -> str:
    """A line without the signs that begin a block in Markdown; its words stay as they are."""
    return re.sub(r"^(?:>\s*)+", "", " ".join(text.split()))
