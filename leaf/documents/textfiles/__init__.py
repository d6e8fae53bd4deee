"""Pure operations on text files: paths, exact edits, diffs, globs and searches."""

from leaf.documents.textfiles.edits import Ambiguous, NotThere, difference, replaced
from leaf.documents.textfiles.paths import MAX_CHARACTERS, checked, free, safe
from leaf.documents.textfiles.patterns import OVERLAP_CHARACTERS, Hit, Search, globbed
from leaf.documents.textfiles.ranges import MAX_LINES, Lines, lines_of
