"""Unified diffs as lines that say what they are. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from leaf.texts import say

LineKind = Literal["added", "removed", "same", "place"]
SIGNS: dict[str, LineKind] = {"+": "added", "-": "removed", " ": "same"}


@dataclass(frozen=True)
class DiffLine:
    """A line of a diff as it is shown."""

    kind: LineKind
    text: str
    """Without its sign; of a `place` where the following lines stand."""


def lines_of(diff: str) -> list[DiffLine]:
    """The lines of a unified diff, without its head."""
    return [*_lines(diff.split("\n"))] if diff else []


def _lines(lines: list[str]) -> Iterator[DiffLine]:
    begun = False
    for line in lines:
        if line.startswith("@@"):
            begun = True
            yield DiffLine("place", say("file.line", number=_start(line)))
        elif begun and line[:1] in SIGNS:
            yield DiffLine(SIGNS[line[:1]], line[1:])
        elif begun:
            # What the end of a long diff says of itself.
            yield DiffLine("place", line)


def _start(line: str) -> str:
    """The number of the first line that `@@ -3,7 +3,8 @@` is about, as it is now."""
    new = line.partition("+")[2].partition(" ")[0].partition(",")[0]
    return new if new != "0" else "1"
