"""Drives and files that are hard to read: each file is named with its reason, and none holds up another."""

import asyncio
import base64
import io
import zipfile
from typing import Any

from leaf.db import Actor
from leaf.services.library import feeds, file_texts, folders, progress
from leaf.services.library.feeds import Due
from sandbox import sample_drive
from tests.acceptance.stack import until
from tests.integration.test_library import (
    add,
    change,
    changing_sandbox,
    connected,
    follow,
    follow_due,
    read_all,
    sandbox_process,
)
from tests.integration.web_fixtures import World
from tests.unit.test_scans import picture

__all__ = ["changing_sandbox", "sandbox_process"]
CHANGING = "This file is being changed at the moment. Please try again in a minute."
LONG_NAME = "n" * 4_000 + ".txt"


def long_pdf(pages: int) -> bytes:
    """A PDF whose pages are one page many times."""
    kids = b"3 0 R " * pages
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [ %s] >>" % (pages, kids),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
    )
    return (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, one) for n, one in enumerate(objects, 1))
        + (b"trailer << /Root 1 0 R /Size 4 >>\n%%EOF\n")
    )


def bomb() -> bytes:
    """A Word document that unpacks to 400 MB."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(400):
            part.write(bytes(1_000_000))
    return made.getvalue()


def _files() -> dict[str, tuple[dict[str, Any], str | None]]:
    """Entries of the sandbox's Drive, and the beginnings of the sentences that say why they are not read."""
    return {
        "Damaged.docx": ({"kind": "docx", "data": b"PK\x03\x04 and nothing more"}, "This file is damaged"),
        "Damaged.pdf": ({"kind": "pdf", "data": b"%PDF-1.7\nnothing more"}, "This PDF is damaged"),
        "Damaged.png": ({"kind": "image", "data": picture("Half of it")[:400]}, "This picture is damaged"),
        "Bomb.docx": ({"kind": "docx", "data": bomb()}, "This file unpacks to more than 300 MB"),
        "Long.pdf": ({"kind": "pdf", "data": long_pdf(10_000)}, "This PDF has 10,000 pages; Leaf reads up to 3,000."),
        "Huge.txt": ({"kind": "text", "text": "x", "claimed_bytes": 2_000_000_000}, "This file is 2"),
        LONG_NAME: ({"kind": "text", "text": "A name may be long."}, None),
        "Plain.txt": ({"kind": "text", "text": "The last of them is read."}, None),
    }


async def _only_new(world: World) -> None:
    """Leaves the files of these tests to read, so that they are quick."""
    await follow(world)
    world.sql("DELETE FROM drive_sight WHERE kind <> 'folder' AND parent_id IS DISTINCT FROM %s", _FOLDER)


_FOLDER = sample_drive.id_of("ada:/Hard")


async def _states(actor: Actor) -> dict[str, tuple[str | None, str]]:
    listing = await folders.listing(actor, _FOLDER)
    return {one.name: (one.state, str((one.reason or {}).get("text", ""))) for one in listing.entries}


async def test_each_hard_file_is_named_with_its_reason_and_holds_up_nothing(world: World) -> None:
    """A 2 GB file is not even downloaded; shortcuts that point to each other are not followed. # 000-64"""
    files = _files()
    for name, (entry, _) in files.items():
        data = {"data": base64.b64encode(entry["data"]).decode()} if "data" in entry else {}
        add(world, f"ada:/Hard/{name}", **{"text": ""} | entry | data)
    for name, target in (("One", "Two"), ("Two", "One")):
        add(world, f"ada:/Hard/{name}", "", kind="shortcut", target=f"ada:/Hard/{target}")
    async with connected(world) as (_, ada):
        await _only_new(world)
        world.forget_requests()
        await read_all()
        states = await _states(ada)
        downloads = [one["path"] for one in world.asked("/drive/v3/files/") if "alt=media" in one["query"]]
        counted = await progress.of(ada)
    for name, (_, reason) in files.items():
        state, found = states[name]
        assert (state, found.startswith(reason or "")) == ("skipped" if reason else "searchable", True), (name, found)
        assert reason is None or found
    assert states["One"] == states["Two"] == (None, "")
    assert not any(path.endswith(sample_drive.id_of("ada:/Hard/Huge.txt")) for path in downloads)
    assert (counted.files, counted.read, counted.skipped, counted.complete) == (len(files), 2, len(files) - 2, True)


async def test_a_drive_whose_every_second_call_fails_is_read_to_its_end(world: World) -> None:
    """# 000-63, 000-64"""
    for number in range(4):
        add(world, f"ada:/Hard/Note {number}.txt", f"Note {number} of the orchard.")
    async with connected(world) as (_, ada):
        world.fault(path="/drive/v3/", status=503, reason="backendError", every=2, times=10_000)
        await _only_new(world)
        await read_all()
        world.forget_faults()
        assert {state for state, _ in (await _states(ada)).values()} == {"searchable"}
        assert (await progress.of(ada)).complete


async def test_a_file_that_google_refused_for_hours_is_tried_again_a_day_later(world: World) -> None:
    """Until then it is named as skipped, and the others are read. # 000-64"""
    note = add(world, "ada:/Hard/Note.txt", "The press stands still.")
    add(world, "ada:/Hard/Other.txt", "The others go on.")
    async with connected(world) as (_, ada):
        await _only_new(world)
        (waiting,) = [one for one in await file_texts.waiting(ada, 10) if one.link.id == note]
        assert await file_texts.claim_file(ada, waiting) is not None
        world.sql("UPDATE drive_texts SET attempts = %s, retry_at = now()", file_texts.ATTEMPTS - 1)
        world.fault(path=f"files/{note}", status=503, reason="backendError", times=50)
        await read_all()
        world.forget_faults()
        states = await _states(ada)
        assert states["Note.txt"][0] == "skipped"
        assert "Google" in states["Note.txt"][1]
        await read_all()
        assert (await _states(ada))["Other.txt"][0] == "searchable"
        assert await file_texts.unread(5) == []
        world.sql("UPDATE drive_texts SET retry_at = now() WHERE state = 'skipped'")
        assert [actor.user_id for actor in await file_texts.unread(5)] == [ada.user_id]
        await read_all()
        assert (await _states(ada))["Note.txt"][0] == "searchable"


async def test_a_file_of_which_workers_have_died_is_skipped(world: World) -> None:
    """And holds up nothing. # 000-64"""
    note = add(world, "ada:/Hard/Deadly.txt", "Nobody has read this to the end.")
    async with connected(world) as (_, ada):
        await _only_new(world)
        (waiting,) = await file_texts.waiting(ada, 10)
        for _ in range(file_texts.ATTEMPTS):
            assert await file_texts.claim_file(ada, waiting) is not None
            # The worker is gone, and its lease runs out.
            world.sql("UPDATE drive_texts SET retry_at = now() WHERE file_id = %s", note)
        await read_all()
        state, reason = (await _states(ada))["Deadly.txt"]
        assert (state, reason) == (
            "skipped",
            "This file cannot be read: it needs too much memory, or reading it failed.",
        )


async def test_a_file_that_changes_faster_than_it_is_read_holds_up_nothing(world: World) -> None:
    """It is read when it comes to rest. # 000-64, 000-66"""
    busy = add(world, "ada:/Hard/Busy.txt", "Edition 0.")
    add(world, "ada:/Hard/Calm.txt", "Nothing changes here.")
    async with connected(world) as (_, ada):
        await _only_new(world)
        for edition in range(1, 4):
            change(world, busy, content=f"Edition {edition}.")
            await read_all()
            assert (await _states(ada))["Busy.txt"] == (
                "failed",
                CHANGING,
            )
            assert (await _states(ada))["Calm.txt"][0] == "searchable"
            await follow(world) if edition < 3 else None
            world.sql("UPDATE drive_texts SET retry_at = now() WHERE state = 'failed'")
        await follow(world)
        await read_all()
        assert (await _states(ada))["Busy.txt"][0] == "searchable"
        found = world.sql("SELECT c.text FROM drive_chunks c JOIN drive_texts t ON t.id = c.text_id "
                          "JOIN drive_sight s ON s.file_id = t.file_id AND s.revision = t.revision "
                          "WHERE t.file_id = %s", busy)  # fmt: skip
        assert found == [("Edition 3.",)]


async def test_bytes_that_are_not_those_of_the_revision_are_not_stored(world: World) -> None:
    """A cut answer, or a file that changes between two calls, is no text of the revision. # 000-64"""
    add(world, "ada:/Hard/Plain.txt", "The rent is 900, and the deposit is 1800.")
    async with connected(world) as (_, ada):
        await _only_new(world)
        world.fault(path="alt=media", body="The rent is 900, and", status=200)
        await read_all()
        assert (await _states(ada))["Plain.txt"] == (
            "failed",
            CHANGING,
        )
        world.forget_faults()
        world.sql("UPDATE drive_texts SET retry_at = now() WHERE state = 'failed'")
        await read_all()
        assert (await _states(ada))["Plain.txt"][0] == "searchable"


async def test_a_worker_that_ends_gives_its_feeds_back(world: World) -> None:
    """Another one goes on at once, and not when the claim runs out. # 000-63"""
    async with connected(world) as (_, ada):
        world.fault(path="/drive/v3/files", delay_seconds=30)
        following = asyncio.create_task(follow_due())
        await until(lambda: bool(world.asked("/drive/v3/files")))
        assert Due(ada, "") not in await feeds.due(5)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        assert Due(ada, "") in await feeds.due(5)
        world.forget_faults()
