"""The passages of a file that can be quoted: sentences, headings and rows of tables.

Lines such as `[page 3]` or `[sheet Budget]` precede the segments of a file and name the place of the text after them.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

MAX_PASSAGES = 5000
"""How many passages are taken from one content."""
_LINE_CHARACTERS = 4000
_WRAPPED_LINE = 45
"""A line of at least this length was probably wrapped, so the next line continues it."""
_MARKER = re.compile(
    r"\[((?:pages?|pictures?|sheet|slides?|section|rows?|lines?|tab|part|notes|attachment)\b[^\[\]]{0,300})\]",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_TITLE = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?\s+)?[A-ZÄÖÜ][^=<>{}|.!?;:,]{2,56}")
_ITEM = re.compile(r"^(?:[-*+•–]|\d{1,3}[.)])\s+(?=\S)")
_RULE = re.compile(r":?-{2,}:?")
_CONTENTS = re.compile(r"^.*(?:(?:\.[ \t]?){4}|…[ \t]*\d+[ \t]*$).*$", re.MULTILINE)
"""Lines of a table of contents, which are never an answer."""
_TABULAR = re.compile(r"sheet|csv|tsv|excel|xlsx?|\bods\b|table", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Za-z]\.)(?<!\b\d\.)(?<!\b(?:[DMS]r|[NV][os])\.)(?<=[.!?…])[\"”»’)\]]*\s+(?=[\"“„«(]?[A-ZÄÖÜ0-9])"
    r"(?!(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-z]* \d{4})"
)


@dataclass(frozen=True)
class Passage:
    """A text that can be quoted, and its place."""

    text: str
    kind: Literal["sentence", "heading", "row"]
    label: str
    """The place in the file, such as `page 3`; empty if the content names none."""
    heading: str
    block: int
    """The number of its paragraph, list item or table in the content."""
    cells: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def own(self) -> str:
        """Its text, followed by its heading and the header of its table."""
        return f"{self.text} {self.heading} {' '.join(self.columns)}"


@dataclass
class _Cutter:
    """Cuts the lines of a content into passages, and keeps track of the place."""

    tabular: bool
    label: str = ""
    heading: str = ""
    block: int = 0
    columns: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list[str])

    def cut(self, content: str) -> Iterator[Passage]:
        before = ""
        for line in (whole.strip()[:_LINE_CHARACTERS] for whole in _CONTENTS.sub("", content).splitlines()):
            ended = len(before) < _WRAPPED_LINE or before.endswith((".", ":", "!", "?"))
            marked, cells = _MARKER.fullmatch(line), _cells(line, self.tabular)
            title = _title(line, may_be_bare=ended)
            if not line or marked or title or cells or _ITEM.match(line) or len(before) < _WRAPPED_LINE:
                yield from self._paragraph()
                self.block += not cells
            if marked:
                self.label, self.heading = marked[1].strip(), ""
            elif cells:
                yield from self._row(cells)
            elif title:
                self.heading = title
                yield Passage(title, "heading", self.label, title, self.block)
            else:
                self.lines.append(_ITEM.sub("", line, count=1).lstrip("> "))
            self.columns = self.columns if cells else ()
            before = line
        yield from self._paragraph()

    def _paragraph(self) -> Iterator[Passage]:
        sentences = _SENTENCE_END.split(" ".join(self.lines))
        self.lines = []
        for sentence in filter(None, map(str.strip, sentences)):
            yield Passage(sentence, "sentence", self.label, self.heading, self.block)

    def _row(self, cells: tuple[str, ...]) -> Iterator[Passage]:
        if not self.columns:
            self.columns = cells
        elif not all(map(_RULE.fullmatch, cells)):
            named = zip((*self.columns, *[""] * len(cells)), cells, strict=False)
            text = ", ".join(f"{column}: {cell}" if column else cell for column, cell in named if cell)
            yield from [Passage(text, "row", self.label, self.heading, self.block, cells, self.columns)] if text else []


def split(content: str, file_kind: str = "") -> list[Passage]:
    """The passages of a content, in order."""
    return list(islice(_Cutter(bool(_TABULAR.search(file_kind))).cut(content), MAX_PASSAGES))


def _title(line: str, *, may_be_bare: bool) -> str:
    """The title in a line; empty if it is none. Titles in a PDF have no mark before them (`may_be_bare`)."""
    marked = _HEADING.fullmatch(line)
    if marked:
        return marked[1].rstrip("# ")
    return line if may_be_bare and _TITLE.fullmatch(line) and len(line.split()) <= 8 else ""


def _cells(line: str, tabular: bool) -> tuple[str, ...]:
    """The cells of a row; empty for a line that is not a row."""
    if line.startswith("|") and line.count("|") > 1:
        inner = line.removeprefix("|").removesuffix("|")
        return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))
    separator = next((sign for sign in "\t;," if sign in line and (tabular or sign == "\t")), "")
    if not separator or _MARKER.fullmatch(line):
        return ()
    return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), []))
