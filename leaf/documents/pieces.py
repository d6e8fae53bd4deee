"""Pieces of a document: how they are named, and how a name is resolved."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from leaf.documents.model import Document, Segment
from leaf.texts.places import READ_BY_OCR, bare

SHEET = "sheet "
"""The prefix of a part name that names a sheet of a workbook."""
COUNTED = re.compile(r"(lines|rows|pages|page|slides|slide) (\d+)(?:-(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment or a section of it, as the model sees it."""

    part: str
    title: str | None
    text: str
    """The text as shown. It starts with a marker line if the document has several pieces."""
    at: int
    """Offset of the piece in the whole text, from 0."""
    segment: Segment

    @property
    def body(self) -> str:
        """The text without its marker line."""
        return self.segment.text if self.part == self.segment.part else self.text


def pieces_of(document: Document) -> list[Piece]:
    """The segments of a document as they are shown, each with its offset in the whole text.

    A marker line is added if there are several segments. Recognised text always has one, to say that it is recognised.
    A sheet always has one too, because its cells need not repeat its name.
    """
    several = len(document.segments) > 1 or any(one.lines or one.part.startswith(SHEET) for one in document.segments)
    pieces: list[Piece] = []
    at = 0
    for segment in document.segments:
        text = segment.text
        if several:
            text = f"[{segment.place}]\n{text}" + ("" if text.endswith("\n") else "\n")
        pieces.append(Piece(segment.part, segment.title, text, at, segment))
        at += len(text)
    return pieces


def stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last number of each run of consecutive numbers among ascending ones."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers as text, such as `1, 3-5, 9`."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in stretches(numbers))


def span_of(parts: list[str]) -> str:
    """One name for several neighbouring parts, such as `pages 1-3`."""
    if any(part.endswith(READ_BY_OCR) for part in parts):
        span = span_of([bare(part) for part in parts])
        return f"{span}{READ_BY_OCR}" if all(part.endswith(READ_BY_OCR) for part in parts) else span
    if len(parts) < 2:
        return parts[0] if parts else "all"
    counted = [found for part in parts if (found := COUNTED.match(part))]
    if len(counted) == len(parts):
        spans: list[list[int]] = []
        for first, last in ((int(found.group(2)), int(found.group(3) or found.group(2))) for found in counted):
            if spans and spans[-1][1] + 1 == first:
                spans[-1][1] = last
            else:
                spans.append([first, last])
        shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
        return f"{counted[0].group(1).rstrip('s')}s {shown}"
    return "; ".join(parts) if len(parts) <= 5 else f"{parts[0]} … {parts[-1]}"


def listed(pieces: list[Piece], asked: str) -> list[Piece]:
    """The pieces behind a name that `span_of` made; empty for any other name."""
    places = {piece.part.casefold(): place for place, piece in reversed([*enumerate(pieces)])}
    first, dots, last = asked.casefold().partition(" … ")
    if dots and first in places and last in places:
        return pieces[places[first] : places[last] + 1]
    names = asked.casefold().split(";")
    found: list[Piece] = []
    while names:
        # A part name may contain a semicolon, so the longest name that exists is taken.
        ends = range(len(names), 0, -1)
        end = next((end for end in ends if ";".join(names[:end]).strip() in places), None)
        if end is None:
            return []
        found.append(pieces[places[";".join(names[:end]).strip()]])
        names = names[end:]
    return found


def with_subsections(pieces: list[Piece], found: list[Piece]) -> list[Piece]:
    """The found pieces, each with the deeper sections that follow it."""
    chosen: list[Piece] = []
    level = 0
    for piece in pieces:
        if piece in found:
            level = _level(piece)
            chosen.append(piece)
        elif level and _level(piece) > level:
            chosen.append(piece)
        else:
            level = 0
    return chosen


def _level(piece: Piece) -> int:
    if not piece.part.startswith("section "):
        return 0
    heading = piece.segment.text.lstrip()
    return len(heading) - len(heading.lstrip("#"))
