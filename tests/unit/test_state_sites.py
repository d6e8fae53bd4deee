"""The forms of agents and of their conversations."""

import re
from dataclasses import asdict
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import leaf.sites.widget
from leaf import config, errors, parts, sites, texts
from leaf.services.sites import Conversation, DayOfUse, Filters, agents
from leaf.services.sites.transcripts import Head, Transcript
from leaf.sites import Frames
from leaf.state import site_agent, site_usage
from leaf.state.conversations import filters_of, row_view
from leaf.state.playground import PlaygroundState
from leaf.state.site_agent import changes_of, form_of
from leaf.streams import Batch
from leaf.views.bars import HEIGHT
from leaf.views.events import live_events, stored_events
from leaf.views.frames import Frame, framed
from leaf.views.rows import Items

SETTINGS: dict[str, Any] = {
    "name": "Help", "system_prompt": "You sell apples.", "model": None, "temperature": 0.5, "tools": ["search"],
    "output_schema": {"type": "object"}, "context_injection": {"pageUrl": True, "template": "On {{pageUrl}}."},
    "origins": ["https://shop.example", "http://localhost:3000"], "identity": "proven", "welcome": "Hello!",
    "suggestions": ["Where?", "When?"], "look": {"accent": "#0b6e4f", "theme": "dark", "radius": 0},
    "visitor_daily": 5, "agent_daily": 1_000_000, "retention_days": 30, "paused": True,
    "provider_logs": True, "attachments": True,
    "client_tools": [
        {"name": "readCart", "version": 2, "description": "Reads the cart.", "inputSchema": {"type": "object"},
         "outputSchema": None},
        {"name": "openPage", "version": 1, "description": "", "inputSchema": {"type": "object"},
         "outputSchema": {"type": "boolean"}},
    ],
}  # fmt: skip


def _sent() -> dict[str, Any]:
    """The form data that a browser sends of an untouched form: boxes that are not ticked are left out."""
    form = asdict(form_of(SETTINGS))
    told = {f"told_{name}": True for name in form.pop("context_fields")}
    ticked = {f"tool_{name}": True for name in sites.TOOLS if form.pop(name)}
    return {name: value for name, value in (form | told | ticked).items() if value is not False}


def test_a_trial_shows_texts_apart_and_each_tool_once() -> None:
    """The text before a tool is a paragraph of its own, and knowledge has the name that the team reads. # 003-26"""
    state, frames = PlaygroundState(_reflex_internal_init=True), Frames()  # pyright: ignore[reportCallIssue]
    chunks: list[parts.Chunk] = [
        {"type": "start", "messageId": "m"},
        *_text_chunks("a", "I'll look."),
        *(
            {"type": "tool-input-available", "toolCallId": call, "toolName": "search_knowledge", "input": {}}
            for call in "xy"
        ),
        *_text_chunks("b", "Within", " 30 days."),
    ]
    for chunk in chunks:
        state._show(Batch([chunk]), frames.feed([chunk]))  # pyright: ignore[reportPrivateUsage]
    assert (state.text, state.tools) == ("I'll look.\n\nWithin 30 days.", ["Knowledge"])
    assert [one.strip() for one in state.blocks] == ["I'll look.", "Within 30 days."]


def test_a_conversation_in_a_list_says_what_was_used_in_the_readers_language() -> None:
    """# 003-26"""
    now = datetime(2026, 11, 28, tzinfo=UTC)
    row = Conversation(
        uuid4(), "Apples?", "browser", "", {}, now, now, archived=False, running=False, failed=False, messages=4,
        thumbs_up=0, thumbs_down=0, tokens=1977, cost_usd=Decimal("0.0312"),
    )  # fmt: skip
    assert row_view(row).used == "4 messages · 1,977 tokens · $0.03"
    before = texts.current()
    texts.use("de")
    try:
        assert row_view(row).used == "4 Nachrichten · 1.977 Token · 0,03 $"
    finally:
        texts.use(before)


def _text_chunks(name: str, *deltas: str) -> list[parts.Chunk]:
    grown = ({"type": "text-delta", "id": name, "delta": delta} for delta in deltas)
    return [{"type": "text-start", "id": name}, *grown, {"type": "text-end", "id": name}]


def test_a_form_that_nobody_has_touched_changes_nothing() -> None:
    """# 003-05, 003-29"""
    changes = changes_of(_sent())
    look = {name: value for name, value in changes["look"].items() if value not in ("", None)}
    defaults = {"position": "right", "language": "auto"}
    assert look == {**SETTINGS["look"], **defaults}
    injection = changes.pop("context_injection")
    assert sites.Injection.of(injection) == sites.Injection.of(SETTINGS["context_injection"])
    changes["client_tools"] = agents.checked_tools(changes["client_tools"])
    kept = {name: value for name, value in SETTINGS.items() if name not in {"look", "context_injection", "model"}}
    assert {name: value for name, value in changes.items() if name not in {"look", "model"}} == kept
    assert changes["model"] == ""


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": "hot"}, {"visitor_daily": "1.5"}, {"agent_daily": "nan"}, {"retention_days": "1e12"},
     {"output_schema": "{"}, {"output_schema": "[" * 99_999}, {"radius": "inf"},
     {"page_tools": "[{"}, {"page_tools": "{}"}, {"page_tools": "0"},
     {"page_tools": '[{"name": "a", "inputSchema": {"const": NaN}}]'}],
    ids=lambda one: f"{next(iter(one))}-{next(iter(one.values()))[:2]}",
)  # fmt: skip
def test_what_is_no_number_and_no_json_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(errors.Invalid):
        changes_of(_sent() | wrong)


def test_filters_that_are_none_are_everything() -> None:
    """# 003-27"""
    assert filters_of({}) == Filters()
    assert filters_of({"wanted": "x", "sentiment": "x", "since": "x", "until": "9999-12-31"}) == Filters()
    wanted = filters_of({"wanted": "failed", "sentiment": "up", "since": "2026-11-01", "until": "2026-11-02"})
    assert wanted.since == datetime(2026, 11, 1, tzinfo=UTC)
    assert wanted.until == datetime(2026, 11, 3, tzinfo=UTC)
    assert (wanted.wanted, wanted.sentiment) == ("failed", "up")


def test_a_chart_says_in_words_what_its_bars_show() -> None:
    """# 003-28"""
    days = [DayOfUse(date(2026, 11, day)) for day in (1, 2, 3)]
    told = site_usage.chart(days, [0, 8, 2])
    assert told.words == "10 in the last 3 days, most on 2 November: 8"
    assert [bar.height for bar in told.bars] == [0, HEIGHT, HEIGHT // 4]
    assert site_usage.chart(days, [0, 1.25, 0.5], places=1, adds_up=False).words == "Most on 2 November: 1.2"
    assert site_usage.chart(days, [0, 0, 0]).words == ""
    assert site_usage.chart([], []).bars == []


def test_a_day_without_answers_has_no_latency() -> None:
    line = site_usage.line(DayOfUse(date(2026, 11, 1)))
    assert (line.answers, line.cost, line.first, line.whole) == ("0", "$0.0", "", "")


def test_what_is_being_written_has_the_events_of_what_is_stored_later() -> None:
    """The same tools in the same order; the text comes beside them. # 003-26"""
    call = {"type": "tool-search", "toolCallId": "c1", "input": {"query": "apples"}, "state": "output-available"}
    done = [
        {"type": "reasoning", "text": "Let me see.", "state": "done"},
        {**call, "output": {"results": []}},
        {**call, "toolCallId": "c2", "state": "output-error", "errorText": "It is away."},
        {"type": "text", "text": "In aisle 7.", "state": "done"},
    ]
    frame = framed(Frame(), Items(live=True).of(done), done)
    live = list(live_events(frame))
    assert [(one.kind, one.name, one.text) for one in live] == [
        ("tool_call", "search", '{"query": "apples"}'), ("tool_result", "search", '{"results": []}'),
        ("tool_call", "search", '{"query": "apples"}'), ("tool_result", "search", "It is away."), ("message", "", ""),
    ]  # fmt: skip
    assert frame.texts[live[-1].slot] == ["In aisle 7."]
    now = datetime(2026, 11, 1, tzinfo=UTC)
    said = sites.events_of([sites.ConversationMessage(uuid4(), "assistant", done, "completed", now, now)])
    assert [event["eventType"] for event in said] == [one.kind for one in live]


def test_a_stored_event_shows_its_time_the_providers_response_and_what_happened_in_words() -> None:
    """A response of the provider is named once. # 003-47, 003-48, 003-49"""
    at = "2026-11-01T10:00:00+00:00"
    common = {"messageId": "m", "createdAt": at}
    spoken = {"eventType": "message", "role": "assistant"}
    said = [
        {**common, "seq": 1, "eventType": "message", "role": "user", "content": "Hello"},
        {**common, "seq": 2, "eventType": "tool_call", "toolName": "search", "providerResponseId": "resp_1"},
        {**common, "seq": 3, "eventType": "tool_result", "toolName": "search", "toolResult": {}},
        {**common, **spoken, "seq": 4, "content": "A", "providerResponseId": "resp_1"},
        {**common, **spoken, "seq": 5, "content": "B", "providerResponseId": "resp_2"},
        {**common, "seq": 6, "eventType": "system", "content": "stopped"},
        {**common, "seq": 7, "eventType": "system", "content": "compacted"},
    ]  # fmt: skip
    head = Head(uuid4(), "", "session", "", {}, datetime.now(UTC), datetime.now(UTC), False, {})
    shown = list(stored_events(Transcript(head, said, [], None)))
    assert [one.response for one in shown] == ["", "resp_1", "", "", "resp_2", "", ""]
    assert {one.at for one in shown} == {at}
    assert [one.text for one in shown[-2:]] == [
        "The answer was stopped.", "Earlier messages were summarised",
    ]  # fmt: skip


def test_the_line_for_pages_is_what_the_widget_reads(settings: config.Settings) -> None:
    """# 003-30"""
    line = site_agent.snippet("leaf_pk_x")
    named = dict(re.findall(r'data-([\w-]+)="([^"]*)"', line))
    source = (Path(leaf.sites.widget.__file__).parent / "source" / "element.js").read_text()
    attributes = re.findall(r': "([a-z-]+)",', source.partition("const ATTRIBUTES = {")[2].partition("}")[0])
    assert named == {"api-key": "leaf_pk_x"}
    assert "api-key" in attributes
    assert f'src="{settings.url}/widget.js"' in line
