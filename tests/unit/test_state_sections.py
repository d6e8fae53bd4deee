"""How an answer is cut: research above the text that it led to, in every interleaving, and what of it is in sight."""

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf import parts
from leaf.views.frames import Frame, framed
from leaf.views.rows import Item, Items, Kind, Section, sections
from tests.unit.test_state_live import Page

KINDS: tuple[Kind, ...] = ("research", "text", "display", "list", "asking", "related")
RESEARCH = ("reasoning", "search", "fetch", "search_drive", "read_drive_file", "read_file", "todoWrite", "crm_lookup")
TABLE = {"title": "T", "columns": [{"key": "a", "label": "A"}], "rows": []}


def _part(kind: str, number: int, state: str = "output-available") -> parts.Part:
    if kind in {"text", "reasoning"}:
        return {"type": kind, "text": f"{kind} {number}", "state": "done"}
    tool: dict[str, Any] = {"toolCallId": f"c{number}", "state": state, "input": {}}
    output = {"todos": [], "completedCount": 0, "totalCount": 0} if kind == "todoWrite" else TABLE
    named = {"type": "dynamic-tool", "toolName": kind} if kind == "crm_lookup" else {"type": f"tool-{kind}"}
    return named | tool | ({"output": output} if state == "output-available" else {"errorText": "No."})


def _shape(items: list[Item]) -> list[tuple[str, int]]:
    return [(item.kind, len(item.steps)) for item in items]


@pytest.mark.parametrize("length", range(6))
def test_every_interleaving_keeps_its_order_and_no_two_groups_touch(length: int):
    """002-47: whatever comes in whichever order, each slot is drawn once and research is flushed by what follows it."""
    for kinds in product(KINDS, repeat=length):
        made = sections(enumerate(kinds))
        drawn = [slot for section in made for slot in section.slots]
        assert sorted(drawn) == [*range(length)], kinds
        assert [slot for slot in drawn if kinds[slot] != "list"] == [
            slot for slot in range(length) if kinds[slot] != "list"
        ]
        for section, following in pairwise(made):
            assert not (section.kind == following.kind == "research"), kinds
        for section in made:
            assert len(section.slots) == 1 or section.kind == "research"
            assert {kinds[slot] for slot in section.slots} == {section.kind}
        # A list belongs to the element above it and ends no group.
        without = [(slot, kind) for slot, kind in enumerate(kinds) if kind != "list"]
        assert [one for one in made if one.kind != "list"] == sections(without)


def test_a_message_that_grows_changes_nothing_above_its_last_group():
    """Nothing that was drawn moves to another place. A to-do list comes with the step that gave it. # 002-47"""
    for kinds in product(KINDS, repeat=5):
        told: list[tuple[int, Kind]] = []
        before: list[Section] = []
        for slot, kind in enumerate(kinds):
            told += [(slot, "research"), (slot, kind)] if kind == "list" else [(slot, kind)]
            now = sections(told)
            assert [one.kind for one in now][: len(before)] == [one.kind for one in before], kinds
            for was, is_now in zip(before, now, strict=False):
                assert is_now.slots[: len(was.slots)] == was.slots, kinds
                assert is_now == was or {one.kind for one in now[now.index(is_now) + 1 :]} <= {"list"}, kinds
            before = now


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from([*RESEARCH, "text", "displayTable"]), max_size=9))
def test_the_live_view_and_the_stored_one_have_the_same_groups(kinds: list[str]):
    """At each moment, and with their texts. # 000-42 002-47"""
    message = [_part(kind, number) for number, kind in enumerate(kinds)]
    live, page, frame = Items(live=True), Page(), Frame()
    for end in range(len(message) + 1):
        growing = live.of(message[:end])
        frame = framed(frame, growing, message[:end])
        page.take(frame)
        assert _shape(growing) == _shape(Items().of(message[:end]))
    stored = Items().of(message)
    assert [item.text for item in frame.items] == [item.text for item in stored]
    thoughts = {step.slot: step.blocks for item in stored for step in item.steps if step.blocks}
    texts = {item.slot: item.blocks for item in stored if item.blocks}
    assert page.shown == texts | thoughts
    for item in frame.items:
        assert not item.blocks
        assert not [step for step in item.steps if step.blocks], "the text comes beside the vars"


def test_thinking_searching_reading_and_tools_of_servers_are_one_group():
    """002-47"""
    message = [_part(kind, number) for number, kind in enumerate(RESEARCH)]
    items = Items().of([*message, _part("text", 9), _part("grep", 10)])
    assert [item.kind for item in items] == ["steps", "display", "text", "steps"]
    assert [step.icon for step in items[0].steps] == [
        "thought",
        "web",
        "page",
        "search",
        "file",
        "file",
        "todo",
        "tool",
    ]


def test_what_wrote_the_list_is_closed_because_the_list_is_in_sight():
    group = Items().of([_part("todoWrite", 0), _part("text", 1)])[0]
    assert (group.kind, group.unfolded, group.alone) == ("steps", False, False)


@pytest.mark.parametrize("tool", [kind for kind in RESEARCH if kind not in {"reasoning", "todoWrite"}])
def test_a_single_tool_is_in_sight(tool: str):
    """Thinking and what is displayed do not count. # 002-48"""
    message = [_part("reasoning", 0), _part(tool, 1), _part("text", 2), _part("displayTable", 3)]
    group = Items().of(message)[0]
    assert (group.kind, group.unfolded, group.alone) == ("steps", True, True)
    # While it may not stay the only one, what it gave is not in sight.
    assert [Items(live=True).of(message[:end])[0].alone for end in (2, 3)] == [False, True]


@pytest.mark.parametrize("between", [[], ["text"], ["displayTable"]])
def test_several_tools_are_closed(between: list[str]):
    """The tools of the whole message count, not those of a group. # 002-48"""
    kinds = ["search", *between, "fetch", "text"]
    groups = [item for item in Items().of([_part(kind, at) for at, kind in enumerate(kinds)]) if item.kind == "steps"]
    assert [(group.unfolded, group.alone) for group in groups] == [(False, False)] * len(groups)


def test_thinking_is_in_sight_while_it_streams_and_folds_when_something_follows():
    """002-48 001-15"""
    thinking = {"type": "reasoning", "text": "Hm", "state": "streaming"}
    (group,) = Items(live=True).of([thinking])
    assert (group.unfolded, group.steps[0].state, group.text) == (True, "running", "Thinking…")
    done = {**thinking, "state": "done"}
    group, _ = Items(live=True).of([done, _part("text", 1)])
    assert (group.unfolded, group.steps[0].state, group.text) == (False, "done", "Thought about it")
    # Between two thoughts the group stays as it is; the tools in it are closed.
    (group,) = Items(live=True).of([done, _part("search", 1), _part("fetch", 2)])
    assert (group.unfolded, group.alone) == (True, False)
    # An answer that was stopped while it thought does not think on.
    (group,) = Items().of([thinking])
    assert (group.unfolded, group.steps[0].state) == (False, "done")


def test_a_thought_without_words_is_no_step():
    assert Items().of([{"type": "reasoning", "text": " \n", "state": "done"}, _part("text", 1)])[0].kind == "text"


def test_an_allowed_call_is_asked_for_where_it_stands_and_then_a_step():
    call = _part("crm_lookup", 0) | {"approval": {"id": "a", "approved": True}}
    items = Items().of([_part("search", 1), call, _part("fetch", 2), _part("text", 3)])
    assert _shape(items) == [("steps", 1), ("asking", 0), ("steps", 2), ("text", 0)]
