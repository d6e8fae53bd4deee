"""Cuts the content of a file into passages that can be quoted: sentences, list items, headings, table rows.

Lines such as `[page 3]` or `[sheet Budget]` stand before the segments of a file and name the place of what follows.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sandbox.model.tables import cells_of, marker, paired, plain, separators

Kind = Literal["sentence", "heading", "row"]

MAX_PASSAGES = 5000
"""How many passages of one content are looked at; the rest of a longer one is read part by part."""

_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_ITEM = re.compile(r"(?:[-*+•–]|\d{1,3}[.)]|[a-z]\))\s+(?=\S)")
_PIPE_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_SENTENCE_END = re.compile(r"[.!?…]+[\"”»’)\]]*\s+(?=[\"“„«(]?[A-ZÄÖÜÉÀ0-9])")
CONTENTS_LINE = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:\.\s?){3,}\d+\s*$|…\s*\d+\s*$")
"""A line of a table of contents: it names a subject, and says nothing about it."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nr|art|abs|ca|approx|inc|ltd|co|vs|etc|fig|tel|bzw|e\.g|i\.e|z\.b|d\.h|u\.a"
    r"|[a-z]|\d{1,2}))\.$",
    re.IGNORECASE,
)
_UNMARKED = 7
"""The level of a heading that no sign marks: below all that are marked."""
_LINE_CHARACTERS = 4000
_ENDS = re.compile(r"[.!?:][\"”»’)\]]*$")
_LABELLED = re.compile(r"[A-Za-z_][\w ]{0,24}: \S")
"""A line that explains one word, such as a parameter: `name: what it is`."""
_NUMBERED_TITLE = re.compile(r"(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+[^\W\d_a-z].{0,80}[^.!?;,:\s\d]")
GAP = "[…]"
"""Stands in a content where text is left out."""
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
    bullet: str = ""
    """What it begins with in a list: `-` or `3.`."""


@dataclass
class _Cutter:
    """Goes through the lines and keeps what is known about the place."""

    tabular: bool
    known_titles: frozenset[str]
    """Titles that the outline of the file names, folded."""
    label: str = ""
    titles: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The open titles with their levels, the outermost first."""
    is_code: bool = False
    """Whether a block of code has begun, in which every line stands for itself."""
    block: int = 0
    lines: list[str] = field(default_factory=list[str])
    rows: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def cut(self, content: str) -> Iterator[Passage]:
        lines = [part for line in content.splitlines() for part in _bounded(line)]
        signs = separators(lines, tabular=self.tabular)
        for line, separator in zip(lines, signs, strict=True):
            yield from self._line(line.strip(), separator)
        yield from self._flush()

    def _line(self, line: str, separator: str) -> Iterator[Passage]:
        place = marker(line)
        if place or line == GAP:
            yield from self._flush()
            self._moved(place)
        elif line.startswith(("```", "~~~")):
            yield from self._flush()
            self.is_code = not self.is_code
        elif self.is_code and line:
            self.lines.append(line)
        elif not line:
            yield from self._flush()
        elif heading := _HEADING.fullmatch(line):
            yield from self._flush()
            yield from self._titled(heading[1].rstrip("# "), len(line) - len(line.lstrip("#")))
        elif level := self._title_level(line):
            yield from self._flush()
            yield from self._titled(line, level)
        else:
            if self.lines if separator else self.rows:
                yield from self._flush()
            self._gather(line, separator)

    def _moved(self, place: str | None) -> None:
        """After a marker, or where text was left out: which titles what follows still stands under."""
        self.is_code = False
        before = self.label.lower().split()
        self.label = place or self.label
        label = self.label.lower().split()
        pages = [int(each[1]) for each in (before, label) if len(each) == 2 and each[0] == "page" and each[1].isdigit()]
        goes_on = len(pages) < 2 or pages[1] - pages[0] in {0, 1}
        # A page or section may lie within the one before; a sheet or a slide does not, nor what stands elsewhere.
        if place and (label[0] not in {"page", "pages", "section"} or not goes_on):
            self.titles = []
        elif not place:
            self.titles = [each for each in self.titles if each[0] < _UNMARKED - 1]

    def _gather(self, line: str, separator: str) -> None:
        if not separator:
            self.lines.append(line)
        elif not _PIPE_RULE.fullmatch(line):
            self.rows.append(cells_of(line, separator))

    def _titled(self, title: str, level: int = _UNMARKED) -> Iterator[Passage]:
        self.titles = [*(each for each in self.titles if each[0] < level), (level, plain(title))]
        self.block += 1
        yield self._passage(plain(title), "heading")

    def _title_level(self, line: str) -> int:
        """The level of a line that is a title by its number or by the outline; 0 where it is none."""
        if CONTENTS_LINE.search(line) or (self.lines and not _ENDS.search(self.lines[-1]) and len(self.lines) > 1):
            return 0
        numbered = _NUMBERED_TITLE.fullmatch(line)
        if numbered:
            return min(numbered[1].count(".") + 1, _UNMARKED - 1)
        return _UNMARKED - 1 if line.casefold() in self.known_titles else 0

    def _flush(self) -> Iterator[Passage]:
        lines, self.lines = self.lines, []
        rows, self.rows = self.rows, []
        if self.is_code and lines:
            self.block += 1
            for number, line in enumerate(lines):
                yield self._passage(plain(line), "sentence", number)
            return
        # Pages of a PDF have no blank lines, so titles stand between their lines.
        for section in _at_titles(lines) if self.label.lower().startswith("page") else [lines]:
            if section and _is_title(section):
                yield from self._titled(section.pop(0))
            if section or rows:
                self.block += 1
            for number, paragraph in enumerate(_paragraphs(section)):
                item = _ITEM.match(paragraph)
                for at, sentence in enumerate(_sentences(paragraph)):
                    yield self._passage(sentence, "sentence", number, _bullet(item[0]) if item and not at else "")
        if rows:
            yield from self._table(rows)

    def _table(self, rows: list[tuple[str, ...]]) -> Iterator[Passage]:
        columns = rows[0] if len(rows) > 1 else ()
        for line, cells in enumerate(rows[1:] if columns else rows):
            text = ", ".join(f"{column}: {cell}" if column else cell for column, cell in paired(columns, cells) if cell)
            if text:
                yield Passage(text, "row", self.label, *self._above(), self.block, line, cells, columns)

    def _passage(self, text: str, kind: Kind, line: int = 0, bullet: str = "") -> Passage:
        return Passage(text, kind, self.label, *self._above(), self.block, line, bullet=bullet)

    def _above(self) -> tuple[str, str]:
        titles = [title for _, title in self.titles]
        return (titles[-1] if titles else ""), " ".join(titles)


def _bounded(line: str) -> list[str]:
    # Patterns take quadratic time on some lines, so a line without an end is cut.
    return [line[at : at + _LINE_CHARACTERS] for at in range(0, len(line), _LINE_CHARACTERS)] or [""]


def split(content: str, file_kind: str = "", titles: frozenset[str] = frozenset()) -> list[Passage]:
    """The passages of a content, in order.

    Args:
        content: What `read_drive_file` gave.
        file_kind: The file's kind or name; in a table every line is a row.
        titles: Titles that the outline of the file names.
    """
    found: list[Passage] = []
    known = frozenset(title.casefold() for title in titles)
    for passage in _Cutter(bool(_TABLE_KINDS.search(file_kind)), known).cut(content):
        found.append(passage)
        if len(found) >= MAX_PASSAGES:
            break
    return found


def window(passages: list[Passage], place: int, characters: int = 320) -> range:
    """The places of a passage and its neighbours in the same block, up to about so many characters."""
    first = last = place
    length = len(passages[place].text)
    item = _item_of(passages, place)
    for forward in (True, True, False, True):
        at = last + 1 if forward else first - 1
        if not 0 <= at < len(passages) or passages[at].block != passages[place].block:
            continue
        # An item of a list stands for itself, and what introduces a list comes with its beginning.
        if _item_of(passages, at) != item and not (forward and passages[at - 1].text.endswith(":")):
            continue
        length += len(passages[at].text)
        if length > characters:
            break
        first, last = min(first, at), max(last, at)
    return range(first, last + 1)


def _item_of(passages: list[Passage], place: int) -> tuple[int, int] | None:
    """The item of a list that a passage is part of; None where it is part of none."""
    first, line = place, (passages[place].block, passages[place].line)
    while first and (passages[first - 1].block, passages[first - 1].line) == line:
        first -= 1
    return line if passages[first].bullet else None


def lines(passages: list[Passage], places: Iterable[int]) -> list[str]:
    """The passages as they stand: sentences of one paragraph on one line, list items and short lines on their own."""
    found: dict[tuple[int, int], list[str]] = {}
    for place in places:
        passage = passages[place]
        texts = found.setdefault((passage.block, passage.line), [passage.bullet] if passage.bullet else [])
        texts.append(passage.text)
    return [" ".join(texts) for texts in found.values()]


def _is_title(lines: list[str]) -> bool:
    """Whether the first line of a block reads as a heading without a sign."""
    first = lines[0]
    numbered = re.match(r"\d{1,2}\.\s+(?=[^\W\d_])", first)
    if numbered and len(lines) > 1 and not _ITEM.match(lines[1]):
        first = first[numbered.end() :]
    if len(first) > 60 or len(first.split()) > 8 or first[-1] in ".!?;,:" or ": " in first or _ITEM.match(first):
        return False
    if not first[0].isalnum() or set("=<>{}|") & set(first) or not any(character.isalpha() for character in first):
        return False
    return len(lines) == 1 or lines[1][-1] in ".!?" or len(lines[1]) >= 60


def _at_titles(lines: list[str]) -> list[list[str]]:
    """The lines of a page, parted before those that read as a title after the end of a sentence."""
    parts: list[list[str]] = [[]]
    for at, line in enumerate(lines):
        follows = at == 1 or (at and _ENDS.search(lines[at - 1]))
        if follows and at + 1 < len(lines) and _is_title(lines[at : at + 2]):
            parts.append([])
        parts[-1].append(line)
    return parts


def _paragraphs(lines: list[str]) -> list[str]:
    """The lines, with those that were only wrapped joined again."""
    joined: list[str] = []
    full = max(map(len, lines), default=0)
    previous = ""
    for line in lines:
        ended = _ENDS.search(previous) and (len(previous) < 0.85 * full or _LABELLED.match(line))
        ended = ended or (_LABELLED.match(previous) and line[0].isupper())
        if len(previous) >= _WRAPPED_LINE and not ended and not _ITEM.match(line):
            # The file's reader keeps a word that is broken at a hyphen whole; a hyphen at the end is one of its own.
            joined[-1] += line if re.search(r"\w-$", previous) and line[:1].islower() else f" {line}"
        else:
            joined.append(line)
        previous = line
    return joined


def _bullet(item: str) -> str:
    return item.strip() if item.strip()[0].isdigit() else "-"


def _sentences(paragraph: str) -> Iterator[str]:
    item = _ITEM.match(paragraph)
    text = plain(paragraph[item.end() :] if item else paragraph)
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
