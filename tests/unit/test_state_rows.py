"""The drawing of a message's parts: items, steps in words, and the current activity."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf import citations, parts, texts
from leaf.services import chats
from leaf.views import activity, rows
from leaf.views.activity import waits_for
from leaf.views.steps import names_of, sentence, step_of


def _search(state: str = "output-available", **output: Any) -> dict[str, Any]:
    part = {"type": "tool-search_drive", "toolCallId": "s", "state": state, "input": {"query": "budget"}}
    return part | ({"output": {"query": "budget", **output}} if state == "output-available" else {})


def _read(call_id: str = "r", state: str = "output-available", **output: Any) -> dict[str, Any]:
    part = {"type": "tool-read_drive_file", "toolCallId": call_id, "state": state, "input": {"file": "1abcdefgh"}}
    return part | ({"output": output} if state == "output-available" else {})


NOW = datetime(2026, 11, 22, tzinfo=UTC)
FORECAST = {"id": "1abcdefgh", "name": "Forecast 2026", "kind": "spreadsheet", "url": "https://drive.example/f"}


def _text(text: str, state: str = "done") -> dict[str, Any]:
    return {"type": "text", "text": text, "state": state}


def test_a_running_search_says_what_it_looks_for():
    """000-36"""
    step = step_of(_search("input-available"), {})
    assert (step.state, step.text) == ("running", "Searching Drive for “budget”…")


def test_a_running_read_names_the_file_that_an_earlier_search_found():
    """000-36"""
    found = _search(files=[FORECAST])
    reading = _read(state="input-available")
    assert step_of(reading, names_of([found, reading])).text == "Reading Forecast 2026…"


def test_a_file_is_named_while_its_id_is_still_being_written():
    names = names_of([_search(files=[FORECAST])])
    part = {"type": "tool-read_drive_file", "toolCallId": "r", "state": "input-streaming", "input": {"file": "1abcde"}}
    assert step_of(part, names).text == "Reading Forecast 2026…"


def test_a_skipped_file_says_why():
    skipped = _read(skipped={"id": "x", "name": "Scan.pdf", "url": "", "reason": "It has no text."})
    step = step_of(skipped, {})
    assert (step.state, step.text, step.note) == ("skipped", "Could not read Scan.pdf", "It has no text.")


@pytest.mark.parametrize(
    ("tool", "told"),
    [("write_file", "write"), ("edit_file", "edit"), ("delete_file", "delete"), ("read_file", "read")],
)
@pytest.mark.parametrize("state", ["output-error", "output-denied"])
def test_a_change_of_a_file_that_failed_is_not_told_as_done(tool: str, told: str, state: str):
    """Neither in its row nor in the sentence of its group. # 001-26"""
    part = {"type": f"tool-{tool}", "toolCallId": "1", "state": state, "input": {"path": "r.pdf"}, "errorText": "No."}
    step = step_of(part, {})
    assert (step.state, step.text) == ("failed", f"Could not {told} r.pdf")
    assert sentence([step]).startswith("Could not ")


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("fetch", {"url": "https://a.example/x"}, "Could not read a.example"),
        ("fetch", {}, "Could not read a page"),
        ("search", {"query": "hail"}, "Could not search the web for “hail”"),
        ("search", {}, "Could not search the web"),
    ],
)
@pytest.mark.parametrize("state", ["output-error", "output-denied"])
def test_a_page_that_was_not_read_is_not_told_as_read(tool: str, given: dict[str, str], told: str, state: str):
    """# 000-36"""
    part = {"type": f"tool-{tool}", "toolCallId": "1", "state": state, "input": given, "errorText": "No."}
    step = step_of(part, {})
    assert (step.state, step.text) == ("failed", told)
    assert sentence([step]).startswith("Could not ")


@pytest.mark.parametrize("tool", ["read_drive_file", "read_file", "search_drive", "edit_file"])
def test_a_call_of_a_stopped_answer_is_stopped_and_no_failure(tool: str):
    """In its row, in the sentence of its group, and in the receipt. # 000-36"""
    open_call = {"type": f"tool-{tool}", "toolCallId": "1", "state": "input-available", "input": {"path": "r.pdf"}}
    part = parts.failed(open_call, texts.english("failures.stopped"))
    step = step_of(part, {})
    assert (step.state, step.note) == ("stopped", "stopped")
    assert step.text.startswith(("Reading ", "Searching ", "Editing "))
    assert not step.text.endswith("…")
    done = step_of(_read(file=FORECAST, content="x"), {})
    assert sentence([step]) == "Stopped"
    assert sentence([done, step]) == "Read Forecast 2026 · stopped"
    receipt = citations.coverage_of([_search(files=[FORECAST]), part])
    assert receipt is not None
    assert receipt["failed"] == []


def test_a_failed_call_shows_its_error():
    failed = {**_search("output-error"), "errorText": "Drive is not connected."}
    step = step_of(failed, {})
    assert (step.state, step.note) == ("failed", "Drive is not connected.")


def test_a_partial_listing_says_so():
    """000-19"""
    assert step_of(_search(files=[FORECAST], partial=True), {}).note == "1 file, and there may be more"
    missed = _search(files=[FORECAST], partial=True, drives_missed=True)
    assert step_of(missed, {}).note == "1 file; Google has not searched every drive"


def test_several_wordings_of_a_search_are_told_apart():
    """As in the receipt of the answer: a comma may be part of a wording. # 000-36"""
    wordings = ["deposit, e-bikes", "rental terms"]
    part = {"type": "tool-search_files", "toolCallId": "s", "state": "input-available", "input": {"queries": wordings}}
    assert step_of(part, {}).text == "Searching Drive for “deposit, e-bikes · rental terms”…"


def test_a_group_reads_like_a_sentence():
    other = {**FORECAST, "id": "2", "name": "Plan"}
    parts = [_search(files=[FORECAST]), _read(file=FORECAST, content="x"), _read("q", file=other, content="y")]
    steps = [step_of(part, {}) for part in parts]
    assert sentence(steps) == "Searched Drive for “budget” · read 2 files"


def test_failed_searches_claim_no_search_and_give_their_reason_once():
    failed = [
        {**_search("output-error"), "toolCallId": call, "errorText": "Google answered 503."} for call in ("a", "b", "c")
    ]
    steps = [step for item in rows.Items().of(failed) for step in item.steps]
    assert {step.text for step in steps} == {"Could not search Drive for “budget”"}
    assert [step.note for step in steps] == ["Google answered 503.", "for the same reason", "for the same reason"]
    assert sentence(steps) == "Could not search Drive 3 times"
    assert sentence([*steps[:1], step_of(_search(files=[FORECAST]), {})]) == (
        "Searched Drive for “budget” · could not search Drive"
    )


def test_a_file_that_was_read_in_two_pieces_counts_once():
    parts = [_read(file=FORECAST, content="x", part="page 1"), _read("q", file=FORECAST, content="y", part="page 2")]
    assert sentence([step_of(part, {}) for part in parts]) == "Read Forecast 2026"


def test_a_computation_is_not_told_as_a_further_file_that_was_read() -> None:
    """Two calls over one file were told as "Read 2 files". # 001-26"""

    def compute(call_id: str, given: dict[str, str], output: dict[str, Any]) -> dict[str, Any]:
        shared = {"type": "tool-compute", "toolCallId": call_id, "state": "output-available"}
        return {**shared, "input": {"files": ["1abcdefgh"], **given}, "output": output}

    looked = compute("l", {}, {"files": [FORECAST]})
    computed = compute("c", {"query": "SELECT 1"}, {"files": [FORECAST]})
    steps = [step_of(part, {}) for part in (_read(file=FORECAST, content="x"), looked, computed)]
    assert sentence(steps[:2]) == "Read Forecast 2026 · looked at the tables of Forecast 2026"
    assert sentence(steps) == "Read Forecast 2026 · computed from Forecast 2026"
    missed = compute("m", {"query": "SELECT 1"}, {"skipped": {"name": "Plan", "reason": "It is a folder."}})
    assert sentence([steps[2], step_of(missed, {})]) == "Computed from Forecast 2026 · could not read Plan"


def test_tool_calls_between_texts_form_groups():
    """000-42: the order of an answer's parts is the order on the page."""
    parts = [_text("First."), _search(), {"type": "step-start"}, _read(file=FORECAST, content="x"), _text("Then.")]
    items = rows.Items().of(parts)
    assert [item.kind for item in items] == ["text", "steps", "text"]
    assert len(items[1].steps) == 2


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.sampled_from(["A word ", "**bold** ", "\n\n", "- item\n", "```\ncode\n```\n", "| a |\n|---|\n"]), max_size=30
    )
)
def test_a_text_that_grows_ends_as_the_text_that_is_stored(pieces: list[str]):
    """000-42: reloading renders what the live view rendered."""
    live = rows.Items()
    shown: list[rows.Item] = []
    for end in range(len(pieces) + 1):
        shown = live.of([_text("".join(pieces[:end]), "streaming")])
    assert shown == rows.Items().of([_text("".join(pieces))])


def test_a_text_that_was_rewound_is_cut_anew():
    live = rows.Items()
    live.of([_text("One.\n\nTwo.\n\nThree")])
    assert [item.blocks for item in live.of([_text("Uno.\n\nDue")])] == [["Uno.", "Due"]]


def test_activity_says_what_goes_on():
    running = _search("input-available")
    assert activity.activity([]) == activity.THINKING
    assert activity.activity([running]) == "Searching Drive for “budget”…"
    assert activity.activity([_search()]) == activity.THINKING
    assert activity.activity([_text("So", "streaming")]) == activity.WRITING


def test_an_error_without_words_still_says_something():
    """000-48"""
    message = chats.Message(uuid4(), "assistant", "error", [], NOW, NOW, run_id=uuid4())
    assert rows.row_of(message).reason == "The answer could not be finished."


def _answer(*message_parts: dict[str, Any], status: str = "completed", **details: Any) -> chats.Message:
    data = citations.coverage_of(message_parts)
    receipt = [{"type": citations.COVERAGE, "id": "coverage", "data": data}] if data else []
    found = [*message_parts, _text("So it is."), *receipt]
    return chats.Message(
        uuid4(), "assistant", status, found, NOW, NOW, run_id=uuid4(), details=details or {"usage": {}}
    )


def test_one_line_says_what_an_answer_rests_on():
    """The sources, and how much was read and skipped. # 000-56"""
    skipped = _read("q", skipped={"id": "3", "name": "S"})
    coverage = rows.row_of(_answer(_search(files=[FORECAST]), _read(file=FORECAST, content="x"), skipped)).coverage
    assert (coverage.brief, coverage.warns, coverage.used_file) == ("1 read · 1 could not be read", True, True)


def test_an_answer_that_used_no_file_is_known():
    """Also where no tool was called, and with pages of the web; not for a stopped or an imported answer. # 000-37"""
    web = {"type": "tool-search", "toolCallId": "w", "state": "output-available", "input": {"query": "hail"},
           "output": {"query": "hail", "results": [{"url": "https://a.example"}]}}  # fmt: skip

    def unsourced(message: chats.Message) -> bool:
        coverage = rows.row_of(message).coverage
        return coverage.answered and not coverage.used_file

    assert unsourced(_answer())
    assert unsourced(_answer(web))
    assert unsourced(_answer(_search(files=[FORECAST])))
    assert not unsourced(_answer(_read(file=FORECAST, content="x")))
    assert not unsourced(_answer(status="stopped"))
    assert not unsourced(chats.Message(uuid4(), "assistant", "completed", [_text("So.")], NOW, NOW, run_id=uuid4()))


@pytest.mark.parametrize("key", ["errors.drive_not_connected", "errors.drive_revoked"])
def test_a_drive_that_is_not_connected_is_no_fact_of_an_answer(key: str):
    """Its step stays folded and has no note, and the line below has no failure: the banner says it. # 000-47"""
    message = texts.english(key)
    open_call = {"type": "tool-search_drive", "toolCallId": "1", "state": "input-available", "input": {"query": "x"}}
    row = rows.row_of(_answer(parts.failed(open_call, message)))
    (steps,) = (item for item in row.body if item.kind == "steps")
    assert (steps.alone, steps.unfolded) == (False, False)
    assert [(step.state, step.note) for step in steps.steps] == [("failed", "")]
    assert (row.coverage.brief, row.coverage.lines) == ("", [])


def test_related_questions_are_an_item_of_their_own() -> None:
    """Loading, streaming, success; none where none came, and nothing of what is no text. # 002-27"""

    def item(status: str, *questions: object) -> list[rows.Item]:
        data = {"status": status, "questions": [*questions]}
        return rows.Items().of([{"type": parts.RELATED, "id": "related", "data": data}])

    (loading,) = item("loading")
    assert (loading.kind, loading.state, loading.steps) == ("related", "running", [])
    (done,) = item("success", "One?", "Two?", 3)
    assert (done.state, [step.text for step in done.steps]) == ("done", ["One?", "Two?"])
    assert item("error") == []
    assert rows.Items().of([{"type": parts.RELATED, "data": "x"}]) == []


def test_a_call_that_waits_for_its_caller_says_so_in_both_languages():
    """And one of an MCP server's, which nobody declares, does not. # 004-23"""
    part = {"type": "tool-readDocument", "toolCallId": "c", "state": "input-available", "input": {}}
    step = step_of(part, {})
    assert (step.state, step.text) == ("running", "Waiting for your browser to run readDocument")
    assert waits_for([_text("I look."), part]) == activity.activity([part]) == step.text
    texts.use("de")
    assert step_of(part, {}).text == "Wartet darauf, dass Ihr Browser readDocument ausführt"
    texts.use("en")
    done = {**part, "state": "output-available", "output": "x"}
    of_mcp = {"type": "dynamic-tool", "toolName": "wiki_find", "toolCallId": "m", "state": "input-available"}
    assert waits_for([done, of_mcp, _search("input-available")]) == ""
    assert "browser" not in step_of(done, {}).text + step_of(of_mcp, {}).text
