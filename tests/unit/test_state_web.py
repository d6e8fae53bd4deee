"""The texts of the page about searches and web pages. Pure."""

from typing import Any

import pytest

from leaf import parts
from leaf.state import details
from leaf.views import steps

FOUND = {
    "state": "complete", "query": "pears", "provider": "brave",
    "results": [{"n": 3, "title": "Pears", "url": "https://a.example/p"}, {"n": 4, "url": "javascript:alert(1)"}],
}  # fmt: skip
READ = {
    "state": "complete",
    "n": 3,
    "url": "https://a.example/p",
    "title": "Pears",
    "content": "Text",
    "truncated": True,
}


def part(tool: str, state: str = "output-available", **values: Any) -> parts.Part:
    return {"type": f"tool-{tool}", "toolCallId": "1", "state": state, **values}


@pytest.mark.parametrize(("given", "expected"), [
    (part("search", "input-streaming"), ("web", "running", "Searching the web…", "")),
    (part("search", "input-available", input={"query": "pears"}),
     ("web", "running", "Searching the web for “pears”…", "")),
    (part("search", output={"state": "searching", "query": "pears"}, preliminary=True),
     ("web", "running", "Searching the web for “pears”…", "")),
    (part("search", output=FOUND), ("web", "done", "Searched the web for “pears”", "2 results")),
    (part("search", output={**FOUND, "results": []}), ("web", "done", "Searched the web for “pears”", "nothing found")),
    (part("search", "output-error", input={"query": "pears"}, errorText="Brave is used up."),
     ("web", "failed", "Could not search the web for “pears”", "Brave is used up.")),
    (part("fetch", "input-available", input={"url": "https://a.example/p"}),
     ("page", "running", "Reading a.example…", "")),
    (part("fetch", "input-streaming", input={"url": "https://["}), ("page", "running", "Reading a page…", "")),
    (part("fetch", output=READ), ("page", "done", "Read Pears", "a.example, in part")),
    (part("fetch", "output-error", input={"url": "https://a.example/p"}, errorText="Not found."),
     ("page", "failed", "Could not read a.example", "Not found.")),
])  # fmt: skip
def test_a_call_in_words(given: parts.Part, expected: tuple[str, str, str, str]) -> None:
    """# 002-14"""
    step = steps.step_of(given, {})
    assert (step.icon, step.state, step.text, step.note) == expected


def test_a_group_counts_what_was_done_on_the_web_apart_from_drive() -> None:
    failed = part("fetch", "output-error", input={"url": "https://b.example/"}, errorText="No.")
    drive = part("search_drive", input={"query": "pears"}, output={"files": []})
    group = [drive, part("search", output=FOUND), part("search", output=FOUND), part("fetch", output=READ), failed]
    told = steps.sentence([steps.step_of(one, {}) for one in group])
    assert told == "Searched Drive for “pears” · searched the web 2 times · read Pears · could not read 1 page"


def test_only_web_addresses_become_links() -> None:
    assert [(link.number, link.url) for link in details.detail_of(part("search", output=FOUND)).links] == [
        ("3", "https://a.example/p")
    ]
    assert [link.title for link in details.detail_of(part("fetch", output=READ)).links] == ["Pears"]
    assert details.detail_of(part("fetch", output=READ)).output == "Text"
    assert details.detail_of(part("read_file", output={"url": "https://a.example/p"})).links == []
    preliminary = part("search", output={"state": "searching", "query": "pears"}, preliminary=True)
    assert details.detail_of(preliminary) == details.Detail(state="input-available")


@pytest.mark.parametrize(("output", "language"), [
    (FOUND, "json"),
    (READ, ""),
    ({"content": "[page 1] Pears"}, ""),
    ({"content": '{"pears": 3}'}, "json"),
    ({"content": "[" * details.SHOWN_CHARACTERS}, ""),
    ({"pears": "p" * details.SHOWN_CHARACTERS}, ""),
])  # fmt: skip
def test_an_output_that_is_json_as_a_whole_has_its_colours(output: dict[str, Any], language: str) -> None:
    """# 001-13"""
    assert details.detail_of(part("search", output=output)).language == language
