"""Requests to Google and the refusals made of its errors, without a network."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import config, errors
from leaf.google import refusals, transport
from leaf.google.drive import escape_query
from leaf.google.files import DriveFile
from leaf.google.transport import HttpFailure, NetworkFailure


@given(st.text(alphabet=st.sampled_from("'\\ab ") | st.characters()))
def test_an_escaped_value_never_ends_its_quotes_and_means_itself(value: str):
    """Decision 1, 000-54."""
    escaped = escape_query(value)
    read, position = "", 0
    while position < len(escaped):
        assert escaped[position] != "'"
        position += escaped[position] == "\\"
        read += escaped[position]
        position += 1
    assert read == value


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("The lease \u202efdp.exe\u2066 of Riverbend", "The lease fdp.exe of Riverbend"),
        ("a\u200f.\u061cb\u200e", "a.b"), ("two\nlines\r\u2028of\x85it", "two lines  of it"),
        ("\u200b\u202e \u2069", "Untitled"), ("a\0b\ud800", "a\ufffdb\ufffd"),
        ("👩\u200d👩\u200d👧  e\u0301 ![x](https://a.example)", "👩\u200d👩\u200d👧  e\u0301 ![x](https://a.example)"),
    ],
)  # fmt: skip
def test_the_name_of_a_file_turns_no_text_and_has_one_line(name: str, kept: str):
    """Exports, hooks and the model got the controls of its owner. # 000-35"""
    assert DriveFile.of({"id": "abcdefghijk", "name": name}).name == kept


def failure(status: int, reason: str = "", message: str = "") -> HttpFailure:
    error = {"error": {"code": status, "message": message, "errors": [{"reason": reason}]}}
    return HttpFailure(status, json.dumps(error).encode())


@pytest.mark.parametrize("body", [
    b"", b"<html>", b"\xff\xfe", b"[]", b"null", b"7", b'{"error": "text"}', b'{"error": {"errors": {}}}',
    b'{"error": {"errors": [7]}}', b'{"error": {"errors": []}}', b'{"error": null}', b"[" * 10_000,
])  # fmt: skip
def test_the_body_of_an_error_may_be_anything(body: bytes):
    """A web page in place of JSON comes from a proxy."""
    expected = refusals.ServerFailed if body == b"<html>" else errors.DriveRefused
    assert type(refusals.explain(HttpFailure(403, body))) is expected


@pytest.mark.parametrize(("status", "reason", "transient"), [
    (429, "", True), (500, "", True), (503, "backendError", True), (403, "rateLimitExceeded", True),
    (403, "userRateLimitExceeded", True), (403, "cannotDownloadFile", False), (404, "notFound", False),
    (401, "authError", False), (400, "invalid", False),
])  # fmt: skip
def test_only_what_may_pass_is_tried_again(status: int, reason: str, transient: bool):
    assert failure(status, reason).transient is transient


def test_a_404_is_told_as_either_missing_or_not_shared():
    """lessons: a bare 404 was told to the user as "not shared with you"."""
    refused = refusals.explain(failure(404, "notFound"))
    assert isinstance(refused, errors.DriveRefused)
    assert "was deleted" in refused.reason
    assert "not shared" in refused.reason


@pytest.mark.parametrize(("raised", "expected"), [
    (failure(401), errors.DriveRevoked), (failure(403, "insufficientPermissions"), errors.DriveRevoked),
    (failure(403, "exportSizeLimitExceeded"), refusals.TooLargeToExport), (failure(503), refusals.ServerFailed),
    (NetworkFailure("timeout"), refusals.ServerFailed), (failure(403, "accessNotConfigured"), errors.DriveError),
])  # fmt: skip
def test_each_refusal_has_its_error(raised: Exception, expected: type[errors.DriveError]):
    assert type(refusals.explain(raised)) is expected


@pytest.mark.parametrize(("address", "may"), [
    ("https://docs.google.com/feeds/download/documents/export/Export?id=x", True),
    ("https://doc-0k.googleusercontent.com/x", True), ("https://google.com/x", True),
    ("http://docs.google.com/x", False), ("https://evil.example/google.com", False),
    ("https://notgoogle.com/x", False), ("https://docs.google.com.evil.example/x", False), ("", False),
])  # fmt: skip
def test_a_token_goes_to_google_only(monkeypatch: pytest.MonkeyPatch, address: str, may: bool):
    settings = config.Settings(_env_file=None, google_client_id="id", google_client_secret="secret")
    monkeypatch.setattr(config, "_current", settings)
    assert transport.may_see_token(address) is may


def test_in_the_sandbox_a_token_goes_to_the_sandbox_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:4321"))
    assert transport.may_see_token("http://127.0.0.1:4321/feeds/x")
    assert not transport.may_see_token("http://127.0.0.1:9999/feeds/x")
    assert not transport.may_see_token("https://docs.google.com/feeds/x")


def test_a_file_is_described_without_what_drive_left_out():
    file = DriveFile.of({"id": "1234567890", "name": "Plan", "mimeType": "application/vnd.google-apps.document"})
    assert file.describe() == {
        "id": "1234567890", "name": "Plan", "kind": "document", "modified": None,
        "url": "https://docs.google.com/document/d/1234567890/edit",
    }  # fmt: skip


def test_a_revision_is_that_of_the_content_where_drive_has_one():
    given = {"id": "1234567890", "version": "7", "modifiedTime": "2024-01-01T00:00:00Z"}
    assert DriveFile.of({**given, "headRevisionId": "r1", "md5Checksum": "m"}).revision == "r1"
    assert DriveFile.of({**given, "md5Checksum": "m"}).revision == "m"
    assert DriveFile.of(given).revision == "v7"


LEAVES = st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["\ud800", "9" * 5000])
ANYTHING = st.recursive(
    st.none() | LEAVES,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=4), children, max_size=3),
    max_leaves=5,
)
FIELDS = (
    "name", "mimeType", "modifiedTime", "size", "webViewLink", "headRevisionId", "md5Checksum", "version", "driveId",
    "resourceKey", "trashed", "capabilities", "shortcutDetails", "parents",
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(FIELDS), ANYTHING))
def test_whatever_stands_in_the_fields_of_a_file_it_can_be_told(fields: dict[str, object]):
    file = DriveFile.of({"id": "abcdefghijk", **fields})
    told = json.dumps(file.describe(), ensure_ascii=False).encode()
    assert json.loads(told)["id"] == "abcdefghijk"
    assert file.name
    assert file.url.startswith("http")
    assert file.size_bytes is None or 0 <= file.size_bytes < 10**18


@pytest.mark.parametrize("file_id", [None, 5, "", " ", [], {}, "a b", "\ud800", "a\nb"])
def test_a_file_without_an_id_is_nonsense(file_id: object):
    with pytest.raises(errors.DriveError, match="does not understand"):
        DriveFile.of({"id": file_id, "name": "Plan"})
