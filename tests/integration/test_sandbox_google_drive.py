"""Google's Drive client works against the sandbox as against Google."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pypdfium2
import pytest
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseDownload
from openpyxl import load_workbook

from tests.integration import sandbox_fixtures
from tests.integration.sandbox_fixtures import SandboxProcess

sandbox_process = sandbox_fixtures.sandbox_process
ALL = {"corpora": "allDrives", "includeItemsFromAllDrives": True, "supportsAllDrives": True}


@pytest.fixture(scope="module")
def ada(sandbox_process: SandboxProcess) -> Iterator[Any]:
    with closing(sandbox_process.drive(sandbox_process.sign_in("ada")["access_token"])) as drive:
        yield drive


@pytest.fixture(scope="module")
def ben(sandbox_process: SandboxProcess) -> Iterator[Any]:
    with closing(sandbox_process.drive(sandbox_process.sign_in("ben")["access_token"])) as drive:
        yield drive


def named(drive: Any, name: str, mime: str = "") -> dict[str, Any]:
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    query = f"name = '{escaped}' and mimeType != 'application/vnd.google-apps.shortcut'"
    files = drive.files().list(q=query + mime, fields="files", **ALL).execute()["files"]
    assert len(files) == 1, files
    return files[0]


def refusal(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.resp.status, caught.value.error_details[0]["reason"]


def page_texts(content: bytes) -> list[str]:
    with closing(pypdfium2.PdfDocument(content)) as document:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]


def test_a_folder_of_250_files_is_listed_in_pages(ada: Any) -> None:
    """# 000-19"""
    folder = named(ada, "Field reports 2025")
    request = ada.files().list(q=f"'{folder['id']}' in parents and trashed = false", pageSize=100)
    sizes, ids = [], set[str]()
    while request is not None:
        page = request.execute()
        sizes.append(len(page["files"]))
        ids |= {file["id"] for file in page["files"]}
        request = ada.files().list_next(request, page)
    assert sizes == [100, 100, 50]
    assert len(ids) == 250


def test_only_the_asked_fields_come(ada: Any) -> None:
    page = ada.files().list(pageSize=1, fields="files(id,owners(emailAddress))").execute()
    assert set(page) == {"files"}
    assert set(page["files"][0]) == {"id", "owners"}
    assert page["files"][0]["owners"] == [{"emailAddress": "ada@sandbox.leaf.example"}]
    assert refusal(ada.files().list(fields="files(id,colour)")) == (400, "invalidParameter")
    assert set(ada.files().list().execute()["files"][0]) == {"kind", "id", "name", "mimeType"}


def test_an_apostrophe_and_a_backslash_are_found(ada: Any) -> None:
    """# 000-54"""
    assert named(ada, "Zoë's notes from the tasting panel")
    assert named(ada, 'Quote "Hafenstraße" \\ draft.txt')
    found = ada.files().list(q="name contains 'zoe\\'s'").execute()["files"]
    assert [file["name"] for file in found] == ["Zoë's notes from the tasting panel"]


def test_full_text_finds_content_and_is_never_sorted(ada: Any) -> None:
    found = ada.files().list(q="fullText contains 'insurer deductible'").execute()["files"]
    assert "Hail insurance policy 77-2041.pdf" in {file["name"] for file in found}
    phrase = ada.files().list(q="fullText contains '\"worn bearing\"'").execute()["files"]
    assert [file["name"] for file in phrase] == ["INC-2026-03 Cold store failure in hall 2"]
    assert refusal(ada.files().list(q="fullText contains 'x'", orderBy="name")) == (403, "forbidden")


@pytest.mark.parametrize(
    "query", ["name = 'Zoë's'", "name like 'x'", "trashed = maybe", "(name = 'a'", "name = 'a' or"]
)
def test_a_bad_query_is_refused(ada: Any, query: str) -> None:
    assert refusal(ada.files().list(q=query)) == (400, "invalid")


def test_order_and_sizes_are_checked(ada: Any) -> None:
    names = [file["name"] for file in ada.files().list(orderBy="folder,name", pageSize=30).execute()["files"]]
    assert names[0] == "Archive"
    assert refusal(ada.files().list(orderBy="beauty")) == (400, "invalid")
    assert refusal(ada.files().list(pageSize=1001)) == (400, "invalidParameter")
    assert refusal(ada.files().list(pageToken="nonsense")) == (400, "invalid")


def test_shared_drives_are_shown_only_when_asked_for(ada: Any) -> None:
    assert ada.files().list(q="name = 'Harvest plan 2026'").execute()["files"] == []
    plan = named(ada, "Harvest plan 2026")
    assert refusal(ada.files().get(fileId=plan["id"])) == (404, "notFound")
    found = ada.files().get(fileId=plan["id"], supportsAllDrives=True, fields="driveId,parents").execute()
    drives = ada.drives().list().execute()["drives"]
    assert {drive["name"] for drive in drives} == {"Operations", "Board"}
    assert found["driveId"] in {drive["id"] for drive in drives}
    in_drive = {**ALL, "corpora": "drive", "driveId": found["driveId"]}
    assert all(
        file["driveId"] == found["driveId"] for file in ada.files().list(fields="*", **in_drive).execute()["files"]
    )
    root = ada.files().list(q=f"'{found['driveId']}' in parents", **ALL).execute()["files"]
    assert {"Fleet.csv", "Procedures"} <= {file["name"] for file in root}


def test_ben_sees_less(ada: Any, ben: Any) -> None:
    budget = named(ada, "Operating budget 2026")
    assert refusal(ben.files().get(fileId=budget["id"])) == (404, "notFound")
    assert refusal(ben.files().list(q=f"'{budget['parents'][0]}' in parents")) == (404, "notFound")
    assert ben.files().list(q="fullText contains 'Larkspur'", **ALL).execute()["files"] == []
    assert [drive["name"] for drive in ben.drives().list().execute()["drives"]] == ["Operations"]
    shared = ben.files().list(q="sharedWithMe = true", fields="files(name,parents)").execute()["files"]
    assert {"Contracts", "Forecast 2026"} <= {file["name"] for file in shared}
    assert "Finance" not in {file["name"] for file in shared}
    mine = ben.files().list(q="'root' in parents").execute()["files"]
    assert {file["name"] for file in mine} == {"My harvest log", "Trade fair"}


def test_docs_export_as_text_and_markdown(ada: Any) -> None:
    """# 000-20"""
    doc = named(ada, "Employee handbook")
    text = ada.files().export(fileId=doc["id"], mimeType="text/plain").execute().decode("utf-8-sig")
    assert "27 days of holiday" in text
    assert "##" not in text
    markdown = ada.files().export(fileId=doc["id"], mimeType="text/markdown").execute().decode()
    assert "## 2. Holiday" in markdown
    word = ada.files().export(
        fileId=doc["id"], mimeType="application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    )
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(word.execute())).namelist()
    assert refusal(ada.files().export(fileId=doc["id"], mimeType="image/png")) == (400, "badRequest")


def test_sheets_export_first_tab_or_workbook(ada: Any) -> None:
    """# 000-21"""
    sheet = named(ada, "Operating budget 2026")
    table = ada.files().export(fileId=sheet["id"], mimeType="text/csv").execute().decode()
    assert "Total revenue,1700000,1335000,1745000,2420000,7200000" in table
    assert "Hectares" not in table
    xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    book = load_workbook(io.BytesIO(ada.files().export(fileId=sheet["id"], mimeType=xlsx).execute()))
    assert book.sheetnames == ["Summary", "Orchards", "Packhouse", "Assumptions"]
    assert book["Summary"]["F6"].value == 7200000


def test_pdfs_have_pages_with_text_and_the_scan_has_none(ada: Any) -> None:
    """# 000-23"""
    contract = named(ada, "Packaging supply agreement – Pomona Packing.pdf")
    pages = page_texts(ada.files().get_media(fileId=contract["id"]).execute())
    assert len(pages) == 3
    assert "90 days' notice" in pages[2]
    scan = named(ada, "Delivery note 4471 (scan).pdf")
    assert page_texts(ada.files().get_media(fileId=scan["id"]).execute()) == [""]


def test_blobs_tell_their_size_and_checksum(ada: Any) -> None:
    blob = named(ada, "Erntebericht 2019.txt")
    request = ada.files().get_media(fileId=blob["id"])
    content = io.BytesIO()
    download = MediaIoBaseDownload(content, request, chunksize=100)
    steps = 0
    done = False
    while not done:
        _, done = download.next_chunk()
        steps += 1
    assert steps == 5
    assert content.tell() == int(blob["size"])
    assert "Größte Sorge" in content.getvalue().decode("latin-1")
    assert blob["headRevisionId"]
    utf16 = ada.files().get_media(fileId=named(ada, "Kundenliste (Export).txt")["id"]).execute()
    assert utf16.decode("utf-16").startswith("Kunde;Ort")
    empty = named(ada, "Empty placeholder.txt")
    assert ada.files().get_media(fileId=empty["id"]).execute() == b""


def test_a_large_doc_is_refused_and_its_link_is_not(sandbox_process: SandboxProcess) -> None:
    """google-api-python-client#1837"""
    token = sandbox_process.sign_in()["access_token"]
    with closing(sandbox_process.drive(token)) as drive:
        log = named(drive, "Sensor log, season 2025 (complete)")
        export = drive.files().export(fileId=log["id"], mimeType="text/plain")
        assert refusal(export) == (403, "exportSizeLimitExceeded")
    link = log["exportLinks"]["text/plain"]
    assert httpx.get(link).status_code == 401
    whole = httpx.get(link, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert len(whole.content) > 10 * 1024 * 1024
    assert "31.4 degrees" in whole.text


def test_what_cannot_be_read_says_why(ada: Any) -> None:
    pdf = named(ada, "Confidential valuation.pdf")
    assert pdf["capabilities"]["canDownload"] is False
    assert refusal(ada.files().get_media(fileId=pdf["id"])) == (403, "cannotDownloadFile")
    doc = named(ada, "Employee handbook")
    assert refusal(ada.files().get_media(fileId=doc["id"])) == (403, "fileNotDownloadable")
    text = named(ada, "Fleet.csv")
    assert refusal(ada.files().export(fileId=text["id"], mimeType="text/plain")) == (403, "fileNotExportable")
    form = named(ada, "Member survey 2026")
    assert refusal(ada.files().export(fileId=form["id"], mimeType="text/plain")) == (403, "fileNotExportable")
    assert refusal(ada.files().get(fileId="unknown")) == (404, "notFound")


def test_shortcuts_name_their_targets(ada: Any) -> None:
    shortcuts = ada.files().list(
        q="mimeType = 'application/vnd.google-apps.shortcut'", fields="files(name,shortcutDetails)"
    )
    targets = {file["name"]: file["shortcutDetails"] for file in shortcuts.execute()["files"]}
    folder = targets["Incidents"]
    assert folder["targetMimeType"] == "application/vnd.google-apps.folder"
    assert ada.files().get(fileId=folder["targetId"]).execute()["name"] == "Incidents"
    broken = targets["Supplier scorecard 2024"]
    assert refusal(ada.files().get(fileId=broken["targetId"])) == (404, "notFound")


def test_a_resource_key_opens_what_is_shared_by_link(ada: Any) -> None:
    found = ada.files().list(q="name = 'Pomona quality audit 2026'", fields="files(shortcutDetails)").execute()["files"]
    assert len(found) == 1, "the file itself is in no search"
    details = found[0]["shortcutDetails"]
    request = ada.files().get(fileId=details["targetId"])
    assert refusal(request) == (404, "notFound")
    request = ada.files().get(fileId=details["targetId"])
    request.headers["X-Goog-Drive-Resource-Keys"] = f"{details['targetId']}/{details['targetResourceKey']}"
    assert request.execute()["resourceKey"] == details["targetResourceKey"]


def test_the_trash_is_told_apart(ada: Any) -> None:
    assert named(ada, "Price list 2023")["trashed"] is True
    assert ada.files().list(q="name = 'Price list 2023' and trashed = false").execute()["files"] == []


def test_about_needs_fields(ada: Any) -> None:
    assert refusal(ada.about().get()) == (400, "required")
    user = ada.about().get(fields="user(emailAddress,displayName)").execute()["user"]
    assert user == {"emailAddress": "ada@sandbox.leaf.example", "displayName": "Ada Lindqvist"}


def test_an_edit_makes_a_new_revision(sandbox_process: SandboxProcess, ada: Any) -> None:
    """# 000-57, 000-64"""
    doc = named(ada, "Onboarding checklist.md")
    httpx.post(f"{sandbox_process.url}/sandbox/files/{doc['id']}", json={"content": "# New\n"}).raise_for_status()
    after = named(ada, "Onboarding checklist.md")
    assert (after["headRevisionId"], after["md5Checksum"]) != (doc["headRevisionId"], doc["md5Checksum"])
    assert ada.files().get_media(fileId=doc["id"]).execute() == b"# New\n"


def test_faults_and_log_serve_tests(sandbox_process: SandboxProcess, ben: Any) -> None:
    sandbox_process.reset()
    sandbox_process.fault(path="/drive/v3/files$", status=429, times=1, headers={"Retry-After": "1"})
    assert refusal(ben.files().list()) == (429, "rateLimitExceeded")
    sandbox_process.fault(path="/drive/v3/files", status=403, reason="userRateLimitExceeded")
    assert refusal(ben.files().list()) == (403, "userRateLimitExceeded")
    sandbox_process.fault(path="/drive/v3/files", body="<html>nonsense", status=502)
    with pytest.raises(HttpError, match="502"):
        ben.files().list().execute()
    sandbox_process.fault(path="/drive/v3/files", incomplete_search=True)
    assert ben.files().list().execute()["incompleteSearch"] is True
    sandbox_process.fault(path="/drive/v3/files", delay_seconds=0.2)
    assert ben.files().list().execute()["incompleteSearch"] is False
    log = sandbox_process.requests("/drive/v3/files")
    assert [entry["status"] for entry in log] == [429, 403, 502, 200, 200]
    assert log[-1]["account"] == "ben@sandbox.leaf.example"
    sandbox_process.reset()
    assert sandbox_process.requests() == []


def test_pages_show_documents_to_those_who_may_see_them(sandbox_process: SandboxProcess, ada: Any) -> None:
    """# 000-37"""
    budget = named(ada, "Operating budget 2026")
    assert budget["webViewLink"] == f"{sandbox_process.url}/spreadsheets/d/{budget['id']}/edit"
    assert "Choose an account" in httpx.get(budget["webViewLink"]).text
    as_ada = httpx.get(budget["webViewLink"], headers={"Cookie": "leaf_sandbox_account=ada"})
    assert "7200000" in as_ada.text
    as_ben = httpx.get(budget["webViewLink"], headers={"Cookie": "leaf_sandbox_account=ben"})
    assert as_ben.status_code == 404
    for name in ("Contracts", "Product roadmap 2027", "Orchard map Hillside.png", "Fleet.csv", "Member survey 2026"):
        page = httpx.get(named(ada, name)["webViewLink"], headers={"Cookie": "leaf_sandbox_account=ada"})
        assert (page.status_code, name in page.text) == (200, True), name
    flyer = named(ada, "Supplier flyer – HarvestBoost.md")["webViewLink"]
    policy = httpx.get(flyer, headers={"Cookie": "leaf_sandbox_account=ada"}).headers["content-security-policy"]
    assert "default-src 'none'" in policy
