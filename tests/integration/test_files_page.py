"""The page *Files*: a member's Drive one folder at a time, the state of each file, filters, and the search."""

import json
import random

import pytest

from leaf import config, errors
from leaf.db import Actor, transaction
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.files import DriveFile
from leaf.services import drive, integrations
from leaf.services.library import folders, progress, sight
from leaf.services.library.folders import MY_DRIVE, SHARED
from leaf.texts import english
from sandbox import sample_drive
from tests.integration.people import person
from tests.integration.test_library import BOARD, changing_sandbox, connected, follow, sandbox_process
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import World

__all__ = ["changing_sandbox", "sandbox_process"]

FOLDER = "application/vnd.google-apps.folder"
CONTRACTS = sample_drive.id_of("ada:/Contracts")


async def see(
    actor: Actor, *files: tuple[str, str, str | None], folder: bool = False, can_download: bool = True
) -> None:
    """Has a member see files, each with its id, name and folder."""
    described = [
        DriveFile.of(
            {
                "id": file_id, "name": name, "mimeType": FOLDER if folder else "text/plain", "headRevisionId": "1",
                "webViewLink": f"https://drive.example/{file_id}", "capabilities": {"canDownload": can_download},
                "modifiedTime": "2026-03-04T05:06:07Z", **({"parents": [parent]} if parent else {}),
            }
        )
        for file_id, name, parent in files
    ]  # fmt: skip
    async with transaction(actor) as tx:
        await sight.store(tx, described)


def put_text(world: World, file_id: str, state: str, *, chunks: int = 0, reason: str = "") -> None:
    """Sets the state of a file's text."""
    message = english(reason) if reason else None
    data = {"text": str(message), "message": message.as_data()} if message else None
    world.sql(
        "INSERT INTO drive_texts (file_id, revision, state, chunks, reason, mime_type, kind)"
        " VALUES (%s, '1', %s, %s, %s::jsonb, 'text/plain', 'text')",
        file_id, state, chunks, None if data is None else json.dumps(data),
    )  # fmt: skip


async def test_the_top_of_each_drive_holds_what_google_lists_there(world: World) -> None:
    """My Drive, a Shared Drive, a folder, and what others have shared without its folder. # 000-63"""
    async with connected(world) as (_, ada):
        await follow(world)
        for place, link in ((MY_DRIVE, "root"), (BOARD, BOARD), (CONTRACTS, CONTRACTS)):
            listed = await folders.listing(ada, place)
            assert {one.id for one in listed.entries} == {one.id for one in (await drive.folder(ada, link)).files}
        tops = await folders.drives(ada)
        assert [one.id for one in tops[:2]] == [MY_DRIVE, SHARED]
        assert BOARD in {one.id for one in tops}
        everything = (await folders.listing(ada)).total
        below = [(await folders.listing(ada, top.id, name="e")).total for top in tops]
        assert sum(below) == (await folders.listing(ada, name="e")).total
        assert 0 < sum(below) < everything
        inside = await folders.listing(ada, CONTRACTS)
        assert [place.id for place in inside.above] == [MY_DRIVE, CONTRACTS]


async def test_each_file_shows_its_state_and_why_it_is_not_read(world: World) -> None:
    """# 000-63"""
    async with connected(world) as (browser, ada):
        names = ("a-known", "b-reading", "c-failed", "d-read", "e-searchable", "f-skipped")
        await see(ada, ("folder", "Plans", None), folder=True)
        await see(ada, *((name, name, "folder") for name in names))
        await see(ada, ("g-closed", "g-closed", "folder"), can_download=False)
        put_text(world, "b-reading", "reading")
        put_text(world, "c-failed", "failed", reason="refusals.forbidden")
        put_text(world, "d-read", "read")
        put_text(world, "e-searchable", "read", chunks=2)
        put_text(world, "f-skipped", "skipped", reason="refusals.encrypted_pdf")
        tab = Tab(browser, "/files/folder")
        await tab.fire("LibraryState.load")
        shown = tab.state("LibraryState")
        assert [one.name for one in shown.above] == ["Shared with me", "Plans"]
        said = {one.name: one.state for one in shown.entries}
        assert said == {
            "a-known": "Known by its name, not read yet.",
            "b-reading": "Being read.",
            "c-failed": f"Not read yet; Leaf tries again. {english('refusals.forbidden')}",
            "d-read": "Read; it has no text.",
            "e-searchable": "Searchable",
            "f-skipped": f"Could not be read. {english('refusals.encrypted_pdf')}",
            "g-closed": f"Could not be read. {Diagnosis(Cause.NO_DOWNLOAD, {'what': '“g-closed”'}).message}",
        }
        assert shown.totals[:4] == ["7 files known", "2 searchable", "2 could not be read", "3 still to be read"]
        await tab.fire("LibraryState.filter", {"name": "", "state": "skipped"})
        assert [one.name for one in shown.entries] == ["f-skipped", "g-closed"]
        await tab.fire("LibraryState.filter", {"name": "SEARCH", "state": ""})
        assert [one.name for one in shown.entries] == ["e-searchable"]


async def test_a_large_folder_is_shown_a_page_at_a_time(world: World) -> None:
    """# 000-63"""
    actor = await person("ada")
    await see(actor, ("big", "Big", None), ("sub", "A folder", "big"), folder=True)
    order = list(range(folders.PAGE * 2 + 5))
    random.Random(7).shuffle(order)
    await see(actor, *((f"file-{n}", f"File {n:04}", "big") for n in order))
    pages = [await folders.listing(actor, "big", page=n) for n in range(3)]
    assert [len(page.entries) for page in pages] == [folders.PAGE, folders.PAGE, 6]
    names = [one.name for page in pages for one in page.entries]
    assert names == ["A folder", *(f"File {n:04}" for n in sorted(order))]
    assert (await folders.listing(actor, "big", page=99)).page == 2


async def test_a_folder_of_somebody_else_is_as_unknown_as_one_that_is_not_there(world: World) -> None:
    """# 000-40"""
    ada, ben = await person("ada"), await person("ben")
    await see(ada, ("hers", "Hers", None), folder=True)
    await see(ada, ("inside", "Inside", "hers"))
    assert (await folders.listing(ada, "hers")).total == 1
    for unknown in ("hers", "nowhere"):
        with pytest.raises(errors.NotFound):
            await folders.listing(ben, unknown)
    assert (await folders.listing(ben, name="inside")).total == 0


async def test_a_search_shows_the_passages_under_the_names(world: World) -> None:
    """# 000-63"""
    async with connected(world) as (browser, _):
        tab = Tab(browser, "/files")
        await tab.fire("LibraryState.search", {"query": "notice period"})
        shown = tab.state("LibraryState")
        assert shown.query == "notice period"
        assert shown.found, "Google's search is asked while nothing is read"
        assert "and asked Google's search" in shown.looked
        await tab.fire("LibraryState.search", {"query": " "})
        assert (shown.query, shown.found) == ("", [])


async def test_the_page_says_that_nothing_is_connected_or_that_the_index_is_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.browser("ada") as browser:
        tab = Tab(browser, "/files")
        await tab.fire("LibraryState.load")
        assert tab.state("LibraryState").phase == "unconnected"
        await browser.connect("ada")
        await tab.fire("LibraryState.load")
        assert tab.state("LibraryState").phase == "ready"
        monkeypatch.setattr(config, "_current", config.current().model_copy(update={"index": False}))
        await tab.fire("LibraryState.load")
        assert tab.state("LibraryState").phase == "off"


async def test_progress_counts_what_the_files_show(world: World) -> None:
    """# 000-63"""
    actor = await person("ada")
    await see(actor, *((f"file-{n}", f"File {n}", None) for n in range(9)))
    put_text(world, "file-1", "read", chunks=1)
    put_text(world, "file-2", "skipped", reason="refusals.encrypted_pdf")
    state = await progress.of(actor)
    listed = [(await folders.listing(actor, state=one)).total for one in ("searchable", "skipped", "known")]
    assert listed == [state.read, state.skipped, 7]
    assert integrations.state_of(await integrations.cards(actor)) == "none"
