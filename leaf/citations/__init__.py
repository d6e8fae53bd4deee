"""Checked quotes: the notation of quotes in an answer, and the search for them in the texts that were read. Pure.

A model marks a claim as a Markdown footnote: `[^1]` after the claim, and at the end of the answer
`[^1]: "the quoted words" — [file](url), page 3`. The program searches for each quote in the texts that were read. It
shows a quote that it does not find as unverified.
"""

from leaf.citations import comparisons, conflicts, figures, redaction, subquestions
from leaf.citations.coverage import COVERAGE, coverage_of, has_only_failed
from leaf.citations.figures import FIGURES
from leaf.citations.markers import References, references, shown
from leaf.citations.nearest import Near, nearest
from leaf.citations.origins import invented, spelled
from leaf.citations.quote_search import Match, OutOfTime, Passage, Text, long_enough
from leaf.citations.reads import Call, Library, Material
from leaf.citations.verification import (
    CITATIONS,
    CUT_OFF,
    FOUND,
    Citation,
    Doubts,
    Source,
    check,
    every,
    is_cut,
    is_found,
    sign,
    stored,
    unchecked,
)

LINKS = "data-links"
