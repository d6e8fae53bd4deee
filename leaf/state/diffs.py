"""Unified diffs as lines that say what they are. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

LineKind = Literal["added", "removed", "same", "place"]
_PLACE = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
SIGNS: dict[str, LineKind] = {"+": "added", "-": "removed", " ": "same"}


@dataclass(frozen=True)
class DiffLine:
    """A line of a diff as it is shown."""

    kind: LineKind
    text: str
    """Without its sign; of a `place` where the following lines stand."""
    old: str = ""
    """Its number before; empty of an added line."""
    new: str = ""
    """Its number afterwards; empty of a removed line."""


def lines_of(diff: str) -> list[DiffLine]:
    """The lines of a unified diff, without its head."""
    return [*_lines(diff.split("\n"))] if diff else []


def _lines(lines: list[str]) -> Iterator[DiffLine]:
    old = new = 0
    for line in lines:
        if (place := _PLACE.match(line)) is not None:
            # A file that was empty has no first line.
            was, now = max(1, int(place[1])), max(1, int(place[2]))
            hidden = now - max(1, new)
            yield DiffLine("place", f"Line {now}" + (f" · {_unchanged(hidden)} above" if hidden > 0 else ""))
            old, new = was, now
        elif new and (kind := SIGNS.get(line[:1])) is not None:
            yield DiffLine(kind, line[1:], "" if kind == "added" else str(old), "" if kind == "removed" else str(new))
            old, new = old + (kind != "added"), new + (kind != "removed")
        elif new:
            # What the end of a long diff says of itself.
            yield DiffLine("place", line)


def _unchanged(count: int) -> str:
    return "1 unchanged line" if count == 1 else f"{count} unchanged lines"
