"""The page *Files*, in words."""

import pytest

from leaf.services.library.lookup import Findings
from leaf.services.library.progress import Progress
from leaf.services.library.search import Found, Passage
from leaf.views import library

TERMS = "# Rental terms\nThe deposit is 80 EUR, see #4.\n\n## Returns\nUntil closing time."


@pytest.mark.parametrize(("place", "shown"), [("all", ""), ("section Rental terms", "section Rental terms")])
def test_a_found_passage_reads_like_its_file(place: str, shown: str) -> None:
    """Without the marks of headings; the whole of a file is no place. # 000-63"""
    passage = Passage(place, "", TERMS, 1.0)
    file = Found("1", "r", "Terms.docx", "document", "https://drive.example/1", None, None, "", [passage], 1.0)
    [found] = library.found_of(Findings([file], [], Progress(1, 1, 0, True), False, False, False))
    assert found.passages == [
        library.PassageView(shown, "Rental terms\nThe deposit is 80 EUR, see #4.\n\nReturns\nUntil closing time.")
    ]
