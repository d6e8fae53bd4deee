"""A local folder is served as a Drive, live."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from googleapiclient.errors import HttpError

from tests.integration.sandbox_fixtures import SandboxProcess, running_sandbox


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("folder")
    (root / "Trips").mkdir()
    (root / "Trips" / "Norway's fjords.md").write_text(
        "# Norway\n\nThe ferry leaves at 07:40.\n<script>alert(1)</script>"
    )
    (root / "private").mkdir()
    (root / "private" / "pin.txt").write_text("1234")
    return root


@pytest.fixture(scope="module")
def sandbox(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    with running_sandbox(tmp_path_factory.mktemp("state"), "--drive", str(folder)) as running:
        yield running


@pytest.fixture(scope="module")
def ada(sandbox: SandboxProcess) -> Iterator[Any]:
    with closing(sandbox.drive(sandbox.sign_in("ada")["access_token"])) as drive:
        yield drive


def listed(drive: Any, query: str) -> dict[str, str]:
    files = drive.files().list(q=query, fields="files(id,name)").execute()["files"]
    return {file["name"]: file["id"] for file in files}


def test_files_are_listed_searched_and_read(ada: Any) -> None:
    assert set(listed(ada, "'root' in parents")) == {"Trips", "private"}
    found = listed(ada, "fullText contains 'ferry leaves' and trashed = false")
    assert set(found) == {"Norway's fjords.md"}
    assert found == listed(ada, "name = 'Norway\\'s fjords.md'")
    assert b"07:40" in ada.files().get_media(fileId=found["Norway's fjords.md"]).execute()


def test_changes_are_live(ada: Any, folder: Path) -> None:
    """# 000-64"""
    (folder / "Trips" / "new.txt").write_text("fresh")
    new = listed(ada, "name = 'new.txt'")["new.txt"]
    assert ada.files().get_media(fileId=new).execute() == b"fresh"
    (folder / "Trips" / "new.txt").unlink()
    with pytest.raises(HttpError, match="File not found"):
        ada.files().get_media(fileId=new).execute()


def test_private_folders_are_adas(sandbox: SandboxProcess) -> None:
    with closing(sandbox.drive(sandbox.sign_in("ben")["access_token"])) as ben:
        assert set(listed(ben, "trashed = false")) == {"Trips", "Norway's fjords.md"}


def test_a_name_that_is_not_utf_8_is_served_like_any_other(sandbox: SandboxProcess, ada: Any, folder: Path) -> None:
    """One such name used to fail every call."""
    path = Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff\xfename.txt"))
    path.write_text("alpacas")
    try:
        found = listed(ada, "fullText contains 'alpacas'")
        assert list(found) == ["bad\ufffd\ufffdname.txt"]
        assert ada.files().get_media(fileId=next(iter(found.values()))).execute() == b"alpacas"
        (file_id,) = found.values()
        link = f"{sandbox.url}/file/d/{file_id}/view"
        assert "alpacas" in httpx.get(link, headers={"Cookie": "leaf_sandbox_account=ada"}).text
    finally:
        path.unlink()


def test_pages_never_run_what_a_file_holds(sandbox: SandboxProcess, ada: Any) -> None:
    file_id = listed(ada, "name contains 'norway'")["Norway's fjords.md"]
    link = f"{sandbox.url}/file/d/{file_id}/view"
    page = httpx.get(link, headers={"Cookie": "leaf_sandbox_account=ben"})
    assert "07:40" in page.text
    assert "<script>" not in page.text
