"""The input and output of the display tools, and their complaints about input that does not fit."""

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from leaf.agent.tools import display, strict
from leaf.agent.tools.display import sources
from leaf.agent.tools.display.shapes import Citations, LinkPreview, OptionList, Plan, Shown
from leaf.agent.tools.display.table import MAX_ROWS, Table

COLUMNS = [
    {"key": "name", "label": "Name"},
    {"key": "amount", "label": "Amount", "type": "currency", "currency": "EUR"},
    {"key": "due", "label": "Due", "type": "date"},
]


def _refused(shape: type[Shown], arguments: dict[str, Any]) -> str:
    with pytest.raises(ModelRetry) as refused:
        strict.fitting(shape, arguments)
    return refused.value.message


def _table(*rows: dict[str, Any], columns: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"title": "Budget", "columns": columns or COLUMNS, "rows": list(rows)}


def test_the_tools_have_exactly_the_names_of_the_document():
    """# 002-19 002-20 002-21 002-22 002-23"""
    assert list(display.toolset().tools) == [
        "displayPlan", "displayTable", "displayCitations", "displayLinkPreview", "displayOptionList"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["displayPlan", "displayTable", "displayCitations"])
def test_a_schema_forbids_what_it_does_not_name(name: str):
    schema = display.toolset().tools[name].function_schema.json_schema
    assert schema["additionalProperties"] is False
    assert all(inner["additionalProperties"] is False for inner in schema["$defs"].values())


def test_the_schema_of_a_cell_names_what_it_may_be():
    schema = display.toolset().tools["displayTable"].function_schema.json_schema
    kinds = [one["type"] for one in schema["properties"]["rows"]["items"]["additionalProperties"]["anyOf"]]
    assert kinds == ["string", "number", "boolean", "null", "object"]


def test_what_is_shown_is_what_was_given_made_uniform():
    """# 002-19"""
    plan = strict.fitting(Plan, {"title": " Move \n house ", "steps": [{"label": "Pack\u202e", "status": "completed"}]})
    assert plan.output() == {"title": "Move house", "steps": [{"label": "Pack", "status": "completed"}]}


@pytest.mark.parametrize(
    ("shape", "arguments", "told"),
    [
        (Plan, {"title": "A", "steps": []}, "steps: List should have at least 1 item"),
        (Plan, {"title": "A", "steps": [{"label": "B"}, {"label": ""}]}, "steps[1].label: String should have at least"),
        (Plan, {"title": "A", "steps": [{"label": "B", "colour": "red"}]}, "steps[0].colour: Extra inputs are not"),
        (Plan, {"title": "A", "steps": [{"label": "B", "status": "done"}]}, "steps[0].status: Input should be"),
        (Plan, {"title": 5, "steps": [{"label": "B"}]}, "title: Input should be a valid string"),
        (Citations, {"items": [{"title": "A", "url": "javascript:alert(1)"}]}, "items[0].url: must be a whole web"),
        (Citations, {"items": [{"title": "A", "url": "https://me:x@a.org"}]}, "must not hold a user name"),
        (LinkPreview, {"url": "//a.org", "title": "A"}, "url: must be a whole web address"),
        (LinkPreview, {"url": "https://a.org:99999", "title": "A"}, "url: is no web address"),
        (OptionList, {"question": "?", "options": [{"id": "a", "label": "A"}]}, "options: List should have at least 2"),
        (OptionList, {"question": "?", "options": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}, "several"),
        (OptionList, {"question": "?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "A"}]}, "label"),
        (Table, _table({"nmae": "x"}), "rows[0].nmae: there is no such column"),
        (Table, _table({"name": "x"}, {"amount": "5"}), "rows[1].amount: must be a number"),
        (Table, _table({"amount": True}), "rows[0].amount: must be a number"),
        (Table, _table({"amount": math.nan}), "rows[0].amount: must be a finite number"),
        (Table, _table({"amount": 2**60}), "rows[0].amount: is too large"),
        (Table, _table({"due": "1.3.2026"}), "rows[0].due: must be a date"),
        (Table, _table({"due": "2026-02-30"}), "rows[0].due: must be a date"),
        (Table, _table({"name": 5}), "rows[0].name: must be a text"),
        (Table, _table({"name": "x" * 2001}), "rows[0].name: must have at most 2,000"),
        (Table, _table(*[{"name": "x"}] * (MAX_ROWS + 1)), "rows: List should have at most 200"),
        (Table, _table(*[{"name": "x" * 1900}] * 50), "rows: 95,601 bytes are too many"),
        (Table, _table(columns=[COLUMNS[0], COLUMNS[0]]), "columns: each key must be there once only"),
        (Table, _table(columns=[{"key": "a", "label": "A", "type": "currency"}]), "columns: name the currency of a"),
        (Table, _table(columns=[{"key": "a", "label": "A", "currency": "EUR"}]), "columns[0].currency: only columns"),
        (Table, _table({"a": 1}, columns=[{"key": "a", "label": "A", "type": "boolean"}]), "must be true or false"),
        (Table, _table({"a": "x"}, columns=[{"key": "a", "label": "A", "type": "link"}]), "rows[0].a: must be a whole"),
        (Table, _table({"a": {"href": "x"}}, columns=[{"key": "a", "label": "A", "type": "link"}]), "rows[0].a: must"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_its_place(shape: type[Shown], arguments: dict[str, Any], told: str):
    """# 002-19 002-20 002-21 002-22 002-23"""
    assert told in _refused(shape, arguments)


def test_many_problems_are_told_briefly():
    told = _refused(Table, _table(*[{"amount": "x" * 1000}] * 100))
    assert told.count("must be a number") == 8
    assert told.endswith("… and 92 more.")
    assert len(told) < 1000


def test_cells_come_in_the_order_of_the_columns_and_what_is_missing_is_left_out():
    """# 002-20"""
    link = {"key": "page", "label": "Page", "type": "link"}
    rows = [{"page": "https://a.org/x", "due": "2026-03-01", "name": " A "}, {"amount": None}]
    table = strict.fitting(Table, _table(*rows, columns=[*COLUMNS, link]))
    assert table.output()["rows"] == [{"name": "A", "due": "2026-03-01", "page": {"url": "https://a.org/x"}}, {}]
    assert [*table.addresses()] == [("rows[0].page", "https://a.org/x")]


def test_the_domain_is_that_of_the_address_whatever_is_said():
    """# 002-21 002-22"""
    item = {"title": "A bank", "url": "https://www.evil.example/a", "domain": "bank.example"}
    assert strict.fitting(Citations, {"items": [item]}).output()["items"][0]["domain"] == "evil.example"
    assert strict.fitting(LinkPreview, {"url": "https://evil.example"}).output() == {
        "url": "https://evil.example", "title": "evil.example", "domain": "evil.example"
    }  # fmt: skip


CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    "number": st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False),
    "percent": st.floats(allow_nan=False, allow_infinity=False),
    "date": st.dates().map(lambda day: day.isoformat()) | st.datetimes().map(lambda time: time.isoformat()),
    "link": st.sampled_from(["https://a.org/b", {"url": "http://a.org", "label": "A"}]),
    "boolean": st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    types = draw(st.lists(st.sampled_from([*CELLS]), min_size=1, max_size=5))
    columns = [{"key": f"c{place}", "label": "C", "type": kind} for place, kind in enumerate(types)]
    row = st.fixed_dictionaries({}, optional={f"c{n}": st.none() | CELLS[kind] for n, kind in enumerate(types)})
    return _table(*draw(st.lists(row, max_size=10)), columns=columns)


@settings(deadline=None, max_examples=100)
@given(tables())
def test_a_table_that_was_shown_can_be_shown_again_and_is_the_same(table: dict[str, Any]):
    """# 002-20"""
    shown = strict.fitting(Table, table).output()
    assert strict.fitting(Table, shown).output() == shown


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from(["title", "steps", "columns", "rows", "items", "url", "question", "options", "label", "key"])


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from([Plan, Table, Citations, LinkPreview, OptionList]),
    st.dictionaries(FIELDS, JSON | st.lists(st.dictionaries(FIELDS, JSON, max_size=3), max_size=3), max_size=5),
)
def test_whatever_a_model_sends_is_shown_or_sent_back(shape: type[Shown], arguments: dict[str, Any]):
    """Nothing else may come of it: any other exception would end the answer. # 002-20"""
    with suppress(ModelRetry):
        assert strict.fitting(shape, arguments).output()


@pytest.mark.parametrize("number", [10**400, -(10**400), 2**53 + 1, float("inf"), float("nan")])
def test_a_number_that_no_page_can_show_is_sent_back(number: float):
    """# 002-20"""
    table = _table({"n": number}, columns=[{"key": "n", "label": "N", "type": "number"}])
    with pytest.raises(ModelRetry, match=r"rows\[0\]\.n: "):
        strict.fitting(Table, table)


def _asked(*texts: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(text)]) for text in texts]


def _gave(tool: str, content: Any, outcome: Any = "success") -> list[ModelMessage]:
    return [ModelRequest(parts=[ToolReturnPart(tool, content, tool_call_id="1", outcome=outcome)])]


@pytest.mark.parametrize(
    ("messages", "address"),
    [
        (_asked("Look at (https://a.org/b)."), "https://a.org/b"),
        (_asked("https://en.wikipedia.org/wiki/Leaf_(plant)"), "https://en.wikipedia.org/wiki/Leaf_(plant)"),
        (_asked("old https://a.org/", "new"), "http://A.org"),
        (_asked("https://a.org/b#part"), "https://a.org/b"),
        (_gave("search", {"results": [{"url": "https://a.org/b?q=1"}]}), "https://a.org/b?q=1"),
        (_gave("fetch", "See <a href='https://a.org/b'>"), "https://a.org/b/"),
    ],
)
def test_an_address_from_a_question_or_a_tool_is_known(messages: list[ModelMessage], address: str):
    """# 002-21 002-22"""
    sources.check([("url", address)], messages)


@pytest.mark.parametrize(
    ("messages", "address"),
    [
        ([], "https://a.org"),
        (_asked("https://a.org/b"), "https://a.org/b?stolen=1"),
        (_asked("https://a.org/b"), "https://a.org/b#stolen"),
        (_asked("https://a.org/b"), "https://a.org/bc"),
        (_gave("todoWrite", {"todos": [{"content": "https://a.org"}]}), "https://a.org"),
        (_gave("fetch", "https://a.org", "failed"), "https://a.org"),
        ([ModelResponse(parts=[TextPart("https://a.org")])], "https://a.org"),
    ],
)
def test_an_address_that_only_the_model_has_written_is_not(messages: list[ModelMessage], address: str):
    """# 002-21 002-22"""
    with pytest.raises(ModelRetry, match=r"items\[3\]\.url: https://a\.org"):
        sources.check([("items[3].url", address)], messages)


@pytest.mark.parametrize("tool", ["search", "search_drive", "askQuestion", "wiki_find"])
def test_an_address_that_a_tool_repeats_from_its_own_arguments_is_not_known(tool: str):
    """A card would lead wherever the model has put something together. # 002-22"""
    call = ToolCallPart(tool, {"query": "https://a.org?d=stolen"}, "1")
    returned = ToolReturnPart(tool, {"query": "https://a.org?d=stolen", "results": [{"url": "https://a.org/b"}]}, "1")
    messages: list[ModelMessage] = [ModelResponse(parts=[call]), ModelRequest(parts=[returned])]
    sources.check([("url", "https://a.org/b")], messages)
    with pytest.raises(ModelRetry):
        sources.check([("url", "https://a.org?d=stolen")], messages)
    sources.check([("url", "https://a.org?d=stolen")], [*_asked("https://a.org?d=stolen"), *messages])


async def test_arguments_that_are_no_object_are_sent_back_as_often_as_it_takes():
    """Not even they end an answer. # 002-20"""
    sent = ["[1]", '{"title": ', "5", "null", '"text"', "[1]"]

    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        number = sum(isinstance(message, ModelResponse) for message in messages)
        if number < len(sent):
            return ModelResponse(parts=[ToolCallPart("displayPlan", sent[number])])
        return ModelResponse(parts=[TextPart("In words, then.")])

    agent = Agent(FunctionModel(model), toolsets=[display.toolset()])
    result = await agent.run("Show me")
    assert result.output == "In words, then."
    returned = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.outcome for part in returned] == ["retried"] * len(sent)
