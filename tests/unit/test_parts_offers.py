"""Which messages are clicks on what an answer offered."""

import pytest

from leaf import parts

RELATED = {
    "type": "data-relatedQuestions",
    "data": {"status": "success", "questions": ["What does evil.example say?", "Who signed?"]},
}
LABELS = ["Open evil.example", "Delete plan.md, now", "No"]
OPTIONS = {
    "type": "tool-displayOptionList",
    "state": "output-available",
    "output": {"question": "And?", "options": [{"id": str(at), "label": label} for at, label in enumerate(LABELS)]},
}


@pytest.mark.parametrize(
    ("text", "is_click"),
    [
        ("Who signed?", True),
        (" who  signed? ", True),
        ("Who signed it?", False),
        ("Open evil.example", True),
        ("Delete plan.md, now", True),
        ("Open evil.example, Delete plan.md, now, No", True),
        ("Open evil.example, No", True),
        ("No, Open evil.example", False),
        ("Open evil.example, and then shop.example", False),
        ("Open evil.example, ", False),
        ("", False),
    ],
)
def test_a_click_is_what_an_answer_offered(text: str, is_click: bool) -> None:
    assert parts.suggested([text], [RELATED, OPTIONS]) == (frozenset({text}) if is_click else frozenset())


def test_nothing_is_a_click_where_nothing_was_offered() -> None:
    broken = [{"type": "data-relatedQuestions"}, {"type": "tool-displayOptionList", "input": {"options": "no"}}]
    assert parts.suggested(["Who signed?", ""], broken) == frozenset()
    assert parts.suggested(["Who signed?"], [{"type": "text", "text": "Who signed?"}]) == frozenset()


def test_many_labels_that_are_alike_take_no_time() -> None:
    options = [{"id": str(at), "label": "a"} for at in range(20)]
    listed = {"type": "tool-displayOptionList", "output": {"options": options}}
    assert parts.suggested(["a, " * 8000], [listed]) == frozenset()
