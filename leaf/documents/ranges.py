"""Selects a part of a document and describes the rest.

Nothing is cut silently: a selection states its own length and that of the document, and names the part that follows.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from leaf.documents.headings import by_heading, by_name, outline
from leaf.documents.model import Document
from leaf.documents.pieces import COUNTED, Piece, listed, pieces_of, span_of, with_subsections
from leaf.documents.text import lines_of, rows_of
from leaf.texts.places import attachment_of, bare

LIMIT_CHARACTERS = 24_000
"""Maximum number of characters in one selection."""
_EVERYTHING = {"", "all", "everything", "whole", "whole file"}
_PASSAGES = re.compile(r"\Apassages(?: (?:on|in) |\Z)")
"""The prefix in the name of a search result within a file. The names of the parts follow it."""
_SPANS = re.compile(r"(\d{1,12})(?:\s*(?:-|–|—|to|\.\.)\s*(\d{1,12}))?\Z")
_NUMBERED = re.compile(r"(pages?|slides?|lines?|rows?|char(?:acter)?s?)\s+(.+)\Z", re.IGNORECASE)
_SHEET = re.compile(r"(?:sheet|tab)\s+(.+?)\s*[,:]?\s+rows?\s+([\d\s,–—.to-]+)\Z", re.IGNORECASE)
_NAMED = re.compile(r"(section|heading|sheet|tab)\s+(.+)\Z", re.IGNORECASE | re.DOTALL)


class NoSuchPart(Exception):
    """The document has no such part; the message lists the parts it has."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a document in the form in which a model sees it."""

    part: str
    """The name of the selection: `all`, or a part that selects the same text again."""
    content: str
    total_characters: int
    """Length of the whole document as it would be shown."""
    complete: bool
    """Whether the content is the whole document."""
    outline: list[dict[str, Any]] | None
    """`part`, `title` and `chars` of each part of the document; None if the document fits into one selection."""
    note: str | None
    matches: int | None = None
    """The number of matching passages, if words were looked for."""


def render(document: Document) -> str:
    """The whole text. If there are several segments, each has a marker line such as `[page 3]` before it."""
    return "".join(piece.text for piece in pieces_of(document))


def select(document: Document, part: str | None = None, *, limit: int = LIMIT_CHARACTERS) -> Selection:
    """A part of a document, or its beginning.

    Args:
        document: The document.
        part: `page 3`, `pages 3-5`, `section <heading>`, `sheet <name>`, `sheet <name> rows 10-200`, `rows 10-200`,
            `slide 4`, `lines 1-200`, `attachment report.pdf`, `characters 1-20000`; None or `all` for everything from
            the beginning.
        limit: Maximum number of characters of the content.

    Raises:
        NoSuchPart: The document has no part of that name.
    """
    pieces = pieces_of(document)
    total = sum(len(piece.text) for piece in pieces)
    chosen, extra = asked_for(pieces, part)
    content, given, following = _fitted(chosen, total, limit)
    complete = len(content) == total and chosen is pieces and not document.truncated
    shown_outline, notes = None, [following]
    if chosen is pieces and len(content) < total:
        shown_outline = outline(pieces)
        notes.insert(0, f"This file is long: {len(content):,} of its {total:,} characters are given here.")
    if total == 0:
        notes.append("This file is empty.")
    shown = "all" if chosen is pieces and len(content) == total else given
    note = " ".join(one for one in [*notes, extra, *document.notes] if one)
    return Selection(shown, content, total, complete, shown_outline, note or None)


def asked_for(pieces: list[Piece], part: str | None) -> tuple[list[Piece], str | None]:
    """The pieces that a part name stands for (`pieces` itself if it means everything), and a note.

    Raises:
        NoSuchPart: The document has no part of that name.
    """
    asked = bare(re.sub(r"\s+", " ", (part or "").strip().strip("[]\"'“”")).strip())
    asked = _PASSAGES.sub("", asked)
    return (pieces, None) if asked.casefold() in _EVERYTHING else _chosen(pieces, asked)


def _fitted(pieces: list[Piece], total: int, limit: int) -> tuple[str, str, str | None]:
    """The text of as many pieces as fit, a part name for it, and a note on where to continue.

    A piece is cut only if the text would be empty or less than half full without it.
    """
    ends = list(accumulate(len(piece.text) for piece in pieces))
    count = sum(end <= limit for end in ends)
    content = "".join(piece.text for piece in pieces[:count])
    if count == len(pieces):
        end = pieces[0].at + len(content) if pieces else 0
        following = None
        if pieces and pieces[0].part.startswith("characters ") and end < total:
            rest = f"characters {end + 1}-{min(end + limit, total)}"
            following = f"The file goes on after this. Go on with part “{rest}”."
        return content, span_of([piece.part for piece in pieces]), following
    long = pieces[count]
    adjoins = count == 0 or pieces[0].at + len(content) == long.at
    if count and not (adjoins and len(content) < limit // 2):
        return content, span_of([piece.part for piece in pieces[:count]]), f"Go on with part “{long.part}”."
    room = limit - len(content)
    cut = long.text.rfind("\n", room // 2, room) + 1 or room
    begin, end = long.at + cut + 1, long.at + min(cut + limit, len(long.text))
    following = (
        f"The part “{long.part}” has {len(long.text):,} characters and is cut here. "
        f"Go on with part “characters {begin}-{end}”."
    )
    return content + long.text[:cut], f"characters {pieces[0].at + 1}-{begin - 1}", following


def _chosen(pieces: list[Piece], asked: str) -> tuple[list[Piece], str | None]:
    """The pieces that a name stands for, and a note about them for the model."""
    if exact := [piece for piece in pieces if piece.part.casefold() == asked.casefold()]:
        return with_subsections(pieces, exact), None
    if several := listed(pieces, asked) or _of_attachment(pieces, asked.casefold()):
        return several, None
    if sheet := _SHEET.match(asked):
        return _rows(_one_sheet(pieces, sheet.group(1)), sheet.group(2))
    if numbered := _NUMBERED.match(asked):
        unit = numbered.group(1).lower().rstrip("s")
        if re.match(r"\d", numbered.group(2)):
            return _numbered(pieces, unit, numbered.group(2))
    named = _NAMED.match(asked)
    name, kind = (named.group(2), named.group(1).lower()) if named else (asked, None)
    if kind in (None, "section", "heading"):
        headed, where = by_heading(pieces, name)
        if headed:
            return headed, where
    found = by_name(pieces, name, kind)
    if not found:
        raise NoSuchPart(f"There is no part “{asked}”. {_valid(pieces)}")
    return with_subsections(pieces, found), None


def _of_attachment(pieces: list[Piece], asked: str) -> list[Piece]:
    name = attachment_of(asked)[0] or asked
    return [piece for piece in pieces if name and attachment_of(piece.part)[0].casefold() == name]


def _numbered(pieces: list[Piece], unit: str, spans: str) -> tuple[list[Piece], str | None]:
    if unit in ("page", "slide"):
        numbers = {f"{unit} {number}" for number in _expand(spans, len(pieces), pieces)}
        found = [piece for piece in pieces if piece.part in numbers]
        if not found:
            raise NoSuchPart(f"There is no {unit} {spans}. {_valid(pieces)}")
        return found, None
    if unit.startswith("char"):
        text = "".join(piece.text for piece in pieces)
        first, last = _bounds(spans, len(text), pieces)
        return [Piece(f"characters {first}-{last}", None, text[first - 1 : last], first - 1, pieces[0].segment)], None
    if unit == "row":
        return _rows(_one_sheet(pieces, None), spans) if _are(pieces, "sheet") else _run(pieces, spans, rows_of, "rows")
    if _are(pieces, "page") or _are(pieces, "slide") or _are(pieces, "sheet"):
        raise NoSuchPart(f"Lines cannot be asked for in this file. {_valid(pieces)}")
    return _run(pieces, spans, lines_of, "lines")


def _run(
    pieces: list[Piece], spans: str, split: Callable[[str], list[str]], unit: str
) -> tuple[list[Piece], str | None]:
    """Lines or rows of a text, counted through all its segments."""
    text = "".join(piece.segment.text for piece in pieces)
    if unit == "rows" and not (pieces[0].part.startswith("rows") or len(pieces) == 1):
        raise NoSuchPart(f"Rows cannot be asked for in this file. {_valid(pieces)}")
    lines = split(text)
    first, last = _bounds(spans, len(lines), pieces)
    # The offset in the whole text, marker lines included. It is needed to continue if this selection is cut.
    before, passed, place = len("".join(lines[: first - 1])), 0, 0
    for piece in pieces:
        if before < passed + len(piece.segment.text) or piece is pieces[-1]:
            place = piece.at + piece.text.index(piece.segment.text) + before - passed
            break
        passed += len(piece.segment.text)
    chosen = "".join(lines[first - 1 : last])
    return [Piece(f"{unit} {first}-{last}", None, chosen, place, pieces[0].segment)], _header(lines, first, unit)


def _rows(sheet: Piece, spans: str) -> tuple[list[Piece], str | None]:
    rows = rows_of(sheet.segment.text)
    first, last = _bounds(spans, len(rows), [sheet])
    at = sheet.at + max(sheet.text.find(sheet.segment.text), 0) + len("".join(rows[: first - 1]))
    part = f"{sheet.part} rows {first}-{last}"
    return [Piece(part, sheet.title, "".join(rows[first - 1 : last]), at, sheet.segment)], _header(rows, first, "rows")


def _header(rows: list[str], first: int, unit: str) -> str | None:
    return f"Row 1 is: {rows[0].strip()[:500]}" if unit == "rows" and first > 1 else None


def _one_sheet(pieces: list[Piece], name: str | None) -> Piece:
    if name is None:
        if len(pieces) == 1:
            return pieces[0]
        raise NoSuchPart(f"Say of which sheet, such as “{pieces[0].part} rows 1-100”. {_valid(pieces)}")
    found = by_name(pieces, name, "sheet")
    if not found:
        raise NoSuchPart(f"There is no sheet “{name}”. {_valid(pieces)}")
    return found[0]


def _expand(spans: str, last_number: int, pieces: list[Piece]) -> Iterable[int]:
    numbers: set[int] = set()
    for span in re.split(r"\s*(?:,|and)\s*", spans):
        if span:
            first, last = _parsed_span(span, pieces)
            numbers |= set(range(first, min(last, last_number) + 1))
    return numbers


def _bounds(spans: str, count: int, pieces: list[Piece]) -> tuple[int, int]:
    first, last = _parsed_span(spans, pieces)
    if first > count:
        raise NoSuchPart(f"“{spans}” lies beyond the end: there are {count}. {_valid(pieces)}")
    return first, min(last, count)


def _parsed_span(span: str, pieces: list[Piece]) -> tuple[int, int]:
    found = _SPANS.match(span.strip())
    if not found:
        raise NoSuchPart(f"“{span}” is no range such as 3 or 3-5. {_valid(pieces)}")
    first = int(found.group(1))
    last = int(found.group(2) or first)
    if not 1 <= first <= last:
        raise NoSuchPart(f"“{span}” is no range: it counts from 1 and goes up. {_valid(pieces)}")
    return first, last


def _are(pieces: list[Piece], kind: str) -> bool:
    return bool(pieces) and pieces[0].part.startswith(f"{kind} ")


def _valid(pieces: list[Piece]) -> str:
    shown = [piece.part for piece in pieces[:40]]
    if counted := COUNTED.match(span_of([piece.part for piece in pieces])):
        return f"This file has {counted.group()}."
    more = f", and {len(pieces) - 40} more" if len(pieces) > 40 else ""
    return f"Its parts are: {', '.join(f'“{part}”' for part in shown)}{more}."
