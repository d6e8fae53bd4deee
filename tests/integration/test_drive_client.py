"""The Drive client against the sandbox, over HTTP."""

import asyncio
import json
from collections.abc import Iterator

import httpx
import pytest
from blockbuster import blockbuster_ctx

from leaf import errors
from leaf.documents import Unreadable
from leaf.google import content, links
from leaf.google.access import DriveCredentials
from leaf.google.diagnosis import Cause
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.refusals import ServerFailed
from tests.integration.drive_google import IMPATIENT, Google, Grant, NoGrant, google, id_of, link, running_google

__all__ = ["google", "running_google"]

REPORTS = "ada:/Field reports 2025"


def named(files: list[DriveFile]) -> set[str]:
    return {file.name for file in files}


async def test_a_folder_of_250_files_lists_250(google: Google):
    """000-19."""
    listing = await google.drive().list_folder(link(REPORTS))
    assert len(listing.files) == 250
    assert not listing.partial
    assert listing.folder is not None
    assert listing.folder.name == "Field reports 2025"


async def test_pages_are_followed_and_a_cut_is_told(google: Google, monkeypatch: pytest.MonkeyPatch):
    """lessons: a Shared Drive listed 195 of 6,500 files and said nothing."""
    monkeypatch.setattr("leaf.google.drive.PAGE_SIZE", 40)
    assert len((await google.drive().list_folder(link(REPORTS))).files) == 250
    assert len(google.requests("pageToken=")) == 6
    cut = await google.drive().list_folder(link(REPORTS), max_files=100)
    assert len(cut.files) == 100
    assert cut.partial
    assert "more files" in cut.notes[0]


async def test_trashed_files_are_not_listed(google: Google):
    listing = await google.drive().list_folder(DriveLink("root"))
    assert "Welcome" in named(listing.files)
    assert "Old plan.txt" not in named(listing.files)


async def test_an_apostrophe_and_an_emoji_are_found(google: Google):
    """000-54."""
    assert named((await google.drive().search("Ada's budget")).files) == {"Ada's budget"}
    assert named((await google.drive().search("🍎 Harvest")).files) == {"🍎 Harvest plan.txt"}
    assert (await google.drive().search("back\\slash ' or trashed = true or name contains '")).files == []


async def test_search_finds_by_content_in_every_drive(google: Google):
    listing = await google.drive().search("cider mill")
    assert named(listing.files) == {"Minutes"}
    assert (await google.drive("ben").search("cider mill")).files == []


async def test_what_search_finds_in_a_shared_drive_can_be_read(google: Google):
    """lessons: search found a file and read said 404, because one of the two calls missed a flag."""
    drive = google.drive()
    (found,) = (await drive.search("cider mill")).files
    file = await drive.get_file(DriveLink(found.id))
    assert b"cider mill" in await drive.export(file, "text/markdown")


async def test_the_top_of_a_shared_drive_is_listed_under_its_own_name(google: Google):
    (board,) = [one for one in await google.drive().drives() if one["name"] == "Board"]
    listing = await google.drive().list_folder(DriveLink(board["id"]))
    assert listing.folder is not None
    assert listing.folder.name == "Board"
    assert named(listing.files) == {"Minutes"}


async def test_a_search_in_a_folder_goes_down_into_its_folders(google: Google):
    inside = await google.drive().search("cellar key", link("ada:/Finance"))
    assert named(inside.files) == {"Deep notes.txt"}
    assert (await google.drive().search("Gravensteins", link("ada:/Finance"))).files == []


async def test_google_not_having_searched_everything_is_told(google: Google):
    google.fault("/drive/v3/files\\?", incomplete_search=True)
    listing = await google.drive().search("Gravensteins")
    assert listing.partial
    assert "has not searched every drive" in listing.notes[0]


async def test_a_shortcut_leads_to_its_target(google: Google):
    file = await google.drive().get_file(link("ada:/To the report", "shortcut"))
    assert (file.id, file.kind) == (id_of("ada:/Report.pdf"), "pdf")


async def test_a_broken_shortcut_is_told(google: Google):
    with pytest.raises(errors.DriveRefused, match="“Broken” is a shortcut to a file that was deleted"):
        await google.drive().get_file(link("ada:/Broken", "shortcut"))


async def test_a_resource_key_opens_a_folder_shared_by_link_and_what_is_in_it(google: Google):
    """000-18."""
    address = f"https://drive.google.com/drive/folders/{id_of('partner:/Shared by link')}?resourcekey=0-abcDEF123"
    drive = google.drive()
    listing = await drive.list_folder(links.parse(address))
    assert await drive.download(listing.files[0]) == b"Net thirty days."
    with pytest.raises(errors.DriveRefused):
        await google.drive().list_folder(link("partner:/Shared by link"))


async def test_a_file_given_as_a_folder_is_told_apart(google: Google):
    with pytest.raises(errors.Invalid, match="is a file, not a folder"):
        await google.drive().list_folder(link("ada:/Latin.txt"))


async def test_what_is_not_shared_is_told_as_missing_or_not_shared(google: Google):
    with pytest.raises(errors.DriveRefused, match=r"was deleted, or it is not shared"):
        await google.drive("ben").get_file(link("ada:/Finance/Ada's budget", "sheet"))


@pytest.mark.parametrize(("status", "reason"), [
    (500, None), (503, None), (429, None), (403, "rateLimitExceeded"), (403, "userRateLimitExceeded"),
])  # fmt: skip
async def test_a_failure_that_passes_is_not_noticed(google: Google, status: int, reason: str | None):
    """000-31."""
    google.fault("/drive/v3/files", status, times=2, reason=reason)
    assert (await google.drive().get_file(link("ada:/Latin.txt"))).name == "Latin.txt"
    assert [entry["status"] for entry in google.requests("/drive/v3/files")] == [status, status, 200]


async def test_a_failure_that_stays_ends_after_five_tries_with_a_message(google: Google):
    google.fault("/drive/v3/files", 503, times=50)
    with pytest.raises(ServerFailed, match="HTTP 503"):
        await google.drive().get_file(link("ada:/Latin.txt"))
    assert len(google.requests("/drive/v3/files")) == 5


async def test_another_refusal_is_not_tried_again(google: Google):
    google.fault("/drive/v3/files", 403, times=9, reason="domainPolicy")
    with pytest.raises(errors.DriveRefused, match="administrator"):
        await google.drive().get_file(link("ada:/Latin.txt"))
    assert len(google.requests("/drive/v3/files")) == 1


async def test_a_reason_that_is_no_code_is_not_told(google: Google, caplog: pytest.LogCaptureFixture):
    """Neither to the reader nor in the log, whose lines hold no text of files or questions. # 004-26"""
    google.fault("/drive/v3/files", 403, times=9, reason="no right to “Salaries of 2026.xlsx”")
    with pytest.raises(errors.DriveRefused) as refused, caplog.at_level("INFO"):
        await google.drive().get_file(link("ada:/Latin.txt"))
    assert "Salaries" not in refused.value.message + caplog.text
    assert "Google Drive answered 403" in caplog.text


async def test_a_google_that_does_not_answer_is_given_up(google: Google):
    google.fault("/drive/v3/files", delay_seconds=0.6, times=9)
    with pytest.raises(ServerFailed, match="cannot be reached"):
        await Drive(google.grant(), patience=IMPATIENT, timeout_seconds=0.05).get_file(link("ada:/Latin.txt"))


async def test_a_google_that_is_not_there_is_given_up(google: Google, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("leaf.google.transport.endpoint", lambda: "http://127.0.0.1:1/drive/v3/")
    with pytest.raises(ServerFailed, match="cannot be reached"):
        await google.drive().get_file(link("ada:/Latin.txt"))


@pytest.mark.parametrize("body", ["<html>Sign in</html>", "[]", "null", '{"files": 7}', "{}", '{"files": [7]}', ""])
@pytest.mark.parametrize("call", ["get", "list", "search"])
async def test_nonsense_is_an_error_and_not_a_crash(google: Google, body: str, call: str):
    google.fault("/drive/v3/files", 200, body=body, times=9)
    drive = google.drive()
    calls = {
        "get": lambda: drive.get_file(link("ada:/Latin.txt")),
        "list": lambda: drive.list_folder(link(REPORTS)),
        "search": lambda: drive.search("apples"),
    }
    if call == "search" and body == "{}":
        assert (await calls[call]()).files == []
        return
    with pytest.raises(errors.DriveError, match="does not understand"):
        await calls[call]()


async def test_a_rejected_token_is_exchanged_once_and_the_call_made_again(google: Google):
    grant = Grant("stale", fresh=google.grant().token)
    file = await Drive(grant, patience=IMPATIENT).get_file(link("ada:/Latin.txt"))
    assert file.name == "Latin.txt"
    assert grant.rejected == ["stale"]


@pytest.mark.parametrize("fresh", [None, "stale too"])
async def test_a_grant_that_is_gone_is_told_as_revoked(google: Google, fresh: str | None):
    grant = Grant("stale", fresh=fresh)
    with pytest.raises(errors.DriveRevoked):
        await Drive(grant, patience=IMPATIENT).search("apples")
    assert grant.rejected == ["stale"]
    assert [one.cause for one in grant.noted] == ([Cause.TOKEN_REJECTED] if fresh else [])


async def test_a_token_that_expires_within_a_listing_is_renewed_and_the_listing_is_whole(
    google: Google, monkeypatch: pytest.MonkeyPatch
):
    """lessons: one hour in, the token could not be refreshed, the listing came back empty and the job "completed"."""
    monkeypatch.setattr("leaf.google.drive.PAGE_SIZE", 100)
    grant = google.grant()
    grant.fresh = grant.token
    google.fault("pageToken", 401)
    listing = await Drive(grant, patience=IMPATIENT).list_folder(link(REPORTS))
    assert len(listing.files) == 250
    assert len(grant.rejected) == 1


@pytest.fixture
def drawing(google: Google) -> Iterator[str]:
    """The id of a Google Drawing."""
    with httpx.Client(base_url=google.url, trust_env=False, timeout=60) as http:
        entry = {"path": "ada:/Plans/Irrigation", "kind": "drawing", "text": "Pump house\n\nSluice 4\n"}
        made = http.post("/sandbox/files", json=entry).raise_for_status().json()["id"]
        yield made
        http.post(f"/sandbox/files/{made}", json={"removed": True}).raise_for_status()


async def test_a_drawing_is_read_by_the_words_in_it(google: Google, drawing: str):
    """Google exports it as a PDF. # 000-21"""
    file = await google.drive().get_file(DriveLink(drawing))
    document = await content.read(google.drive(), file)
    assert (document.kind, document.segments[0].part) == ("drawing", "page 1")
    assert "Sluice 4" in document.segments[0].text
    assert "application%2Fpdf" in str(google.requests("/export"))


async def test_a_file_over_the_limit_is_not_downloaded(google: Google):
    file = DriveFile.of({"id": "1234567890", "name": "big.txt", "mimeType": "text/plain", "size": "60000000"})
    with pytest.raises(Unreadable, match="60 MB; Leaf reads files up to 50 MB"):
        await content.read(google.drive(), file)
    assert google.requests() == []


async def test_not_being_connected_makes_no_call(google: Google):
    with pytest.raises(errors.DriveNotConnected):
        await Drive(NoGrant()).search("apples")
    assert google.requests() == []


async def test_an_export_over_the_cap_goes_through_the_export_link(google: Google):
    """Decision 3; lessons: exports are capped at 10 MB."""
    drive = google.drive()
    file = await drive.get_file(link("ada:/Sensors", "doc"))
    assert len(await drive.export(file, "text/markdown")) > 10 * 1024 * 1024


async def test_an_export_that_answers_500_for_ever_ends(google: Google):
    """lessons: an oversized PDF export can answer 500, so a naive retry loops for ever."""
    drive = google.drive()
    file = await drive.get_file(link("ada:/Welcome", "doc"))
    google.fault("/export\\?", 500, times=99)
    assert b"1987" in await drive.export(file, "text/markdown")
    google.fault("/feeds/", 500, times=99)
    with pytest.raises(ServerFailed):
        await drive.export(file, "text/markdown")
    assert len(google.requests("/export?")) == 6


async def test_an_export_link_that_shows_a_login_page_is_no_export(google: Google):
    drive = google.drive()
    file = await drive.get_file(link("ada:/Welcome", "doc"))
    google.fault("/feeds/", 200, body="<html>", headers={"content-type": "text/html"})
    with pytest.raises(errors.DriveError):
        await drive.export_through_link(file, "text/markdown")


async def test_the_account_is_told(google: Google):
    assert await google.drive("ben").about() == "ben@sandbox.leaf.example"


async def test_the_loop_is_never_blocked(google: Google):
    drive = google.drive()
    await drive.search("apples")
    with blockbuster_ctx("leaf"):
        await asyncio.gather(drive.list_folder(link(REPORTS)), drive.get_file(link("ada:/Latin.txt")))


def test_credentials_do_not_show_their_token():
    assert "ya29" not in repr(DriveCredentials("ya29.secret"))


GARBAGE = {"id": "abcdefghijk", "name": None, "capabilities": 5, "shortcutDetails": 3, "size": "abc", "version": [],
           "modifiedTime": "yesterday", "parents": "root", "driveId": {}, "webViewLink": "javascript:x"}  # fmt: skip


async def test_a_malformed_description_of_a_file_is_no_bug(google: Google):
    google.fault("/drive/v3/files/abcdefghijk", 200, body=json.dumps(GARBAGE))
    file = await google.drive().get_file(DriveLink("abcdefghijk"))
    assert (file.name, file.size_bytes, file.modified) == ("Untitled", None, None)
    assert file.url == "https://drive.google.com/file/d/abcdefghijk/view"


async def test_malformed_entries_of_a_listing_are_skipped_and_told(google: Google):
    good = {"id": "goodgoodgood", "name": "Good", "mimeType": "text/plain"}
    listed = [GARBAGE, None, 7, "x", {"id": 5, "name": "No id"}, {"name": "None at all"}, good]
    google.fault("/drive/v3/files", 200, body=json.dumps({"files": listed}))
    listing = await google.drive().search("plan")
    assert [file.name for file in listing.files] == ["Untitled", "Good"]
    assert listing.partial
    assert "5 entries were skipped" in " ".join(listing.notes)


@pytest.mark.parametrize("body", [
    '{"files": {}}', '{"files": "x"}', '{"files": [], "nextPageToken": 5}', '{"files": [], "nextPageToken": {"a": 1}}',
    "[]", "null", "7", '{"files": ' + "[" * 100_000, '{"files": [' + "9" * 10_000 + "]}", '"\\ud800"',
    '{"files": [], "nextPageToken": "always the same"}',
])  # fmt: skip
async def test_a_listing_that_is_none_is_told_as_nonsense(google: Google, body: str):
    google.fault("/drive/v3/files", 200, body=body, times=9)
    with pytest.raises(errors.DriveError, match="does not understand"):
        await google.drive().search("plan")


async def test_malformed_shared_drives_are_left_out(google: Google):
    drives = [None, 5, {"id": 7}, {"id": "0Agood", "name": None}, {"id": "0Aalso", "name": "Also"}]
    google.fault("/drive/v3/drives", 200, body=json.dumps({"drives": drives}))
    assert await google.drive().drives() == [{"id": "0Agood", "name": "Untitled"}, {"id": "0Aalso", "name": "Also"}]
