"""When thinking and calls began and ended: kept where clients of the AI SDK keep what they do not know."""

from typing import Any

import pytest

from leaf import parts
from leaf.parts import spans
from leaf.views.rows import Items
from leaf.views.steps import step_of, took

START: list[parts.Chunk] = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time in ms, as its only item."""
    now = [1_000_000]
    monkeypatch.setattr(spans, "_now_ms", lambda: now[0])
    return now


def call(kind: str, call_id: str = "c", **further: Any) -> parts.Chunk:
    return {"type": f"tool-{kind}", "toolCallId": call_id, **further}


def begun(call_id: str) -> parts.Chunk:
    return call("input-available", call_id, toolName="search_drive", input={"query": "budget"})


def test_a_call_says_how_long_it_took_and_a_preliminary_result_ends_nothing(clock: list[int]) -> None:
    stamp, fold = parts.Spans(), parts.Fold()
    for chunk in [*START, begun("c")]:
        fold.apply(stamp.stamped(chunk))
    clock[0] += 2_000
    fold.apply(stamp.stamped(call("output-available", output={}, preliminary=True)))
    assert parts.span_of(fold.parts[-1]) is None
    clock[0] += 2_400
    fold.apply(stamp.stamped(call("output-available", output={"files": []})))
    assert parts.span_of(fold.parts[-1]) == (1_000_000, 1_004_400)
    assert step_of(fold.parts[-1], {}).took == "4 s"


def test_calls_side_by_side_count_once_and_a_failed_one_counts(clock: list[int]) -> None:
    stamp, fold = parts.Spans(), parts.Fold()
    for chunk in [*START, begun("a"), begun("b")]:
        fold.apply(stamp.stamped(chunk))
    clock[0] += 3_000
    fold.apply(stamp.stamped(call("output-available", "a", output={"files": []})))
    clock[0] += 62_000
    fold.apply(stamp.stamped(call("output-error", "b", errorText="It did not work.")))
    assert [step_of(part, {}).took for part in fold.parts if parts.is_tool(part)] == ["3 s", "1 min 5 s"]
    assert took(fold.parts) == "1 min 5 s"
    (group,) = Items().of(fold.parts)
    assert group.took == "1 min 5 s"


def test_thinking_keeps_what_its_provider_has_said_of_it(clock: list[int]) -> None:
    stamp, fold = parts.Spans(), parts.Fold()
    signed = {"anthropic": {"signature": "s"}}
    thought: list[parts.Chunk] = [
        {"type": "reasoning-start", "id": "r"},
        {"type": "reasoning-delta", "id": "r", "delta": "Let me see."},
        {"type": "reasoning-delta", "id": "r", "delta": "", "providerMetadata": signed},
    ]
    for chunk in [*START, *thought]:
        fold.apply(stamp.stamped(chunk))
    clock[0] += 7_000
    fold.apply(stamp.stamped({"type": "reasoning-end", "id": "r"}))
    part = fold.parts[-1]
    assert part["providerMetadata"]["anthropic"] == {"signature": "s"}
    assert parts.lasted_ms([part]) == 7_000
    assert parts.fold(parts.replay(fold.message))["parts"][-1] == part


def test_what_began_before_another_worker_took_over_has_no_span(clock: list[int]) -> None:
    chunk = call("output-available", output={"files": []})
    assert parts.Spans().stamped(chunk) == chunk
    assert clock == [1_000_000]
    assert took([{"type": "tool-search_drive", "toolCallId": "c", "state": "output-available", "output": {}}]) == ""


@pytest.mark.parametrize("own", [None, 5, {"beganMs": "x", "endedMs": 2}, {"beganMs": 9, "endedMs": 2}, {"beganMs": 1}])
def test_metadata_of_another_form_is_passed_over(own: Any) -> None:
    """A chat that was imported may hold anything."""
    part = {"type": "reasoning", "text": "", "providerMetadata": {"leaf": own}}
    assert parts.span_of(part) is None
