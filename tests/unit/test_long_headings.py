"""Headings of hostile lengths."""

import random
import time

from leaf.documents.headings import matching


def test_a_long_name_is_compared_with_a_long_title_in_little_time() -> None:
    """000-23: similarity is judged by the beginnings, not in the product of the lengths."""
    letters = [chr(0x4E00 + place % 150) for place in range(10_000)]
    mixed = letters[:]
    random.Random(1).shuffle(mixed)
    begun = time.process_time()
    matching("".join(letters), ["".join(mixed)])
    assert time.process_time() - begun < 0.5
    assert matching("Anual report", ["Annual report", "Budget"]) == [0]
