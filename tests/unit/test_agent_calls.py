"""Ids of tool calls that a provider repeats."""

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from leaf.agent import calls


@pytest.mark.parametrize(
    ("told", "taken", "name"),
    [
        ("call_0", set[str](), "call_0"),
        ("call_0", {"call_1"}, "call_0"),
        ("call_0", {"call_0"}, "call_0_2"),
        ("call_0", {"call_0", "call_0_2"}, "call_0_3"),
        ("x" * 64, {"x" * 64}, "x" * 62 + "_2"),
    ],
)
def test_an_id_that_is_taken_gets_a_number_and_stays_short_enough_for_providers(
    told: str, taken: set[str], name: str
) -> None:
    assert calls.fresh(told, taken) == name


def test_the_calls_of_one_response_differ_from_each_other_and_from_those_before() -> None:
    """# 001-10"""
    parts = [ToolCallPart("a", tool_call_id="c"), TextPart("between"), ToolCallPart("b", tool_call_id="c")]
    earlier = ModelResponse(parts=[ToolCallPart("z", tool_call_id="c")])
    response = ModelResponse(parts=parts)
    found = calls.renamed(response, calls.ids([earlier]))
    assert calls.ids([found]) == {"c_2", "c_3"}
    assert calls.renamed(response, calls.ids([earlier])) == found, "a worker that takes over agrees"
    assert [part.part_kind for part in found.parts] == ["tool-call", "text", "tool-call"]
