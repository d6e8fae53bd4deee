"""The sandbox's query language and partial responses follow Google's."""

import contextlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import fields, listing, query, refusals
from sandbox.corpus import FOLDER, Item
from sandbox.query import Subject, fold

MOMENT = datetime(2026, 5, 1, tzinfo=UTC)


def subject(name: str = "Report.pdf", mime: str = "application/pdf", text: str = "", **more: Any) -> Subject:
    item = Item("id1", name, mime, "folder1", "ada@x", frozenset({"ada"}), MOMENT, MOMENT, 1, "r", **more)
    return Subject(item, ("folder1",), shared_with_me=False, text=lambda: fold(f"{name}\n{text}"))


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("'folder1' in parents", True),
        ("'folder2' in parents", False),
        ("name = 'report.pdf'", True),
        ("name contains 'rep'", True),
        ("name contains 'port'", False),
        ("not name contains 'rep'", False),
        ("name != 'x' and trashed = false", True),
        ("trashed=true", False),
        ("trashed != true", True),
        ("mimeType contains 'application/'", True),
        ("mimeType = 'text/plain' or mimeType = 'application/pdf' and trashed = false", True),
        ("(mimeType = 'text/plain' or mimeType = 'application/pdf') and trashed = true", False),
        ("modifiedTime > '2026-04-30T12:00:00'", True),
        ("modifiedTime > '2026-05-01T00:00:00Z'", False),
        ("createdTime <= '2026-05-01T02:00:00+02:00'", True),
        ("fullText contains 'hail insurance'", True),
        ("fullText contains 'insur hail'", True),
        ("fullText contains '\"insurance hail\"'", False),
        ("fullText contains 'ail'", False),
        ("sharedWithMe = true", False),
        ("'ada@x' in owners", True),
    ],
)
def test_terms_match_as_google_says(text: str, matches: bool) -> None:
    assert query.parse(text).matches(subject(text="The HAIL insurance of 2026")) is matches


@pytest.mark.parametrize(
    "text",
    [
        "name = 'a", "name 'a'", "name = a", "'x' in colours", "'x' parents", "name = 'a' name = 'b'", "and", "name >",
        "modifiedTime > 'yesterday'", "trashed = 'true'", r"name = 'a\b'", "fullText = 'x'", "(", "not",
    ],
)  # fmt: skip
def test_malformed_queries_are_refused(text: str) -> None:
    with pytest.raises(refusals.DriveRefusal) as caught:
        query.parse(text)
    assert (caught.value.status, caught.value.location) == (400, "q")


@given(st.text(min_size=1).filter(lambda name: name.strip()))
def test_any_escaped_name_finds_itself(name: str) -> None:
    """# 000-54"""
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    assert query.parse(f"name = '{escaped}'").matches(subject(name))


@given(st.text(max_size=60))
def test_garbage_is_a_query_or_a_refusal(text: str) -> None:
    with contextlib.suppress(refusals.DriveRefusal):
        query.parse(text).matches(subject(text=text))


FILES = {"kind": "k", "files": [{"id": "1", "name": "n", "owners": [{"emailAddress": "e", "me": True}]}]}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("*", FILES),
        ("kind", {"kind": "k"}),
        ("files(id)", {"files": [{"id": "1"}]}),
        ("files/id, kind", {"files": [{"id": "1"}], "kind": "k"}),
        ("files(id,owners(emailAddress))", {"files": [{"id": "1", "owners": [{"emailAddress": "e"}]}]}),
        ("files(id,owners/me)", {"files": [{"id": "1", "owners": [{"me": True}]}]}),
        ("files(*)", {"files": FILES["files"]}),
        ("files/id,files/name", {"files": [{"id": "1", "name": "n"}]}),
    ],
)
def test_only_asked_fields_are_kept(asked: str, expected: dict[str, Any]) -> None:
    assert fields.project(FILES, fields.validated(asked, "FileList")) == expected


@pytest.mark.parametrize(
    "asked", ["", "files(", "files)id", "files(id))", "nothing", "files(colour)", "a b", ",", "files/"]
)
def test_wrong_fields_are_refused(asked: str) -> None:
    with pytest.raises(refusals.DriveRefusal) as caught:
        fields.validated(asked, "FileList")
    assert caught.value.location == "fields"


def test_page_tokens_belong_to_their_request() -> None:
    token = listing.make_token(100, "here")
    assert listing.read_token(token, "here") == 100
    for wrong in (token + "x", "", None):
        if not wrong:
            assert listing.read_token(wrong, "here") == 0
    with pytest.raises(refusals.DriveRefusal):
        listing.read_token(token, "elsewhere")


def test_contradicting_parameters_are_refused() -> None:
    for params in (
        {"corpora": "drive"},
        {"driveId": "x"},
        {"corpora": "allDrives"},
        {"includeItemsFromAllDrives": "true"},
        {"corpora": "universe"},
    ):
        with pytest.raises(refusals.DriveRefusal):
            listing.parse(params)
    assert subject(mime=FOLDER).item.is_folder


@pytest.mark.parametrize(("wanted", "text", "found"), [
    ("writes", "one write", True), ("write", "two writes", True), ("policies", "the policy", True),
    ("class", "a clause", False), ("status", "the statement", False), ("buses", "a business", False),
])  # fmt: skip
def test_full_text_finds_the_singular_by_the_plural(wanted: str, text: str, found: bool) -> None:
    assert query.parse(f"fullText contains '{wanted}'").matches(subject(text=text)) is found
