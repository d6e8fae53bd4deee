"""The pieces of a document, how they are named, and how they are found by name."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from leaf.documents.model import Document, Segment

COUNTED = re.compile(r"(lines|rows|pages|page|slides|slide) (\d+)(?:-(\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment, or part of one, as it is shown."""

    part: str
    title: str | None
    text: str
    """As it is shown, with its marker line where there are several."""
    at: int
    """Where it begins in the whole, from 0."""
    segment: Segment


def pieces_of(document: Document) -> list[Piece]:
    """The segments as they are shown, each with its place in the whole."""
    several = len(document.segments) > 1
    pieces: list[Piece] = []
    at = 0
    for segment in document.segments:
        text = segment.text
        if several:
            text = f"[{segment.part}]\n{text}" + ("" if text.endswith("\n") else "\n")
        pieces.append(Piece(segment.part, segment.title, text, at, segment))
        at += len(text)
    return pieces


def span_of(parts: list[str]) -> str:
    """One name for neighbouring parts: `pages 1-3`."""
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
    """The pieces of a name that `span_of` gave to several; none where it is something else."""
    places = {piece.part.casefold(): place for place, piece in reversed([*enumerate(pieces)])}
    first, dots, last = asked.casefold().partition(" … ")
    if dots and first in places and last in places:
        return pieces[places[first] : places[last] + 1]
    parts = [part.strip() for part in asked.casefold().split(";")]
    return [pieces[places[part]] for part in parts] if all(part in places for part in parts) else []


def by_name(pieces: list[Piece], name: str, prefix: str | None) -> list[Piece]:
    """Pieces by title: the same, else beginning with it, else containing it, else similar."""
    wanted = name.casefold().strip(" \"'“”#:.")
    kind = {"tab": "sheet", "heading": "section"}.get(prefix or "", prefix)
    able = [(piece, _bare(piece)) for piece in pieces if kind is None or piece.part.startswith(f"{kind} ")]
    tests: tuple[Callable[[str], bool], ...] = (
        lambda title: title == wanted, lambda title: title.startswith(wanted), lambda title: wanted in title,
    )  # fmt: skip
    for test in tests:
        if wanted and (found := [piece for piece, title in able if test(title)]):
            return found
    close = difflib.get_close_matches(wanted, [title for _, title in able], n=1, cutoff=0.7)
    return [piece for piece, title in able if title in close]


def _bare(piece: Piece) -> str:
    return (piece.title or piece.part.partition(" ")[2] or piece.part).casefold()


def with_subsections(pieces: list[Piece], found: list[Piece]) -> list[Piece]:
    """A section with the deeper ones that follow it."""
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
