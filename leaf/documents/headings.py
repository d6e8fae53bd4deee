"""Searches titles by name, finds the pages of a bookmarked section, and makes the outline of a document."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from leaf.documents.model import Heading
from leaf.documents.pieces import Piece, span_of

MAX_OUTLINE = 80
"""Maximum number of entries in an outline."""
_COMPARED = 200
"""The number of characters of a title that are compared. The time grows with the product of the lengths."""
_TITLE_CHARACTERS = 120
_NUMBER = re.compile(r"(?:\d{1,3}|[a-z](?=\.\d))(?:\.\d{1,3})*\.?\s+(?=\S)")
_TOP_LINES = 2
"""A title with at most this many lines above it counts as the start of its page."""
_TOP_CHARACTERS = 2000
"""The maximum number of characters above a title that starts its page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A bookmarked section, with the indexes of its first and last piece."""

    title: str
    level: int
    first: int
    last: int


def matching(name: str, titles: Sequence[str]) -> list[int]:
    """The indexes of the titles that match a name. Equal titles come first, else a prefix, else a part, else a similar
    title.

    A name may omit the section number of a title, or consist only of it.
    """
    wanted = _folded(name)
    bare, folded = _without_number(wanted), [_folded(title) for title in titles]
    tests: tuple[Callable[[str], bool], ...] = (
        lambda title: title == wanted,
        lambda title: re.match(rf"{re.escape(wanted)}(?!\.?\w)", title) is not None,
        lambda title: _without_number(title) == bare,
        lambda title: title.startswith(wanted), lambda title: _without_number(title).startswith(bare),
        lambda title: wanted in title, lambda title: bare in title,
    )  # fmt: skip
    for test in tests if wanted and bare else ():
        if found := [place for place, title in enumerate(folded) if test(title)]:
            return found
    plain = [_without_number(title)[:_COMPARED] for title in folded]
    close = difflib.get_close_matches(bare[:_COMPARED], plain, n=1, cutoff=0.7)
    return [place for place, title in enumerate(plain) if title in close]


def _folded(title: str) -> str:
    return " ".join(title.casefold().replace("’", "'").split()).strip(" \"'“”#:.")


def _without_number(title: str) -> str:
    return _NUMBER.sub("", title, count=1) if _NUMBER.match(title) else title


def by_name(pieces: Sequence[Piece], name: str, prefix: str | None) -> list[Piece]:
    """The pieces whose title matches a name. `prefix` limits them to one kind, such as `sheet`."""
    kind = {"tab": "sheet", "heading": "section"}.get(prefix or "", prefix)
    candidates = [piece for piece in pieces if kind is None or piece.part.startswith(f"{kind} ")]
    titles = [piece.title or piece.part.partition(" ")[2] or piece.part for piece in candidates]
    return [candidates[place] for place in matching(name, titles)]


def sections(pieces: Sequence[Piece]) -> list[Section]:
    """The bookmarked sections. Each ends before the next section of the same or a higher level."""
    flat = [(place, heading) for place, piece in enumerate(pieces) for heading in piece.segment.headings]
    ends = [len(pieces) - 1] * len(flat)
    unended: list[int] = []
    for number, (place, heading) in enumerate(flat):
        end = place - 1 if _begins(pieces[place], heading) else place
        while unended and heading.level <= flat[unended[-1]][1].level:
            earlier = unended.pop()
            ends[earlier] = max(flat[earlier][0], end)
        unended.append(number)
    return [Section(one.title, one.level, first, end) for (first, one), end in zip(flat, ends, strict=True)]


def _begins(piece: Piece, heading: Heading) -> bool:
    """Whether a heading is at the top of its page."""
    if heading.at is None or heading.at > _TOP_CHARACTERS:
        return False
    return len(piece.segment.text[: heading.at].strip().splitlines()) <= _TOP_LINES


def by_heading(pieces: Sequence[Piece], name: str) -> tuple[list[Piece], str | None]:
    """Returns the pages of the bookmarked sections with a name, and a sentence about these sections; empty and None if
    there are none.
    """
    known = sections(pieces)
    found = [known[place] for place in matching(name, [section.title for section in known])]
    places = sorted({place for section in found for place in range(section.first, section.last + 1)})
    shown = "; ".join(
        f"“{section.title}” stands on {span_of([piece.part for piece in pieces[section.first : section.last + 1]])}"
        for section in found[:5]
    )
    return [pieces[place] for place in places], f"{shown}." if shown else None


def outline(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    """The outline of a document: the bookmarked sections, or else the segments, merged into at most `MAX_OUTLINE`
    groups.
    """
    return _bookmarked(pieces) or [
        _entry(group, group[0].title) for group in _groups(pieces, max(1, -(-len(pieces) // MAX_OUTLINE)))
    ]


def _bookmarked(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    """The sections down to the deepest level that has few enough entries. Sections with the same pages share an
    entry.
    """
    known = sections(pieces)
    best: list[list[Section]] = []
    for depth in sorted({section.level for section in known}):
        kept = [section for section in known if section.level <= depth]
        rows = [list(group) for _, group in groupby(kept, key=lambda section: (section.first, section.last))]
        if best and len(rows) >= MAX_OUTLINE:
            break
        best = rows
    if len(best) >= MAX_OUTLINE or not best:
        return []
    entries = [
        _entry(pieces[group[0].first : group[0].last + 1], _short("; ".join(one.title for one in group)))
        for group in best
    ]
    before = pieces[: best[0][0].first]
    return ([_entry(before, before[0].title)] if before else []) + entries


def _short(title: str) -> str:
    return title if len(title) <= _TITLE_CHARACTERS else f"{title[: _TITLE_CHARACTERS - 1]}…"


def _groups(pieces: Sequence[Piece], size: int) -> list[Sequence[Piece]]:
    return [pieces[start : start + size] for start in range(0, len(pieces), size)]


def _entry(group: Sequence[Piece], title: str | None) -> dict[str, Any]:
    part = span_of([piece.part for piece in group])
    return {"part": part, "title": title, "chars": sum(len(piece.text) for piece in group)}
