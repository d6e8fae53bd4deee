"""What can be done with text files without keeping them anywhere: paths, exact edits, diffs, globs, searches. Pure."""

from leaf.textfiles.editing import Ambiguous, NotThere, difference, replaced
from leaf.textfiles.names import free, safe
from leaf.textfiles.paths import MAX_CHARACTERS, checked
from leaf.textfiles.patterns import OVERLAP_CHARACTERS, Hit, Search, globbed, grepped
from leaf.textfiles.ranges import MAX_LINES, Lines, lines_of

__all__ = [
    "MAX_CHARACTERS",
    "MAX_LINES",
    "OVERLAP_CHARACTERS",
    "Ambiguous",
    "Hit",
    "Lines",
    "NotThere",
    "Search",
    "checked",
    "difference",
    "free",
    "globbed",
    "grepped",
    "lines_of",
    "replaced",
    "safe",
]
