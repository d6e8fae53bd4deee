"""Narration in answers: which texts only announce a tool call, and where they are left out."""

from typing import Any

import pytest

from leaf import parts
from leaf.parts import portable
from leaf.parts.portable import markdown
from leaf.views import rows

ANNOUNCED = {"type": "text", "text": "I'll look in your Drive for the budget."}
ANSWER = {"type": "text", "text": "The budget is 35,000 euros."}
LONG = {"type": "text", "text": "The budget has many lines. " * 20}
CITED = {"type": "text", "text": 'It was cut in May[^1].\n\n[^1]: "cut in May"'}
TABLE = {"type": "tool-displayTable", "toolCallId": "t", "state": "output-available", "input": {}, "output": {}}
START = {"type": "step-start"}


def call(kind: str = "tool-search_drive", call_id: str = "c") -> dict[str, Any]:
    return {"type": kind, "toolName": "x", "toolCallId": call_id, "state": "output-available", "input": {},
            "output": {"files": []}}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ([], set()),
        ([ANSWER], set()),
        ([ANNOUNCED, call(), ANSWER], {0}),
        ([START, ANNOUNCED, call(), START, ANNOUNCED, call(call_id="d"), START, ANSWER], {1, 4}),
        ([ANNOUNCED, call("dynamic-tool"), ANSWER], {0}),
        ([call(), ANNOUNCED, ANSWER], set()),
        # The whole text precedes the last call, which nothing follows.
        ([ANSWER, call("tool-todoWrite")], set()),
        ([ANNOUNCED, call(), ANSWER, call("tool-write_file"), {"type": "text", "text": " \n"}], {0}),
        # A table belongs to the answer.
        ([ANNOUNCED, call(), {"type": "text", "text": "By year:"}, TABLE, ANSWER], {0}),
        # Too long for an announcement, and a claim with its source.
        ([LONG, call("tool-write_file"), ANSWER], set()),
        ([CITED, call(), ANSWER], set()),
    ],
)
def test_a_short_text_before_a_call_is_narration_unless_it_is_the_last_text(
    message: list[parts.Part], expected: set[int]
) -> None:
    assert parts.narration(message) == expected


def test_the_answer_is_the_text_without_narration() -> None:
    message: parts.Message = {
        "id": "m", "role": "assistant", "metadata": {}, "parts": [ANNOUNCED, call(), ANSWER, TABLE, CITED],
    }  # fmt: skip
    assert parts.answer_text(message) == f"{ANSWER['text']}\n\n{CITED['text']}"


def test_the_row_of_a_finished_answer_marks_narration_and_a_growing_one_does_not() -> None:
    """The copy button leaves out what is marked."""
    message = [ANNOUNCED, call(), ANSWER]
    assert [item.narration for item in rows.Items().of(message)] == [True, False, False]
    assert not any(item.narration for item in rows.Items(live=True).of(message))


def test_markdown_has_the_answer_without_narration_and_json_keeps_everything() -> None:
    row = {
        "id": "a", "parent_id": None, "role": "assistant", "created_at": "2026-01-01T00:00:00+00:00",
        "status": "completed", "parts": [ANNOUNCED, call(), ANSWER, TABLE, CITED],
    }  # fmt: skip
    message = portable.to_portable(row)
    assert message is not None
    written = markdown.message(message, "en")
    assert "look in your Drive" not in written
    assert "35,000" in written
    assert "cut in May" in written
    assert "look in your Drive" in message.model_dump_json()
