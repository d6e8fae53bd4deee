"""Where the calls of display tools and the to-do list stand in an answer, and what of them is sent."""

import json
from typing import Any

from leaf.views import activity
from leaf.views.frames import Frame, framed
from leaf.views.rows import Item, Items
from tests.unit.test_state_live import Page

TABLE = {"title": "T", "columns": [{"key": "a", "label": "A"}], "rows": [{"a": "x" * 1000}]}


def _call(tool: str, state: str = "output-available", call_id: str = "c", **more: Any) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": call_id, "state": state, **more}


def _text(text: str, state: str = "done") -> dict[str, Any]:
    return {"type": "text", "text": text, "state": state}


def _todo(done: int, call_id: str, state: str = "output-available") -> dict[str, Any]:
    output = {"todos": [], "completedCount": done, "totalCount": 3}
    return _call("todoWrite", state, call_id, **({"output": output} if state == "output-available" else {}))


def _drawn(item: Item) -> dict[str, Any]:
    assert item.kind == "display"
    return json.loads(item.blocks[0])


def test_what_is_displayed_stands_where_it_was_called_and_not_among_the_steps():
    """# 002-19"""
    parts = [
        _call("search_drive", output={}),
        _call("displayTable", output=TABLE),
        _call("grep", output={}),
        _text("A"),
    ]
    items = Items().of(parts)
    assert [item.kind for item in items] == ["steps", "display", "steps", "text"]
    assert _drawn(items[1]) == {"tool": "displayTable", "data": TABLE, "state": "output-available"}


def test_each_state_of_a_call_is_told_apart():
    """# 002-50"""
    shown = [
        _drawn(Items().of([_call("displayPlan", state, input={"a": 1}, output={"b": 2}, errorText="No.")])[0])
        for state in ("input-streaming", "input-available", "output-available", "output-error")
    ]
    assert [{**one, "tool": "", "state": ""} for one in shown] == [
        {"tool": "", "state": ""},
        {"tool": "", "data": {"a": 1}, "state": ""},
        {"tool": "", "data": {"b": 2}, "state": ""},
        {"tool": "", "error": "No.", "state": ""},
    ]


CHART = {
    "columns": [{"name": "city", "unit": ""}, {"name": "cost", "unit": "EUR"}],
    "rows": [["Bonn", 12], ["Rome", None]], "more": False,
    "chart": {"kind": "bar", "x": "city", "y": ["cost"], "title": "Costs"},
}  # fmt: skip


def test_a_computed_chart_stands_below_its_step_and_has_files_once_the_answer_is_stored():
    part = _call("compute", call_id="a/1", input={"query": "SELECT 1"}, output=CHART)
    steps, chart = Items().of([part])
    assert (steps.kind, [step.id for step in steps.steps]) == ("steps", ["a/1"])
    shown = _drawn(chart)
    assert (shown["tool"], shown["state"], shown["data"]["call"]) == ("compute", "output-available", "a%2F1")
    assert shown["data"]["picture"][0] == "svg"
    assert shown["data"]["note"] == "1 value is missing in the table and not drawn."
    assert shown["data"]["table"] == {
        "title": "Bar chart: Costs",
        "columns": [
            {"key": "0", "label": "city", "type": "text"},
            {"key": "1", "label": "cost (EUR)", "type": "number"},
        ],
        "rows": [{"0": "Bonn", "1": 12}, {"0": "Rome"}],
    }
    assert _drawn(Items(live=True).of([part])[1])["data"]["call"] == ""


def test_a_computation_without_a_chart_is_a_step_alone():
    withheld = _call("compute", output={"tables": [], "withheld": "refused"})
    failed = _call("compute", "output-error", errorText="No column.", input={"chart": CHART["chart"]})
    for part in (_call("compute", output={**CHART, "chart": None}), withheld, failed):
        assert [item.kind for item in Items().of([part])] == ["steps"]


def test_a_chart_that_does_not_fit_its_result_is_marked_as_unfit():
    output = {**CHART, "rows": [["Bonn", "many"]]}
    assert _drawn(Items().of([_call("compute", output=output)])[1]) == {
        "tool": "compute",
        "data": output,
        "state": "unfit",
    }


def test_a_result_that_cannot_be_drawn_is_marked_as_unfit():
    """An imported chat may hold anything; the page then shows the JSON. # 002-50"""
    for output in (None, [], "text", {"title": 1, "steps": []}, {"title": "T", "steps": {}}, {"title": "T"}):
        shown = _drawn(Items().of([_call("displayPlan", output=output)])[0])
        assert (shown["state"], shown["data"]) == ("unfit", output)


def test_links_of_a_result_lead_to_the_web_alone():
    """# 002-21 002-22"""
    items = [{"title": "A", "url": "https://a.example"}, {"title": "B", "url": "javascript:alert(1)"}, {"title": "C"}]
    sources = _drawn(Items().of([_call("displayCitations", output={"items": items})])[0])
    assert [one.get("url") for one in sources["data"]["items"]] == ["https://a.example", "", None]
    for url, kept in (("HTTP://a.example", "HTTP://a.example"), ("data:text/html,x", ""), ("/chat/1", ""), (7, "")):
        card = _drawn(Items().of([_call("displayLinkPreview", output={"title": "T", "url": url})])[0])
        assert card["data"]["url"] == kept
    link, harmful = {"url": "https://a.example", "label": "A"}, {"url": "javascript:alert(1)"}
    table = {**TABLE, "rows": [{"a": link, "b": harmful, "c": {**harmful, "label": "C"}, "d": None}, 7]}
    rows = _drawn(Items().of([_call("displayTable", output=table)])[0])["data"]["rows"]
    # What leads elsewhere is still read.
    words = [{"url": "", "label": "javascript:alert(1)"}, {"url": "", "label": "C"}]
    assert rows == [{"a": link, "b": words[0], "c": words[1], "d": None}, 7]


def test_what_did_not_fit_is_not_shown_once_it_was_made_again():
    """# 002-20"""
    refused, step = _call("displayTable", "output-error", "a", errorText="No."), {"type": "step-start"}
    good = _call("displayTable", call_id="b", output=TABLE)
    assert [_drawn(item)["state"] for item in Items().of([refused, step, good])] == ["output-available"]
    assert [_drawn(item)["state"] for item in Items().of([refused, step])] == ["output-error"]
    # While the model may mend it, its reader sees that it is being prepared.
    assert [_drawn(item)["state"] for item in Items(live=True).of([refused, step])] == ["input-streaming"]
    assert _drawn(Items(live=True).of([refused, step, _text("Then not.")])[0])["state"] == "output-error"


def test_the_to_do_list_is_one_list_below_the_group_of_its_first_call():
    """Each call is a step. # 001-20 002-18 002-47"""
    parts = [
        _todo(0, "a"),
        _call("grep", output={}),
        _text("One"),
        _todo(1, "b"),
        _text("Two"),
        _todo(2, "c", "input-streaming"),
    ]
    items = Items().of(parts)
    assert [item.kind for item in items] == ["steps", "display", "text", "steps", "text", "steps"]
    assert [step.icon for step in items[0].steps] == ["todo", "tool"]
    assert _drawn(items[1])["data"]["completedCount"] == 1
    assert (items[3].text, items[3].steps[0].note) == ("Updated the to-do list", "1 of 3 done")
    assert items[5].text == "Updating the to-do list…"


def test_a_to_do_list_that_no_call_has_given_is_not_shown():
    assert [item.kind for item in Items().of([_todo(0, "a", "input-streaming")])] == ["steps"]
    assert [item.kind for item in Items().of([_todo(0, "a", "output-error")])] == ["steps"]


def test_what_is_displayed_is_sent_once_and_beside_the_vars():
    """# 002-19, 002-20"""
    page, items, frame = Page(), Items(live=True), Frame()
    states = [
        [_call("displayTable", "input-streaming", input={"title": "T"})],
        [_call("displayTable", "input-available", input=TABLE)],
        [_call("displayTable", input=TABLE, output=TABLE)],
        [_call("displayTable", input=TABLE, output=TABLE), _text("The", "streaming")],
        [_call("displayTable", input=TABLE, output=TABLE), _text("The end", "streaming")],
    ]
    for parts in states:
        frame = framed(frame, items.of(parts), parts)
        page.take(frame)
        assert [item.blocks for item in frame.items] == [[]] * len(frame.items)
    assert json.loads(page.shown[0][0])["data"] == TABLE
    assert page.received < 1400


def test_a_blank_that_is_written_behind_a_display_opens_nothing():
    parts = [_call("displayPlan", output={}), _text(" ", "streaming")]
    frame = framed(Frame(), Items(live=True).of(parts), parts)
    assert [(item.kind, item.state) for item in frame.items] == [("display", "done")]


def test_activity_says_what_is_being_prepared():
    assert activity.activity([_call("displayTable", "input-streaming")]) == "Preparing a table…"
