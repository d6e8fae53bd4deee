"""The check of an answer never fails it, ends in time, and knows the places of uploads."""

import time
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

from jobs.run import checks
from leaf import citations
from leaf.citations import Call, Passage, Text, markers
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.documents import Segment, uploads
from leaf.services import runs

PAGE = "https://a.example/x"
FETCHED = {
    "type": "tool-fetch", "toolCallId": "f", "state": "output-available", "input": {"url": PAGE},
    "output": {"url": PAGE, "title": "X", "content": "these words are on the page"},
}  # fmt: skip
SAID = {"type": "text", "text": f"A.[^1]\n\n[^1]: “these words are on the page” — [X]({PAGE})", "state": "done"}


def _task() -> runs.Assignment:
    ids = (uuid4(), uuid4(), uuid4())
    actor = Actor("user", user_id=uuid4(), workspace_id=uuid4())
    return runs.Assignment(actor, *ids, "sandbox:sandbox", Mode.QUICK, {}, "?", False, None, [])


async def _checked(*parts: dict[str, Any]) -> dict[str, Any]:
    return {chunk["type"]: chunk["data"] for chunk in await checks.checked(_task(), [*parts], [])}


async def test_an_answer_is_checked_once_its_text_is_there() -> None:
    """# 000-37"""
    found = await _checked(FETCHED, SAID)
    assert list(found) == [citations.COVERAGE, citations.CITATIONS]
    assert found[citations.CITATIONS][0]["verified"]
    assert found == await _checked(FETCHED, SAID), "whoever takes over says the same"


async def test_a_quote_in_a_text_that_announces_a_step_is_no_source() -> None:
    """Public pages and exports leave such texts out, so its number would stand nowhere. # 000-37"""
    announced = {"type": "text", "text": f"I'll read “these words are not there” — [X]({PAGE}).", "state": "done"}
    (one,) = (await _checked(announced, FETCHED, SAID))[citations.CITATIONS]
    assert (one["n"], one["quote"]) == (1, "these words are on the page")


async def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert await _checked({"type": "text", "text": "Hello."}) == {}


async def test_a_search_engines_excerpt_verifies_nothing() -> None:
    """# 000-37"""
    results = [{"url": PAGE, "title": "X", "snippet": "Here these words are on the page, it says"}]
    search = FETCHED | {"type": "tool-search", "output": {"query": "x", "results": results}}
    (one,) = (await _checked(search, SAID))[citations.CITATIONS]
    assert (one["verified"], one["reason"], one["name"]) == (False, "snippet", "X")


async def test_what_there_was_no_time_for_is_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECK_SECONDS", -1.0)
    (one,) = (await _checked(FETCHED, SAID))[citations.CITATIONS]
    assert (one["verified"], one["reason"]) == (False, "unchecked")


async def test_what_goes_wrong_leaves_quotes_unverified_and_the_answer_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_SOURCES", "many")
    found = await _checked(FETCHED, SAID)
    (one,) = found[citations.CITATIONS]
    assert (one["verified"], one["reason"], one["quote"]) == (False, "unchecked", "these words are on the page")
    assert found[citations.COVERAGE]["web"]["pages"]


async def test_what_is_beyond_the_limit_of_files_is_not_called_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_SOURCES", 0)
    (one,) = (await _checked(FETCHED, SAID))[citations.CITATIONS]
    assert one["reason"] == "unchecked"


async def test_a_quote_of_what_was_read_of_a_very_long_file_needs_no_time() -> None:
    """# 000-37"""
    long = [[Passage("all", "word " * 600_000 + "the very last words here")]]
    given = [[Passage("page 9", "these words were read by the model")]]
    # For the long text there is no time at all.
    texts = [Text(one, 0.0 if one in long else time.monotonic() + 60) for one in checks._quickest_first(long, given)]
    library = citations.Library.of([Call("fetch", {"url": PAGE, "title": "X", "content": "x"})])
    answer = f"A.[^1]\n\n[^1]: “these words were read” — [X]({PAGE})"
    found = markers.numbered({0: citations.references(answer)})
    (one,) = citations.check(found, library, {("web", PAGE): texts})
    assert (one.verified, one.part) == (True, "page 9")
    assert checks._quickest_first([[Passage("all", "short")]], given) == [[Passage("all", "short")]]


def test_the_places_of_an_upload_are_those_of_its_lines() -> None:
    """Lines that only name a place are no part of its text."""
    segments = [Segment("page 1", None, "one two\n[page 9]"), Segment("page 2", None, "three four five six")]
    text, places = uploads._in_lines(segments, marked=True)
    found = Text(checks.by_places(text, places)).find("[page 9] three four five six")
    assert found is not None
    assert found.part == "pages 1-2"
    plain = Text(checks.by_places("one\ntwo three four five\n", [])).find("two three four five")
    assert plain is not None
    assert plain.part == "line 2"


LINKED = {"type": "text", "text": f"So it is [1]({PAGE}), and [2](https://made-up.example/x).", "state": "done"}


def _links(found: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(one["url"], one["reason"], one["verified"]) for one in found.get(citations.CITATIONS, [])]


async def test_a_link_that_no_tool_gave_is_told_as_unverified() -> None:
    """# 002-14"""
    assert _links(await _checked(FETCHED, LINKED)) == [("https://made-up.example/x", "not_given", False)]
    assert [url for url, _, _ in _links(await _checked(LINKED))] == [PAGE, "https://made-up.example/x"]


async def test_what_earlier_turns_and_the_asker_gave_counts_and_what_was_clicked_does_not() -> None:
    """# 002-14"""
    call = ToolCallPart("fetch", {"url": "https://made-up.example/x"}, "f")
    earlier = [
        ModelRequest(parts=[UserPromptPart(f"What does {PAGE} say?")]),
        ModelResponse(parts=[call]),
        ModelRequest(parts=[ToolReturnPart("fetch", {"url": "https://elsewhere.example", "content": "x"}, "f")]),
        ModelResponse(parts=[TextPart("It is told at https://third.example.")]),
    ]
    said = LINKED | {"text": LINKED["text"] + " [3](https://third.example)"}
    found = await checks.checked(_task(), [said], earlier)
    assert [one["url"] for one in found[0]["data"]] == ["https://third.example"], "an answer gives nothing"
    clicked = replace(_task(), suggested=frozenset({f"What does {PAGE} say?"}))
    found = await checks.checked(clicked, [said], earlier)
    assert [one["url"] for one in found[0]["data"]] == [PAGE, "https://third.example"]
    told = replace(_task(), instructions=f"Look at {PAGE} first.", question="And made-up.example/x?")
    assert [one["type"] for one in await checks.checked(told, [LINKED], [])] == [citations.LINKS]


async def test_an_answer_names_the_links_that_a_source_has_spelled_so() -> None:
    """Every other link asks before it opens: its address can hold what was read, in whatever spelling. # 000-35"""
    given, page = "https://a.example/plan?a=1&b=2", "https://b.example/x%20y"
    read = {
        "type": "tool-read_drive_file", "toolCallId": "r", "state": "output-available", "input": {"id": "1"},
        "output": {"url": "https://docs.google.com/d/1", "content": f"A plum. {given}. See {page} or c.example/k"},
    }  # fmt: skip
    wrote = {
        "type": "tool-write_file", "toolCallId": "w", "state": "output-available",
        "output": {"content": "d.example/plum"}, "input": {"path": "a.md", "content": "d.example/plum"},
    }  # fmt: skip
    composed = [
        "https://a.example/plan?b=2&a=1", "https://a.example/pl%61n?a=1&b=2", f"{given}#plum", "https://a.example",
        f"{given}&utm_source=plum", "https://plum.a.example/plan?a=1&b=2", "https://plum@c.example/k",
        "https://d.example/plum", "https://b.example/x y", "https://docs.google.com/d/1?q=plum", "https://c.example/K",
        "https://evil.example/?q=plum",
    ]  # fmt: skip
    spelled = [given, page, "http://c.example/k/", "https://docs.google.com/d/1"]
    text = {"type": "text", "text": " ".join(f"[x](<{one}>)" for one in [*composed, *spelled]), "state": "done"}
    links = (await _checked(read, wrote, text))[citations.LINKS]
    assert links == {"private": True, "given": sorted(spelled)}
    assert not (await _checked(FETCHED, text))[citations.LINKS]["private"], "the web has nothing to give away"
    assert citations.LINKS not in await _checked(read, {"type": "text", "text": "Plums."})


async def test_links_of_an_answer_that_could_not_be_checked_are_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-14"""
    monkeypatch.setattr(checks, "MAX_SOURCES", "many")
    assert [reason for _, reason, _ in _links(await _checked(FETCHED, LINKED))] == ["unchecked", "unchecked"]


async def test_a_page_is_known_by_the_address_that_led_to_it() -> None:
    """# 002-14"""
    said = SAID | {
        "text": "A.[^1]\n\n[^1]: “these words are on the page” — [X](http://www.short.example/?utm_source=a)"
    }
    (one,) = (await _checked(FETCHED | {"input": {"url": "https://short.example"}}, said))[citations.CITATIONS]
    assert (one["verified"], one["name"]) == (True, "X")
