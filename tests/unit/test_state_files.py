"""The display of the files of a chat: previews and diffs."""

from contextvars import copy_context
from typing import Any

from leaf import errors, parts, texts
from leaf.documents.textfiles import difference
from leaf.services.files import FileText
from leaf.state.details import detail_of
from leaf.views import diffs, previews
from leaf.views.diffs import DiffLine


def test_a_diff_becomes_lines_with_their_kind() -> None:
    """# 001-14"""
    lines = diffs.lines_of(difference("a.md", "one\n--- two\nthree\n", "one\n+++ 2\nthree\n"))
    assert lines == [
        DiffLine("place", "Line 1"), DiffLine("same", "one", "1", "1"), DiffLine("removed", "--- two", "2"),
        DiffLine("added", "+++ 2", new="2"), DiffLine("same", "three", "3", "3"),
    ]  # fmt: skip
    far = diffs.lines_of("--- a\n+++ a\n@@ -30,2 +31,2 @@\n x\n-y\n+z\n@@ -50 +51 @@\n-q\n+r")
    places = [line.text for line in far if line.kind == "place"]
    assert places == ["Line 31 · 30 unchanged lines above", "Line 51 · 18 unchanged lines above"]
    assert diffs.lines_of("") == []
    assert diffs.lines_of(difference("a", "", "x\n" * 20_000))[-1].text.endswith("more lines of the diff are left out")


def _part(name: str, state: str, **values: object) -> dict[str, Any]:
    return {"type": f"tool-{name}", "toolCallId": "1", "state": state, **values}


def test_a_step_shows_its_diff_before_and_after_the_change() -> None:
    """# 001-13, 001-14"""
    given = {"path": "a.md", "old": "one\ntwo", "new": "2"}
    going = detail_of(_part("edit_file", "input-available", input=given))
    assert [(line.kind, line.text) for line in going.diff] == [("removed", "one"), ("removed", "two"), ("added", "2")]
    output = {"diff": difference("a.md", "one\ntwo\n", "2\n")}
    done = detail_of(_part("edit_file", "output-available", input=given, output=output))
    assert [line.kind for line in done.diff] == ["place", "removed", "removed", "added"]
    failed = detail_of(_part("edit_file", "output-error", input=given, errorText="It is not there."))
    assert (failed.diff, failed.state, failed.output) == ([], "output-error", "It is not there.")
    assert detail_of(_part("grep", "output-available", input={}, output={"diff": "@@ x"})).diff == []


def test_the_reason_of_a_failed_call_is_in_the_readers_language() -> None:
    """The output of a tool is shown unchanged. The message of an error of Leaf is translated."""

    def in_german(part: dict[str, object]) -> str:
        texts.use("de")
        return detail_of(part).output

    reason = errors.DriveRevoked().message
    failed = parts.failed(_part("search_drive", "input-available", input={}), reason)
    assert "Google nimmt den Zugriff" in copy_context().run(in_german, failed)
    given = _part("search_drive", "output-available", input={}, output={"content": reason})
    assert copy_context().run(in_german, given) == reason


def test_csv_is_a_table_and_its_formulas_are_text() -> None:
    """# 001-26"""
    shown = previews.of(FileText("a.csv", 1, 'Name;Sum\nx;=HYPERLINK("http://evil")\ny\n', "csv"))
    assert (shown.form, shown.head, shown.rows) == (
        "table",
        ["Name", "Sum"],
        [["x", '=HYPERLINK("http://evil")'], ["y", ""]],
    )
    long = previews.of(FileText("a.csv", 1, "a,b\n" * 500, "csv"))
    assert (len(long.rows), long.notes) == (200, ["Not shown: rows after row 200."])
    assert previews.of(FileText("a.csv", 1, "no table", "csv")).form == "text"


def test_an_upload_is_shown_by_its_pages() -> None:
    """# 001-26"""
    places = [(1, "page 1"), (4, "page 2")]
    shown = previews.of(FileText("a.pdf", 1, "[page 1]\none\n\n[page 2]\ntwo\n", "pdf", True, places))
    assert [(page.part, page.text) for page in shown.pages] == [("page 1", "one"), ("page 2", "two")]
    scan = previews.of(FileText("a.pdf", 1, "", "pdf", True, notes=["no text layer"]))
    assert (scan.form, scan.notes) == ("nothing", ["no text layer"])


def test_a_long_text_is_truncated_with_a_note() -> None:
    shown = previews.of(FileText("a.md", 1, "x" * 60_000, "markdown"))
    assert (shown.form, len(shown.text), shown.notes) == (
        "markdown",
        50_000,
        ["The first 50,000 of 60,000 characters."],
    )
    assert previews.of(FileText("a.txt", 1, "", "text", deleted=True)).notes == ["This file was deleted."]
