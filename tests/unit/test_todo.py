"""The list of what is to be done: merged by content, and rebuilt from what the run has returned."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import ModelRetry
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from leaf.agent.tools import strict, todo
from leaf.agent.tools.todo import Todo, merged

todos = st.builds(
    Todo,
    content=st.sampled_from(["Read", "read", " READ  it", "Read it.", "ﬁnd", "find", "Write", "…", "."]),
    status=st.sampled_from(["pending", "in_progress", "completed"]),
)
lists = st.lists(todos, max_size=8)


@given(lists, lists)
def test_the_same_write_twice_is_once(known: list[Todo], written: list[Todo]):
    """# 002-18"""
    once = merged(known, written)
    assert merged(once, written) == once


@given(lists, lists)
def test_nothing_is_there_twice_and_everything_keeps_its_place(known: list[Todo], written: list[Todo]):
    """# 002-18"""
    before, after = merged([], known), merged(merged([], known), written)
    keys = [todo.key(one.content) for one in after]
    assert len(set(keys)) == len(keys)
    assert keys[: len(before)] == [todo.key(one.content) for one in before]
    assert {todo.key(one.content) for one in [*known, *written]} == set(keys)
    last = {todo.key(one.content): one for one in [*known, *written]}
    assert all(last[todo.key(one.content)] == one for one in after)


@given(lists, lists, lists)
def test_writes_one_after_the_other_are_one_write(first: list[Todo], second: list[Todo], third: list[Todo]):
    """So a worker that takes over may begin with any of them. # 002-18"""
    assert merged(merged(first, second), third) == merged(first, merged(second, third))


def _question(text: str = "Do it") -> ModelMessage:
    return ModelRequest(parts=[UserPromptPart(text)])


def _write(*calls: tuple[str, dict[str, str]]) -> ModelMessage:
    return ModelResponse(
        parts=[
            ToolCallPart("todoWrite", {"todos": [{"content": k, "status": v} for k, v in given.items()]}, call_id)
            for call_id, given in calls
        ]
    )


def _gave(call_id: str, outcome: Any = "success", **given: str) -> ToolReturnPart:
    content = {"todos": [{"content": name, "status": status} for name, status in given.items()]}
    return ToolReturnPart("todoWrite", content, tool_call_id=call_id, outcome=outcome)


def _so_far(messages: list[ModelMessage], call_id: str) -> dict[str, str]:
    return {one.content: one.status for one in todo.so_far(messages, call_id)}


def test_a_call_finds_what_earlier_calls_of_the_run_returned():
    """# 002-18"""
    messages = [
        _question(),
        _write(("1", {"a": "pending"})),
        ModelRequest(parts=[_gave("1", a="pending")]),
        _write(("2", {"a": "completed"})),
    ]
    assert _so_far(messages, "2") == {"a": "pending"}
    assert _so_far(messages, "2") == _so_far(messages, "2")


def test_calls_of_one_reply_build_on_one_another_whichever_is_made_first():
    """# 002-18"""
    messages = [_question(), _write(("1", {"a": "pending"}), ("2", {"b": "pending"}), ("3", {"a": "completed"}))]
    assert _so_far(messages, "1") == {}
    assert _so_far(messages, "3") == {"a": "pending", "b": "pending"}
    messages.append(
        ModelRequest(parts=[_gave("1", a="pending"), _gave("2", a="pending", b="pending"), _gave("3", a="completed")])
    )
    assert _so_far([*messages, _write(("4", {}))], "4") == {"a": "completed", "b": "pending"}


def test_a_new_question_begins_a_new_list():
    messages = [_question(), ModelRequest(parts=[_gave("1", a="pending")]), _question("Next"), _write(("2", {}))]
    assert _so_far(messages, "2") == {}


def test_what_was_refused_does_not_count():
    broken = ModelResponse(parts=[ToolCallPart("todoWrite", '{"todos": [', "2"), ToolCallPart("todoWrite", {}, "3")])
    messages = [_question(), ModelRequest(parts=[_gave("1", "retried", a="pending")]), broken]
    assert _so_far(messages, "3") == {}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"todos": []}, "todos: List should have at least 1 item"),
        ({"todos": [{"content": "a", "status": "done"}]}, "todos[0].status: Input should be 'pending'"),
        ({"todos": [{"content": " ", "status": "pending"}]}, "todos[0].content: String should have at least 1"),
        ({"todos": [{"content": "a", "status": "pending", "id": 1}]}, "todos[0].id: Extra inputs"),
    ],
)
def test_a_list_that_does_not_fit_is_sent_back(given: dict[str, Any], told: str):
    """# 002-18"""
    with pytest.raises(ModelRetry) as refused:
        strict.fitting(todo.Todos, given)
    assert told in refused.value.message
