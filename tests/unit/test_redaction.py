"""Stored messages without the text of some Drive files. # 000-61"""

from typing import Any

from leaf import citations
from leaf.citations import redaction

FILE, OTHER = "1abcdefghijklmnop", "2abcdefghijklmnop"
URL = f"https://docs.google.com/document/d/{FILE}/edit"
TEXT = (
    f'Old[^1], wide[^a] and red[^2].\n\n[^1]: "It is old" — [Press]({URL})\n'
    '[^a]: "It is wide"\n[^2]: "It is red" — [B](b)'
)


def _cited(n: int, file_id: str, mark: str, **more: Any) -> dict[str, Any]:
    begin = TEXT.index(mark)
    return {
        "n": n, "verified": True, "reason": None, "kind": "drive", "file_id": file_id, "name": "Press", "url": URL,
        "part": "", "quote": "It is", "before": "b", "after": "a", "at": [[1, begin, begin + len(mark)]], **more,
    }  # fmt: skip


def _read(file_id: str) -> dict[str, Any]:
    file = {"id": file_id, "name": "Press", "url": URL, "kind": "text"}
    return {
        "type": "tool-read_drive_file", "toolCallId": file_id, "state": "output-available", "input": {},
        "output": {"file": file, "content": "It is old", "outline": ["Old"], "complete": True},
    }  # fmt: skip


def _message(*cited: dict[str, Any]) -> list[dict[str, Any]]:
    return [_read(FILE), {"type": "text", "text": TEXT}, {"type": citations.CITATIONS, "data": [*cited]}]


def test_footnotes_that_quote_a_file_go_and_every_place_in_the_text_stays() -> None:
    """They are found by their link and by their citation; other footnotes stay."""
    cited = [_cited(1, FILE, "[^1]"), _cited(2, FILE, "[^a]"), _cited(3, OTHER, "[^2]")]
    _, text, data = redaction.without(_message(*cited), {FILE: "refused"})
    assert len(text["text"]) == len(TEXT)
    assert "It is old" not in text["text"]
    assert "It is wide" not in text["text"]
    assert '[^2]: "It is red" — [B](b)' in text["text"]
    assert text["text"].startswith("Old[^1], wide[^a] and red[^2].\n\n[^1]: No longer available to you. ")
    assert [one["reason"] for one in data["data"]] == ["refused", "refused", None]
    assert [one["at"] for one in data["data"]] == [one["at"] for one in cited]
    assert data["data"][0] | {"n": 0, "at": []} == {
        "n": 0, "verified": True, "reason": "refused", "kind": "drive", "file_id": FILE, "name": "", "url": "",
        "part": "", "quote": "", "before": "", "after": "", "at": [],
    }  # fmt: skip


def test_a_message_with_no_text_of_these_files_is_the_same() -> None:
    """Listed files, pages and imported chats change nothing: their words belong to the reader."""
    listed = {"type": "tool-list_drive_folder", "output": {"files": [{"id": FILE, "name": "Press", "url": URL}]}}
    imported = {**_read(FILE), "type": "dynamic-tool", "toolName": "imported:read_drive_file"}
    page = {"type": "tool-fetch", "output": {"url": URL, "content": "It is old"}}
    kept = [listed, imported, page, {"type": citations.CITATIONS, "data": [_cited(1, FILE, "[^1]", reason="imported")]}]
    assert redaction.files_of(kept) == set()
    assert redaction.without(kept, {FILE: "refused"}) == kept


def test_outputs_keep_their_form_and_say_why() -> None:
    made, *_ = redaction.without([_read(FILE)], {FILE: "unanswered"})
    assert made["output"] == {
        "file": {"id": FILE, "name": None, "url": None, "kind": "text"}, "content": "", "complete": False,
        "withheld": "unanswered", "note": "Could not be checked just now: Google Drive does not answer.",
    }  # fmt: skip
    assert redaction.files_of([made]) == {FILE}, "it can be asked for again"
    found = {"files": [{"id": FILE, "name": "Press"}, {"id": OTHER, "name": "B"}], "passages": [
        {"file_id": FILE, "text": "It is old"}, {"file_id": OTHER, "text": "It is red"},
    ]}  # fmt: skip
    assert redaction.output_without(found, {FILE: "refused"}) == {
        "files": [{"id": FILE, "name": None, "url": None}, {"id": OTHER, "name": "B"}],
        "passages": [
            {"file_id": FILE, "withheld": "No longer available to you."}, {"file_id": OTHER, "text": "It is red"},
        ],
    }  # fmt: skip


def test_the_receipt_names_no_file_that_is_left_out() -> None:
    receipt = {"read": [{"id": FILE, "name": "Press", "url": URL, "parts": ["all"]}], "looked_into": [], "found": 1}
    *_, made = redaction.without([_read(FILE), {"type": citations.COVERAGE, "data": receipt}], {FILE: "refused"})
    assert made["data"]["read"] == [{"id": FILE, "name": None, "url": None, "parts": ["all"]}]
    assert made["data"]["found"] == 1
