"""The title of a chat for which no model has written one."""

import pytest

from jobs.titles import first_words

FOLDER = "https://drive.google.com/drive/folders/1AbC"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        (f"Compare {FOLDER} and {FOLDER} by price", "Compare and by price"),
        (f"Who signed it?\n{FOLDER}", "Who signed it?"),
        (f"  {FOLDER} ", FOLDER),
        ("word " * 40, "word " * 15 + "word…"),
        ("x" * 200, "x" * 80),
    ],
)
def test_a_title_has_the_first_words_of_the_question_and_no_addresses(question: str, title: str) -> None:
    """An address alone is the title where there are no words. # 002-26"""
    assert first_words(question) == title
