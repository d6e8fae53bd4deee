"""The citations and the receipt on a page, and their data."""

from contextvars import copy_context
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf import citations, errors, parts, texts
from leaf.citations import redaction
from leaf.documents.kinds import refusal
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.services import chats
from leaf.services.comparisons import Comparison
from leaf.texts import english
from leaf.views import computations, evidence, frames, receipts, rows, source_changes, sources, steps
from tests import live_text


def _tool(name: str, output: Any = None, **given_: Any) -> dict[str, Any]:
    part = {"type": f"tool-{name}", "toolCallId": name, "state": "output-available", "input": given_, "output": output}
    return part if output is not None else {**part, "state": "output-error", "errorText": "It does not answer."}


def _file(number: int, kind: str = "document") -> dict[str, Any]:
    return {"id": f"id{number}", "name": f"File {number}", "kind": kind, "url": f"https://drive.example/{number}"}


def _skipped(reason: str) -> dict[str, Any]:
    """The call that skipped file 3, as it is stored."""
    part = _tool("read_drive_file", {"skipped": {**_file(3), "reason": str(reason)}}, file="id3")
    keyed = parts.keyed({}, reason)
    return part | ({"resultProviderMetadata": keyed["providerMetadata"]} if keyed else {})


PARTS: list[dict[str, Any]] = [
    _tool("search_drive", {"query": "budget", "files": [_file(1), _file(2)], "partial": False}, query="budget"),
    _tool("search_drive", {"query": "plan", "files": [_file(2), _file(3)], "partial": False}, query="plan"),
    _tool(
        "list_drive_folder",
        {"folder": _file(9), "files": [_file(4), _file(5, "folder")], "total": 700, "partial": True},
        folder="id9",
    ),
    _tool("read_drive_file", {"file": _file(1), "part": "all", "content": "x", "complete": True}, file="id1"),
    _tool("read_drive_file", {"file": _file(2), "part": "pages 1-3", "content": "x", "complete": False}, file="id2"),
    _skipped(english("refusals.no_text_scan")),
    _tool("search", {"query": "hail", "results": [{"url": "https://a.example"}]}, query="hail"),
    _tool("fetch", {"url": "https://a.example", "title": "A", "content": "x", "truncated": True}, url="x"),
    _tool("fetch", None, url="https://b.example"),
    _tool("read_file", {"path": "notes.md", "text": "x", "whole": True}, path="notes.md"),
    _tool("displayTable", {"columns": []}),
]


def test_sources_stand_in_the_order_of_the_marks_in_the_answer() -> None:
    """Those that were read and not quoted follow in the order in which they were read. # 000-37"""
    read = [sources.Source(number, f"id{number}", f"File {number}", "document", "") for number in range(1, 5)]
    cited = [
        {"n": n, "verified": True, "reason": None, "kind": "file", "file_id": f"id{number}", "name": f"File {number}",
         "part": "all", "url": "", "quote": "words", "at": [0]}
        for n, number in enumerate((4, 2, 4), 1)
    ]  # fmt: skip
    found, _ = sources.quoted([{"type": citations.CITATIONS, "data": cited}], read)
    assert [(one.name, [quote.n for quote in one.quotes]) for one in found] == [
        ("File 4", [1, 3]), ("File 2", [2]), ("File 1", []), ("File 3", []),
    ]  # fmt: skip


def test_an_answer_over_cells_of_tables_waits_for_no_text() -> None:
    """A chart has no quotes, and nothing is missing."""
    computed = _tool("compute", {"rows": [[1]]})
    assert not _receipt(_found(), computed).absent
    assert _receipt(_found(), {**computed, "output": {"tables": []}}, {"type": "text", "text": "x"}).absent


def test_a_file_that_was_computed_over_is_a_source() -> None:
    """The panel lists it with the figure that it gave; a described or unused one is not listed."""
    tables = [{"file_id": "id1", "part": "rows", "cells": ["B2"]}]
    call = _tool("compute", {"files": [_file(1), _file(2)], "tables": tables, "rows": [[5]]})
    described = _tool("compute", {"files": [_file(3)], "tables": [{"name": "t", "file_id": "id3"}]})
    cited = {
        "n": 1, "verified": True, "reason": None, "kind": "computed", "file_id": "id1", "name": "File 1",
        "part": "rows",
        "url": "", "quote": "sum", "at": [], "call": "compute", "files": ["id1"], "formula": {"en": "sum"},
    }  # fmt: skip
    content = [call, described, {"type": citations.CITATIONS, "data": [cited]}]
    message: parts.Message = {"id": "m", "role": "assistant", "parts": content, "metadata": {}}
    found, others = sources.quoted(content, sources.of([message]))
    assert [(one.name, [quote.n for quote in one.quotes]) for one in found] == [("File 1", [1])]
    assert others == []
    closed = {**message, "parts": redaction.without(content, {"id1": "refused"})}
    assert "File 1" not in repr(sources.of([closed]))


def test_the_receipt_counts_what_the_tools_did() -> None:
    """# 000-56"""
    data = citations.coverage_of(PARTS)
    assert data is not None
    assert [(one["query"], one["files"]) for one in data["searches"]] == [("budget", 2), ("plan", 2)]
    assert (data["found"], data["more"], data["partial"], data["folders"][0]["files"]) == (699, True, 1, 699)
    assert [(one["name"], one["complete"], one["parts"]) for one in data["read"]] == [
        ("File 1", True, ["all"]),
        ("File 2", False, ["pages 1-3"]),
    ]
    assert [(one["name"], one["cause"]) for one in data["skipped"]] == [("File 3", "no_text")]
    assert data["failed"] == [{"tool": "fetch", "about": "https://b.example", "reason": "It does not answer."}]
    assert data["web"]["pages"] == [{"url": "https://a.example", "title": "A", "complete": False}]
    assert data["chat_files"] == [{"path": "notes.md", "complete": True, "gaps": []}]


def test_folders_are_no_files_and_what_a_listing_leaves_out_is_told() -> None:
    """# 000-56"""
    listed = [_file(number, "folder" if number < 3 else "document") for number in range(500)]
    output = {"folder": _file(900), "files": listed, "total": 620, "total_folders": 5, "total_at_least": False}
    folder = _tool("list_drive_folder", output | {"partial": True}, folder="id900")
    found = [_file(1, "folder"), _file(7)]
    search = _tool("search_drive", {"query": "x", "files": found, "partial": False}, query="x")
    data = citations.coverage_of([folder, folder, search])
    assert data is not None
    # What is listed again is one folder.
    assert [(one["files"], one["subfolders"], one["shown"]) for one in data["folders"]] == [(615, 5, 500)]
    assert [(one["files"], one["subfolders"]) for one in data["searches"]] == [(1, 1)]
    assert (data["found"], data["more"], data["partial"]) == (615, True, 1)
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert {line.text: line.note for line in shown.lines} == {
        "Searched Drive for “x”": "1 file and 1 folder",
        "Listed “File 900”": "615 files and 5 folders; incomplete, the first 500 were looked at",
    }


def test_a_file_in_which_words_were_not_found_was_not_read() -> None:
    """# 000-56"""
    missed = {"file": _file(1), "part": "no passages", "content": "", "complete": False, "find": "hail", "matches": 0}
    hit = {"file": _file(2), "part": "page 3", "content": "x", "complete": False, "find": "hail", "matches": 2}
    calls = [_tool("read_drive_file", one, file="x", find="hail") for one in (missed, hit)]
    data = citations.coverage_of(calls)
    assert data is not None
    assert [one["name"] for one in data["read"]] == ["File 2"]
    assert [(one["name"], one["words"]) for one in data["looked_into"]] == [("File 1", ["hail"])]
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert shown.summary == "Read 1 of 2 files · 1 in part · nothing found in 1"
    assert ("Searched File 1", "nothing found for “hail”; it was not read") in [(o.text, o.note) for o in shown.lines]


def test_a_drive_that_google_has_not_searched_is_told_with_what_to_do() -> None:
    """Nothing is said to be absent then."""
    call = _tool("search_files", {"files": [_file(1)], "partial": True, "drives_missed": True}, queries=["hail"])
    data = citations.coverage_of([call])
    assert data is not None
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}], answered=True)
    assert shown.brief.endswith("Google has not searched every drive")
    (line,) = shown.lines
    assert line.note.endswith("every drive. If a file is missing, ask again, or paste its link into your question")
    assert not shown.absent


def test_searches_and_listings_of_the_chats_files_can_be_incomplete_too() -> None:
    calls = [
        _tool("list_files", {"files": [{"path": "a"}] * 500, "total": 700, "partial": True}),
        _tool("grep", {"hits": [{"path": "a", "line": 1}], "partial": True, "files_searched": 3}, pattern="x"),
        _tool("grep", {"hits": [], "partial": False, "files_searched": 9}, pattern="y"),
    ]
    data = citations.coverage_of(calls)
    assert data is not None
    assert data["partial"] == 2
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert [(line.note, line.warns) for line in shown.lines] == [
        ("700 files; incomplete, the first 500 were looked at", True),
        ("1 line in 3 files; incomplete, there may be more", True),
        ("0 lines in 9 files", False),
    ]
    assert shown.summary.endswith("2 listings or searches were incomplete")


def test_a_file_of_the_chat_that_was_read_in_pieces_is_whole_where_they_meet() -> None:
    def piece(first: int, last: int, version: int = 1, text: str = "x") -> dict[str, Any]:
        lines = {"first_line": first, "last_line": last, "total_lines": 30, "whole": False}
        return _tool("read_file", {"path": "a.md", "version": version, "text": text, **lines}, path="a.md")

    def complete(*calls: dict[str, Any]) -> bool:
        return (citations.coverage_of(calls) or {})["chat_files"][0]["complete"]

    assert complete(piece(11, 30), piece(1, 12))
    assert not complete(piece(1, 10), piece(12, 30))
    assert not complete(piece(1, 12), piece(11, 30, version=2))
    assert not complete(piece(1, 12), piece(13, 30, text="x… (the line goes on)"))


def test_what_could_not_be_read_of_a_file_is_told() -> None:
    """Pages without text, and a workbook of which Google exports the first sheet alone. # 000-21, 000-23"""
    notes = [
        "Pages 2, 5-9 have no text layer (scanned or blank): nothing could be read there.",
        "Only the first sheet could be exported, without the names of the others.",
    ]
    calls = [
        _tool("read_drive_file", {"file": _file(n), "part": "all", "content": "x", "complete": True, "note": note})
        for n, note in enumerate(notes)
    ]
    scan = {"path": "scan.pdf", "text": "", "whole": True, "notes": ["scanned PDF: no text layer."]}
    data = citations.coverage_of([*calls, _tool("read_file", scan, path="scan.pdf")])
    assert data is not None
    assert [(one["complete"], one["gaps"]) for one in data["read"]] == [(False, [note]) for note in notes]
    assert data["chat_files"] == [{"path": "scan.pdf", "complete": False, "gaps": ["scanned PDF: no text layer."]}]
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert all(line.warns for line in shown.lines)


def test_a_folder_that_was_refused_is_no_file() -> None:
    refused = {"skipped": {"id": "f", "name": None, "url": None, "reason": "Google cannot find this file or folder."}}
    data = citations.coverage_of([_tool("list_drive_folder", refused, folder="f")])
    assert data is not None
    assert (data["found"], data["skipped"][0]["kind"]) == (0, "folder")
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert shown.lines[0].text == "Could not read a folder"


def test_an_answer_that_looked_nowhere_has_no_receipt() -> None:
    assert citations.coverage_of([_tool("displayTable", {"columns": []}), {"type": "text", "text": "Hello."}]) is None
    assert receipts.coverage_of([]) == receipts.Coverage()


def test_the_receipt_in_words() -> None:
    part = {"type": citations.COVERAGE, "id": "coverage", "data": citations.coverage_of(PARTS)}
    shown = receipts.coverage_of([*PARTS, part])
    assert shown.summary == (
        "Searched 2 times · listed 1 folder · read 2 of at least 699 files · 1 in part · 1 could not be read"
        " · searched the web once · read 1 page · read 1 file of this chat · 1 call failed"
        " · one listing or search was incomplete"
    )
    assert shown.warns
    notes = {line.text: (line.note, line.warns) for line in shown.lines}
    assert notes["Could not read File 3"] == (english("refusals.no_text_scan"), True)
    assert notes["Listed “File 9”"] == (
        "at least 699 files and 1 folder; incomplete, the first 2 were looked at",
        True,
    )
    assert notes["Read File 2"] == ("in part: pages 1-3", False)


def test_a_search_is_named_once() -> None:
    """Of each file of which it found passages the receipt says only that it was read in part."""
    output = {
        "queries": ["rent", "Miete"], "files": [_file(1), _file(2)], "index": {"files": 2, "read": 2, "skipped": 0},
        "passages": [{"file_id": _file(n)["id"], "part": "all", "text": "Rent."} for n in (1, 2)],
    }  # fmt: skip
    data = citations.coverage_of([_tool("search_files", output, queries=output["queries"])])
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    notes = {line.text: line.note for line in shown.lines}
    assert [notes[f"Read File {n}"] for n in (1, 2)] == ["in part", "in part"]
    assert sum("rent · Miete" in f"{line.text} {line.note}" for line in shown.lines) == 1


NAMED = english("refusals.named", name="damaged picture")


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (english("refusals.export", what=NAMED), "export_cap"),
        (english("refusals.megabytes", size=80, most=50), "too_large"),
        (english("refusals.no_text_slides"), "no_text"),
        (english("refusals.not_found", what=english("refusals.this")), "no_access"),
        (english("refusals.owner_download"), "no_access"),
        (english("refusals.encrypted_pdf"), "no_access"),
        (Diagnosis(Cause.NOT_FOUND, {"what": NAMED}).message, "no_access"),
        (Diagnosis(Cause.NO_DOWNLOAD).message, "no_access"),
        (Diagnosis(Cause.CLIENT_ENCRYPTED).message, "no_access"),
        (Diagnosis(Cause.EXPORT_TOO_LARGE).message, "export_cap"),
        (refusal("other", "application/vnd.google-apps.site"), "type"),
        (english("refusals.damaged_workbook"), "damaged"),
        (refusal("image", "image/gif"), "type"),
        (refusal("archive", "application/zip"), "type"),
        (refusal("other", "application/msword"), "type"),
        (refusal("other", "application/x-thing"), "type"),
        (refusal("form", ""), "type"),
        (english("refusals.forbidden", what=NAMED, why=english("refusals.abusive")), "no_access"),
        (english("refusals.shortcut_nowhere", name="Archive"), "no_access"),
        (english("refusals.empty_pdf"), "no_text"),
        (english("refusals.empty_workbook"), "no_text"),
        (english("refusals.long_pdf", count=4000, most=2000), "too_large"),
        (english("refusals.refused", what=NAMED, status=400), "other"),
        ("Something else, such as a damaged picture.", "other"),
    ],
)
def test_the_cause_of_a_skipped_file_follows_from_the_key_of_its_reason(reason: str, cause: str) -> None:
    """The words of a reason, and the name of the file in it, say nothing. # 000-56"""
    data = citations.coverage_of([_skipped(reason)])
    assert data is not None
    assert data["skipped"][0]["cause"] == cause


TEXT = (
    "A claim.[^a] Another.[^2]\n\n> quoted it\n\n— [P](https://p.example)\n\n[^a]: “x y z” — [P](https://p.example)\n"
)


def _cited(n: int, verified: bool, *at: tuple[int, int, int], **further: Any) -> dict[str, Any]:
    source = {"file_id": "id", "name": "P", "url": "https://p.example", "part": "page 2", "quote": "x y z"}
    return {"n": n, "verified": verified, "reason": None, "at": [list(one) for one in at], **source, **further}


END = TEXT.index("p.example)") + len("p.example)")
CITED = [
    _cited(1, True, (0, 8, 12)),
    _cited(2, False, (0, 21, 25), reason="broken_off", quote=""),
    _cited(3, True, (0, END, END)),
]


def _message(*parts: dict[str, Any]) -> chats.Message:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    return chats.Message(
        id=uuid4(), role="assistant", status="completed", parts=[*parts], created_at=now, updated_at=now, run_id=uuid4()
    )


def test_numbers_stand_where_the_program_found_them_and_definitions_nowhere() -> None:
    """# 000-37, 000-46"""
    row = rows.row_of(
        _message({"type": "text", "text": TEXT, "state": "done"}, {"type": citations.CITATIONS, "data": CITED})
    )
    assert row.body[0].blocks == [
        "A claim.[^1] Another.[^2?]",
        "> quoted it",
        "— [P](https://p.example)[^3]",
    ]
    assert [(one.n, one.verified, one.place) for one in row.citations.quotes] == [
        (1, True, "page 2"),
        (2, False, "page 2"),
        (3, True, "page 2"),
    ]
    assert row.citations.unverified == 1
    assert "before it named its source" in row.citations.quotes[1].status


def test_words_that_only_a_search_engine_has_shown_are_told_apart() -> None:
    """# 000-56"""
    shown = evidence.cites_of([{"type": citations.CITATIONS, "data": [_cited(1, False, reason="snippet")]}])
    assert shown.unverified == 1
    assert "only in a search engine's excerpt" in shown.quotes[0].status


def test_a_link_that_nobody_gave_and_what_leaf_wrote_itself_say_so() -> None:
    """The number stands behind the link. # 000-37, 002-14"""
    text = "So it is [1](https://made-up.example/x)."
    end = text.index(")") + 1
    cited = [
        _cited(1, False, (0, end, end), reason="not_given", quote="", part="", url="https://made-up.example/x"),
        _cited(2, False, reason="own"),
    ]
    row = rows.row_of(
        _message({"type": "text", "text": text, "state": "done"}, {"type": citations.CITATIONS, "data": cited})
    )
    assert row.body[0].blocks == ["So it is [1](https://made-up.example/x)[^1?]."]
    assert [one.status for one in row.citations.quotes] == [
        "Unverified: no search, page, file or message of this chat has this address.",
        "Unverified: this text appears only in a file that Leaf itself wrote in this chat.",
    ]


def test_only_addresses_of_the_web_and_of_leaf_are_links() -> None:
    data = [_cited(1, True, url="javascript:alert(1)"), _cited(2, True, url="/api/chats/1/files/a.md?version=1")]
    shown = evidence.cites_of([{"type": citations.CITATIONS, "data": data}]).quotes
    assert [(one.url, one.own) for one in shown] == [("", False), ("/api/chats/1/files/a.md?version=1", True)]


def test_a_quote_from_a_text_read_by_ocr_has_the_picture_of_its_place() -> None:
    """Files in Drive and uploads both have one, if the quote was found. # 000-37, 000-66"""
    part = "page 2, read by OCR"
    data = [
        _cited(1, True, kind="drive", part=part),
        _cited(2, True, kind="chat", part=part, url="/api/chats/1/files/a.pdf?version=1"),
        _cited(3, True, kind="drive"),
        _cited(4, False, kind="drive", part=part),
        _cited(5, True, kind="web", part=part),
    ]
    shown = evidence.cites_of([{"type": citations.CITATIONS, "data": data}]).quotes
    wanted = "place=page+2%2C+read+by+OCR&quote=x+y+z"
    assert [one.picture for one in shown] == [
        f"/api/drive/files/id/picture?{wanted}", f"/api/chats/1/pictures/a.pdf?version=1&{wanted}", "", "", "",
    ]  # fmt: skip
    assert {one.place for one in shown} == {part, "page 2"}


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60))
@settings(deadline=None)
def test_an_answer_with_footnotes_streams_to_what_is_stored(lengths: list[int]) -> None:
    """The pieces that tabs receive add up to the text without its definitions, and never show one. # 000-46"""
    items = rows.Items(live=True)
    before, shown = frames.Frame(), live_text.Texts()
    ends = [sum(lengths[: number + 1]) for number in range(len(lengths))]
    for end in [*(end for end in ends if end < len(TEXT)), len(TEXT)]:
        state = "streaming" if end < len(TEXT) else "done"
        message_parts = [{"type": "text", "text": TEXT[:end], "state": state}]
        frame = frames.framed(before, items.of(message_parts), message_parts)
        changes = frame.since(before if before.number else None)
        shown = live_text.applied(shown, frame.all() if changes is None else changes)
        before = frame
        assert "x y z" not in str(shown)
    assert [shown[place] for place in sorted(shown) if shown[place]] == rows.Items().of(
        [{"type": "text", "text": TEXT}]
    )[0].blocks


def test_a_page_without_a_title_is_named_by_its_address() -> None:
    part = _tool("fetch", {"url": "https://a.example", "title": "", "content": "x"}, url="https://a.example")
    data = citations.coverage_of([part])
    assert data is not None
    assert data["web"]["pages"] == [{"url": "https://a.example", "title": "https://a.example", "complete": True}]


def _refused(tool: str, **refusal: object) -> receipts.Coverage:
    data = citations.coverage_of([{**_tool(tool, {}), **refusal}])
    assert data is not None
    return receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])


def test_a_failure_of_drive_has_its_text_to_forward_under_the_answer() -> None:
    """With what the step knows of the case; only after a failure of the web, a search in Drive is offered."""
    found = Diagnosis(Cause.DOMAIN_POLICY, {"account": "ada@example.org", "file": "https://drive.google.com/open?id=x"})
    skipped = {"id": "x", "name": None, "url": None, "reason": str(found.message)}
    shown = _refused("read_drive_file", **parts.keyed({"output": {"skipped": skipped}}, found.message))
    assert not shown.forward
    stored = parts.keyed({"output": {"skipped": skipped}}, found.message)
    shown = _refused("read_drive_file", output=stored["output"], resultProviderMetadata=stored["providerMetadata"])
    assert "(https://drive.google.com/open?id=x)" in shown.forward
    assert "for ada@example.org" in shown.forward
    assert shown.drive_failed
    failed = {"state": "output-error", "errorText": "It failed."}
    assert _refused("search_files", **failed).drive_failed
    assert not _refused("fetch", **failed).drive_failed
    assert not _refused("fetch", **failed).forward


def test_why_a_connection_was_lost_stays_with_the_step_and_the_answer() -> None:
    """Its fault alone: the banner has what to do, and goes when there is another connection. That there is none at all
    stands in the banner alone.
    """
    found = Diagnosis(Cause.SESSION_CONTROL, {"account": "ada@example.org"})
    call = {"type": "tool-read_drive_file", "toolCallId": "x", "input": {}}
    lost = parts.failed(call, errors.DriveRevoked(cause=found).message)
    step = steps.step_of(lost, {})
    assert (step.text, step.note) == ("Could not read a file", found.fault)
    data = citations.coverage_of([lost])
    assert data is not None
    shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
    assert shown.forward == ""
    assert [line.note for line in shown.lines] == [found.fault]
    assert (shown.brief, [line.warns for line in shown.lines], shown.drive_failed) == ("1 failed", [True], False)
    listed = {**lost, "type": "tool-list_drive_folder"}
    assert steps.step_of(listed, {}).text == "Could not read a folder"
    none = parts.failed(call, errors.DriveNotConnected().message)
    assert steps.step_of(none, {}).note == ""
    data = citations.coverage_of([none])
    assert data is not None
    assert receipts.coverage_of([{"type": citations.COVERAGE, "data": data}]).lines == []


def _found(*passages: str, **more: Any) -> parts.Part:
    files = [
        {"id": one, "name": f"{one}.txt", "kind": "text", "url": f"https://drive.google.com/{one}"} for one in "ab"
    ]
    shown = [{"file_id": one, "text": "It is so."} for one in passages]
    output = {"queries": ["rent"], "files": files, "passages": shown, "partial": False, **more}
    return _tool("search_files", output, queries=["rent"])


def _unopened(file: str) -> parts.Part:
    message = Diagnosis(Cause.NOT_AUTHORISED).message
    skipped = {"id": file, "name": f"{file}.txt", "url": None, "reason": str(message)}
    stored = parts.keyed({"output": {"skipped": skipped}}, message)
    return {
        **_tool("read_drive_file", stored["output"], file=file), "resultProviderMetadata": stored["providerMetadata"]
    }  # fmt: skip


def test_what_to_do_about_a_failed_search_stands_under_the_answer() -> None:
    """Nothing else on the page says it: the connection works."""
    found = Diagnosis(Cause.BAD_QUERY)
    call = {"type": "tool-search_files", "toolCallId": "x", "input": {"queries": ["harvest"]}}
    shown = _receipt(parts.failed(call, found.message))
    assert [line.note for line in shown.lines] == [str(found.message)]


def test_drive_has_failed_an_answer_where_no_call_has_brought_anything() -> None:
    """A search that finds nothing has; nothing else is then offered that Drive would have to answer."""
    lost = parts.failed(_unopened("a"), errors.DriveRevoked().message)
    assert parts.drive_failed([_unopened("a"), lost])
    assert not parts.drive_failed([lost, _found()])
    assert not parts.drive_failed([_tool("fetch", {"url": "https://example.org"})])


def _receipt(*message_parts: parts.Part) -> receipts.Coverage:
    data = citations.coverage_of(message_parts)
    assert data is not None
    return receipts.coverage_of([*message_parts, {"type": citations.COVERAGE, "data": data}], answered=True)


def test_a_file_that_could_not_be_opened_is_not_read_although_a_search_gave_passages_of_it() -> None:
    """The step says that it could not be read; so does the receipt. A file that was read before stays one."""
    shown = _receipt(_found("a", "b"), _unopened("a"), _unopened("b"))
    assert shown.brief == "Searched once · nothing read · 2 could not be read"
    assert [line.text for line in shown.lines if line.warns] == ["Could not read a.txt", "Could not read b.txt"]
    read = _tool("read_drive_file", {"file": {"id": "b", "name": "b.txt"}, "part": "page 1"}, file="b")
    assert _receipt(_found("a", "b"), read, _unopened("b")).brief == "2 read"


def test_waiting_is_offered_for_honest_absence_alone() -> None:
    """Nothing was found where everything was looked at: no file was refused, no call failed, and Google confirmed."""
    assert _receipt(_found()).absent
    assert _receipt(_found("a")).absent
    lost = Diagnosis(Cause.REVOKED).message
    for failed in (
        _unopened("a"),
        {"type": "tool-read_drive_file", "toolCallId": "x", "state": "output-error", "input": {}, "errorText": "No."},
        parts.failed(
            {"type": "tool-read_drive_file", "toolCallId": "x", "input": {}},
            english("errors.drive_lost", why=lost),
        ),
        _found(unanswered=2),
    ):
        assert not _receipt(_found("a"), failed).absent, failed
    assert not _receipt(_tool("search", {"results": []}, query="rent")).absent


def test_a_source_that_google_refuses_is_no_verified_one() -> None:
    """Nor is one that is in the reader's bin; one about which Google is still asked looks as it did."""
    kept = {"n": 1, "verified": False, "kind": "drive", "name": "", "url": "", "part": "", "quote": ""}

    def cited(**more: Any) -> evidence.Quoted:
        ((_, _, one),) = evidence.quoted_of([{"type": citations.CITATIONS, "data": [{**kept, **more}]}])
        return one

    assert cited(reason="refused").moved
    assert cited(reason="refused", followed="bin").moved
    assert not cited(reason="checking").moved


def test_the_name_of_a_source_turns_no_words_around() -> None:
    """A file `exe.png` may be called so to look like a picture; it is shown as it is spelled."""
    one = {
        "n": 1, "verified": True, "kind": "drive", "name": "\u202egnp.exe", "url": "", "part": "", "quote": "x",
        "reason": "",
    }  # fmt: skip
    ((_, _, cited),) = evidence.quoted_of([{"type": citations.CITATIONS, "data": [one]}])
    assert cited.name == "\u2068gnp.exe\u2069"
    (moved,) = source_changes.moved_of([Comparison(one, "gone")])
    assert moved.name == "\u2068gnp.exe\u2069"


def test_names_of_computations_stand_in_the_quotation_marks_of_the_readers_language() -> None:
    kept = {"cells": [{"name": "labour"}, {"name": "hours"}]}
    assert computations.failed("It is gone.", kept).rests_on == "Built on “labour”, “hours”"
    before = texts.current()
    texts.use("de")
    try:
        assert computations.failed("Es ist fort.", kept).rests_on == "Baut auf „labour“, „hours“ auf"
    finally:
        texts.use(before)


def test_the_files_of_a_chat_that_no_answer_uses_are_apart() -> None:
    """A chat with many searches has read many; where no answer quotes any, all of them stay. # 000-37"""

    def read(file_id: str, **further: Any) -> dict[str, Any]:
        file = {"id": file_id, "name": file_id, "url": "https://drive.example", "kind": "pdf"}
        output = {"file": file, "part": "all", "content": f"Words of {file_id}.", **further}
        return {
            "type": parts.content.READ_FILE, "toolCallId": file_id, "state": "output-available", "input": {},
            "output": output,
        }  # fmt: skip

    quote = {"n": 1, "file_id": "used", "name": "used", "quote": "Words", "verified": True, "kind": "file"}
    files = [read("first"), read("used"), read("last"), read("withheld", content="", withheld="refused")]
    message: Any = {"id": "m", "role": "assistant", "metadata": {}, "parts": files}
    found = sources.of([message])
    cited = {**message, "parts": [*files, {"type": citations.CITATIONS, "data": [quote]}]}
    shown, rest = sources.by_use([message, cited], found)
    assert [one.id for one in shown] == ["used", "withheld"]
    assert [one.id for one in rest] == ["first", "last"]
    plain = sources.of([{**message, "parts": files[:3]}])
    assert sources.by_use([{**message, "parts": files[:3]}], plain) == (plain, [])


@pytest.mark.parametrize(
    ("tool", "given", "line"),
    [
        ("search_files", {"queries": ["harvest log", "log"]}, "Suche in Drive fehlgeschlagen: harvest log · log"),
        ("search_files", {"queries": [], "type": "pdf"}, "Suche in Drive fehlgeschlagen"),
        ("compute", {"files": ["f"], "query": "SELECT 1"}, "Berechnung fehlgeschlagen"),
        ("compute", {"files": ["f"], "query": "SELECT 1", "name": "sales"}, "Berechnung fehlgeschlagen: sales"),
        ("fetch", {"url": "https://b.example"}, "Seite nicht lesbar: https://b.example"),
    ],
)
def test_a_call_that_failed_is_named_in_the_readers_words(tool: str, given: dict[str, Any], line: str) -> None:
    """With its subject, where there is one. # 000-36"""
    failed = {
        "type": f"tool-{tool}", "toolCallId": "c", "state": "output-error", "input": given, "errorText": "It is away.",
    }  # fmt: skip

    def shown() -> list[str]:
        texts.use("de")
        data = citations.coverage_of([failed])
        coverage = receipts.coverage_of([{"type": citations.COVERAGE, "data": data}])
        return [one.text for one in coverage.lines if one.warns]

    assert line in copy_context().run(shown)
