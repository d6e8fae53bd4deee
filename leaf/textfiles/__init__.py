"""What can be done with text files without keeping them anywhere: paths, exact edits, diffs, globs, searches. Pure."""

from leaf.textfiles.editing import Ambiguous, NotThere, difference, replaced
from leaf.textfiles.names import free, safe
from leaf.textfiles.paths import MAX_CHARACTERS, checked
from leaf.textfiles.patterns import Hit, globbed, grepped
from leaf.textfiles.ranges import Lines, lines_of

__all__ = [
    "MAX_CHARACTERS",
    "Ambiguous",
    "Hit",
    "Lines",
    "NotThere",
    "checked",
    "difference",
    "free",
    "globbed",
    "grepped",
    "lines_of",
    "replaced",
    "safe",
]
