"""Headings of hostile lengths and numbers."""

import random
import time

from leaf.documents.headings import matching, sections
from leaf.documents.model import Heading, Segment
from leaf.documents.pieces import Piece


def test_a_long_name_is_compared_with_a_long_title_in_little_time() -> None:
    """Similarity is judged by the beginnings, and not in the product of the lengths. # 001-08"""
    letters = [chr(0x4E00 + place % 150) for place in range(10_000)]
    mixed = letters[:]
    random.Random(1).shuffle(mixed)
    begun = time.process_time()
    matching("".join(letters), ["".join(mixed)])
    assert time.process_time() - begun < 0.5
    assert matching("Anual report", ["Annual report", "Budget"]) == [0]


def test_many_bookmarks_inside_one_another_are_told_apart_in_little_time() -> None:
    """Each is looked at once, and not once for each that it lies in. # 001-08"""
    text = "word\n" * 20_000
    headings = [Heading(f"{number}", number, len(text) - number) for number in range(20_000)]
    begun = time.process_time()
    found = sections([Piece("page 1", None, text, 0, Segment("page 1", None, text, tuple(headings)))])
    assert time.process_time() - begun < 2
    assert [(one.first, one.last) for one in found] == [(0, 0)] * len(headings)


def test_a_section_ends_before_the_next_one_of_its_level_or_above() -> None:
    """On the page before one that begins its page, else on the same page. # 001-08"""
    pages = [[("A", 0, 0), ("A.1", 1, 30)], [("A.2", 1, 0)], [], [("B", 0, 30)], [("B.1", 1, 0)]]
    lines = "One line.\n" * 5
    pieces = [
        Piece(f"page {n}", None, lines, 0, Segment(f"page {n}", None, lines, tuple(Heading(*one) for one in headings)))
        for n, headings in enumerate(pages, 1)
    ]
    assert [(one.title, one.first, one.last) for one in sections(pieces)] == [
        ("A", 0, 3),
        ("A.1", 0, 0),
        ("A.2", 1, 3),
        ("B", 3, 4),
        ("B.1", 4, 4),
    ]
