"""Unified diffs as lines for display. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from leaf.texts import say

LineKind = Literal["added", "removed", "same", "place"]
_PLACE = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
SIGNS: dict[str, LineKind] = {"+": "added", "-": "removed", " ": "same"}


@dataclass(frozen=True)
class DiffLine:
    kind: LineKind
    text: str
    """The line without its sign; for a `place`, the position of the following lines in words."""
    old: str = ""
    """The line's number before the change; empty for an added line."""
    new: str = ""
    """The line's number after the change; empty for a removed line."""


def lines_of(diff: str) -> list[DiffLine]:
    """The lines of a unified diff, without its header."""
    return [*_lines(diff.split("\n"))] if diff else []


def _lines(lines: list[str]) -> Iterator[DiffLine]:
    old = new = 0
    for line in lines:
        if (place := _PLACE.match(line)) is not None:
            # An empty file's range begins at line 0.
            was, now = max(1, int(place[1])), max(1, int(place[2]))
            hidden = now - max(1, new)
            yield DiffLine("place", _place(now, hidden))
            old, new = was, now
        elif new and (kind := SIGNS.get(line[:1])) is not None:
            yield DiffLine(kind, line[1:], "" if kind == "added" else str(old), "" if kind == "removed" else str(new))
            old, new = old + (kind != "added"), new + (kind != "removed")
        elif new:
            # A long diff ends with a note.
            yield DiffLine("place", line)


def _place(line: int, hidden: int) -> str:
    """The position of the following lines in words. `hidden` unchanged lines before them are not shown."""
    return say("file.line_above", line=line, count=hidden) if hidden > 0 else say("file.line", number=line)
