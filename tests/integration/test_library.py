"""The index of members' Drives: feeds, sight, texts and search, with a sandbox of its own whose Drive changes."""

import asyncio
import io
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from types import ModuleType
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx
import pytest
from PIL import Image, ImageChops
from psycopg.errors import RaiseException
from sqlalchemy import exc

from jobs import library
from jobs.library import claims, reader
from jobs.library import feeds as feeds_job
from jobs.library import vectors as vectors_job
from leaf import errors
from leaf import redis as leaf_redis
from leaf.db import Actor, transaction
from leaf.documents import READER_VERSION
from leaf.documents.model import Line
from leaf.google import drive as drive_client
from leaf.google.diagnosis import Diagnosis
from leaf.google.files import DriveFile, Page
from leaf.google.links import DriveLink
from leaf.services import account_deletion, chats, conversations, documents, integrations
from leaf.services.integrations import UserDrive
from leaf.services.library import feeds, file_texts, lookup, pace, progress, search, sight, vectors, words
from leaf.services.library.feeds import Due, Kind, Overtaken
from leaf.services.library.scope import Scope
from sandbox import sample_drive
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.sandbox_fixtures import SandboxProcess, running_sandbox
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import Browser, World

BOARD = sample_drive.corpus.opaque_id("drive board", "0A", 19)
OPERATIONS = sample_drive.corpus.opaque_id("drive operations", "0A", 19)
HANDBOOK = sample_drive.id_of("ada:/People/Employee handbook", "doc")
"""A file that ada and ben see."""
MEMO = sample_drive.id_of("board:/Memo – Larkspur Farm", "doc")
"""A file that ada sees and ben does not."""
SCAN = sample_drive.id_of("ada:/Contracts/Scans/Delivery note 4471 (scan).pdf")
MAP = sample_drive.id_of("ada:/Maps/Orchard map Hillside.png")
SCANS = {sample_drive.id_of("ada:/Contracts/Scans"), sample_drive.id_of("ada:/Maps")}
LEFT_OUT = tuple(
    sample_drive.id_of(f"ada:/{name}")
    for name in (
        "Contracts/Scans", "Field data", "Field reports 2025", "Finance", "Forecast 2026", "Incidents", "Maps",
        "Meetings", "Product", "Sales",
    )
)  # fmt: skip
"""Folders of the sample Drive that show nothing of the index that the others do not show: tests are quick without."""


@pytest.fixture(scope="module")
def changing_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """A sandbox whose Drive these tests change."""
    with running_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox_process(changing_sandbox: SandboxProcess) -> SandboxProcess:
    """The same with its Drive as it was, but for what makes tests slow."""
    httpx.delete(f"{changing_sandbox.url}/sandbox/files", params={"without": LEFT_OUT}).raise_for_status()
    return changing_sandbox


@asynccontextmanager
async def connected(world: World, account: str = "ada") -> AsyncIterator[tuple[Browser, Actor]]:
    """Somebody who has just connected Drive, with the actor of a worker."""
    async with world.browser(account) as browser:
        await browser.connect(account)
        actor = await browser.actor()
        yield browser, Actor.worker_for(actor.member_id, actor.own_workspace_id)


async def follow(world: World) -> None:
    """Has a worker read all feeds to their ends, as if their time had come."""
    world.sql("UPDATE drive_feeds SET checked_at = NULL, retry_at = now(), claimed_until = NULL")
    while await follow_due():
        pass


async def follow_due(kind: Kind | None = None) -> bool:
    """Has a worker read the most urgent feed that is due; returns whether there was one."""
    feed = await feeds_job.claim_due(kind)
    return feed is not None and await feeds_job.follow(feed)


async def read_all() -> None:
    """Has a worker read all texts."""
    while await reader.read_waiting():
        pass


async def test_the_page_says_how_many_texts_are_kept(world: World) -> None:
    """Until the Drive is disconnected. # 000-07"""
    async with connected(world) as (browser, ada):
        await follow(world)
        await read_all()
        state = await progress.of(ada)
        tab = Tab(browser, "/settings/integrations")
        await tab.fire("SettingsState.load")
        kept = f"Leaf keeps the text of {state.read} of {state.files} files to search them."
        assert tab.state("SettingsState").kept == kept
        await tab.fire("SettingsState.ask", "google_drive")
        await tab.fire("SettingsState.disconnect")
        assert tab.state("SettingsState").kept == ""


def names(world: World, actor: Actor) -> set[str]:
    """The names of the files that a member sees according to the index."""
    return {name for (name,) in world.sql("SELECT name FROM drive_sight WHERE user_id = %s", actor.user_id)}


def change(world: World, file_id: str, **changes: Any) -> None:
    """Changes a file of the sandbox's Drive."""
    world.http.post(f"/sandbox/files/{file_id}", json=changes).raise_for_status()


def add(world: World, path: str, text: str, **more: Any) -> str:
    """Adds a file to the sandbox's Drive."""
    answer = world.http.post("/sandbox/files", json={"path": path, "kind": "text", "text": text, **more})
    return answer.raise_for_status().json()["id"]


def drive_of(actor: Actor) -> drive_client.Drive:
    return drive_client.Drive(UserDrive(actor))


# Feeds.


async def test_the_names_of_everything_are_known_after_connect(world: World) -> None:
    """Of My Drive, of what others share, and of every Shared Drive; a feed for each. # 000-63"""
    async with connected(world) as (_, ada):
        await follow(world)
        found = names(world, ada)
        assert {"Board", "Contracts"} & found
        rows = world.sql("SELECT drive_id, stage FROM drive_feeds WHERE user_id = %s", ada.user_id)
        assert dict(rows) == {"": "following", BOARD: "following", OPERATIONS: "following"}
        of_board = world.sql("SELECT count(*) FROM drive_sight WHERE feed = %s", BOARD)
        assert of_board[0][0] > 0
        state = await progress.of(ada)
        assert state.listed
        assert not state.complete
        assert state.files > 20


async def test_claims_end_with_an_outage_of_the_database(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed, a text and its vectors are given back as soon as it answers, not when their claims run out. # 000-63"""
    monkeypatch.setattr(claims, "PAUSE_SECONDS", 0.01)

    def fails_twice(module: ModuleType, name: str) -> None:
        """The database is away at the named call and at the next one, which gives back."""
        for one in (name, "release_file" if module is file_texts else "release"):
            real, left = getattr(module, one), [1]

            async def call(*given: Any, _real: Any = real, _left: list[int] = left, **more: Any) -> Any:
                if _left:
                    _left.pop()
                    raise errors.DatabaseUnavailable
                return await _real(*given, **more)

            monkeypatch.setattr(module, one, call)

    async with connected(world) as (_, ada):
        fails_twice(feeds, "store_drives")
        with pytest.raises(errors.DatabaseUnavailable):
            await follow_due()
        claimed = "SELECT count(*) FROM drive_feeds WHERE user_id = %s AND claimed_until IS NOT NULL"
        assert world.sql(claimed, ada.user_id) == [(1,)]
        await until(lambda: world.sql(claimed, ada.user_id) == [(0,)])
        await follow(world)
        fails_twice(file_texts, "keep")
        with pytest.raises(errors.DatabaseUnavailable):
            await reader.read_waiting()
        reading = "SELECT count(*) FROM drive_texts WHERE state = 'reading'"
        await until(lambda: world.sql(reading) == [(0,)])
        await read_all()
        fails_twice(vectors, "store")
        with pytest.raises(errors.DatabaseUnavailable):
            await vectors_job.embed_waiting()
        await until(lambda: not world.sql("SELECT 1 FROM drive_texts WHERE vectors_claimed_until IS NOT NULL"))


async def test_the_place_in_the_feed_is_taken_before_the_first_listing(world: World) -> None:
    """A change during the listing is then behind that place."""
    async with connected(world):
        world.forget_requests()
        await follow(world)
        paths = [request["path"] for request in world.asked("/drive/v3/")]
    assert paths.index("/drive/v3/changes/startPageToken") < paths.index("/drive/v3/files")


async def test_a_member_sees_what_their_own_token_shows_and_nothing_else(world: World) -> None:
    """# 000-61"""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        await follow(world)
        assert not world.sql("SELECT 1 FROM drive_sight WHERE user_id = %s AND drive_id = %s", ben.user_id, BOARD)
        assert world.sql("SELECT 1 FROM drive_sight WHERE user_id = %s AND drive_id = %s", ada.user_id, BOARD)
        assert names(world, ada) != names(world, ben)


async def test_the_rows_of_a_page_and_the_next_token_are_stored_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a row cannot be stored, the token stays where it is, and the next worker asks for the same page."""
    monkeypatch.setattr(drive_client, "PAGE_SIZE", 8)
    async with connected(world) as (_, ada):
        (due,) = await feeds.due(5)
        feed = await feeds.claim(due)
        assert feed is not None
        drive = drive_of(ada)
        feed = await feeds.begin_listing(feed, await drive.start_token())
        first = await drive.page()
        feed = await feeds.store_page(feed, first)
        before = world.sql("SELECT page_token, (SELECT count(*) FROM drive_sight) FROM drive_feeds")
        assert before == [(first.next_token, len(first.files))]
        second = await drive.page(first.next_token)
        world.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no room''; END'")
        world.sql("CREATE TRIGGER refuse BEFORE INSERT ON drive_sight FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
        try:
            with pytest.raises(exc.DBAPIError) as refused:
                await feeds.store_page(feed, second)
            assert isinstance(refused.value.orig, RaiseException)
            assert world.sql("SELECT page_token, (SELECT count(*) FROM drive_sight) FROM drive_feeds") == before
        finally:
            world.sql("DROP FUNCTION refuse() CASCADE")
        await follow(world)
        assert (await progress.of(ada)).listed


async def test_a_listing_goes_on_at_the_page_at_which_google_failed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that are stored are not asked for again."""
    monkeypatch.setattr(drive_client, "PAGE_SIZE", 8)
    async with connected(world) as (_, ada):
        world.fault(path=r"files\?.*pageToken=.*", status=403, reason="dailyLimitExceeded")
        world.forget_requests()
        await follow_due()
        (row,) = world.sql("SELECT stage, error, failures, retry_at > now() FROM drive_feeds WHERE drive_id = ''")
        assert row == ("listing", "drive_unavailable", 1, True)
        await follow(world)
        asked = [one for one in world.asked("/drive/v3/files") if "corpora=user" in one["query"]]
        first = [one for one in asked if "pageToken" not in one["query"]]
        assert len(first) == 1
        listed = {file.id for file in (await _everything(ada))}
    stored = {file_id for (file_id,) in world.sql("SELECT file_id FROM drive_sight")}
    assert stored == listed


async def _everything(actor: Actor) -> list[DriveFile]:
    drive, found = drive_of(actor), list[DriveFile]()
    page = Page([], "")
    while page.next_token is not None:
        page = await drive.page(page.next_token or None)
        found += page.files
    return found


async def test_a_worker_that_was_overtaken_writes_nothing(world: World) -> None:
    """Its claim has run out, and another worker has the feed."""
    async with connected(world) as (_, ada):
        (due,) = await feeds.due(5)
        first = await feeds.claim(due)
        assert first is not None
        assert await feeds.claim(due) is None, "a claim lasts"
        world.sql("UPDATE drive_feeds SET claimed_until = now() - interval '1 second'")
        second = await feeds.claim(due)
        assert second is not None
        page = await drive_of(ada).page()
        with pytest.raises(Overtaken):
            await feeds.store_page(first, page)
        assert world.count("drive_sight") == 0
        await feeds.begin_listing(second, "1")


async def test_changes_of_every_kind_reach_the_index(world: World) -> None:
    """Added, edited, renamed, moved, put into the bin and back, deleted. # 000-66"""
    async with connected(world) as (_, ada):
        await follow(world)
        added = add(world, "ada:/Cider press.txt", "The press was built in 1911.")
        await follow(world)
        assert "Cider press.txt" in names(world, ada)
        before = _row(world, added)
        change(world, added, content="The press was built in 1912.", name="The press.txt")
        await follow(world)
        after = _row(world, added)
        assert (after["name"], after["revision"] != before["revision"]) == ("The press.txt", True)
        contracts = sample_drive.id_of("ada:/Contracts")
        change(world, added, parent=contracts)
        await follow(world)
        assert _row(world, added)["parent_id"] == contracts
        change(world, added, trashed=True)
        await follow(world)
        assert "The press.txt" not in names(world, ada)
        change(world, added, trashed=False)
        await follow(world)
        assert "The press.txt" in names(world, ada)
        change(world, added, removed=True)
        await follow(world)
        assert "The press.txt" not in names(world, ada)


def _row(world: World, file_id: str) -> dict[str, Any]:
    return world.sql("SELECT to_jsonb(s) FROM drive_sight s WHERE file_id = %s", file_id)[0][0]


async def test_a_folder_that_is_closed_takes_everything_below_it_along(world: World) -> None:
    """And gives it back with the folder."""
    folder = sample_drive.id_of("ada:/Contracts")
    async with connected(world, "ben") as (_, ben):
        await follow(world)
        below = {name for (name,) in world.sql("SELECT name FROM drive_sight WHERE parent_id = %s", folder)}
        assert below
        change(world, folder, readers=["ada"])
        await follow(world)
        assert not below & names(world, ben)
        change(world, folder, readers=["ada", "ben"])
        await follow(world)
        assert below <= names(world, ben)


async def test_a_shared_drive_goes_with_the_membership(world: World) -> None:
    """The feed of the Drive itself does not tell: it answers 404."""
    async with connected(world) as (_, ada):
        await follow(world)
        assert _of_drive(world, OPERATIONS) > 0
        world.http.post(f"/sandbox/drives/{OPERATIONS}", json={"readers": ["ben"]}).raise_for_status()
        await follow(world)
        assert _of_drive(world, OPERATIONS) == 0
        assert not world.sql("SELECT 1 FROM drive_feeds WHERE drive_id = %s", OPERATIONS)
        world.http.post(f"/sandbox/drives/{OPERATIONS}", json={"readers": ["ada", "ben"]}).raise_for_status()
        await follow(world)
        assert _of_drive(world, OPERATIONS) > 0
        assert (await progress.of(ada)).listed


async def test_only_what_comes_after_the_first_listing_has_arrived(world: World) -> None:
    """A file of the member's, and a Shared Drive that they join; what was there at Connect has not come by now."""
    came = "SELECT file_id FROM drive_sight WHERE arrived_at > now() - interval '1 day'"
    async with connected(world):
        world.http.post(f"/sandbox/drives/{OPERATIONS}", json={"readers": ["ben"]}).raise_for_status()
        await follow(world)
        assert world.count("drive_sight") > 0
        assert world.sql(came) == []
        added = add(world, "ada:/Cider press.txt", "The press was built in 1911.")
        await follow(world)
        assert world.sql(came) == [(added,)]
        world.http.post(f"/sandbox/drives/{OPERATIONS}", json={"readers": ["ada", "ben"]}).raise_for_status()
        await follow(world)
        assert len(world.sql(came)) == 1 + _of_drive(world, OPERATIONS) > 1


def _of_drive(world: World, drive_id: str) -> int:
    return world.sql("SELECT count(*) FROM drive_sight WHERE drive_id = %s", drive_id)[0][0]


async def test_a_drive_that_hangs_and_a_first_listing_hold_up_no_other_feed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next feed is begun when one ends: two edits after one another are known while these are still read."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/News.txt", "News.")
        await follow(world)
        monkeypatch.setattr(feeds, "PRESENT", timedelta(seconds=0))
        monkeypatch.setattr(library, "IDLE_SECONDS", 0.1)
        monkeypatch.setattr(feeds_job, "SILENCE_SECONDS", 40)
        world.fault(path=rf"changes\?.*driveId={BOARD}", delay_seconds=30)
        world.fault(path=r"/drive/v3/files\?.*corpora=user", delay_seconds=30)
        async with connected(world, "ben") as (_, ben):
            worker = asyncio.create_task(library.run())
            try:
                claimed = (
                    "SELECT count(*) FROM drive_feeds WHERE claimed_until > now() "
                    "AND (drive_id, user_id) IN ((%s, %s), ('', %s))"
                )
                await until(lambda: world.sql(claimed, BOARD, ada.user_id, ben.user_id) == [(2,)])
                for name in ("Old news.txt", "Older news.txt"):
                    change(world, file_id, name=name)
                    await until(lambda name=name: name in names(world, ada))
                assert world.sql(claimed, BOARD, ada.user_id, ben.user_id) == [(2,)], "both are still read"
            finally:
                worker.cancel()
                await asyncio.gather(worker, return_exceptions=True)
                world.forget_faults()


async def test_a_refused_token_leads_to_a_listing_of_everything(world: World) -> None:
    """Rows stay while it runs; what it does not show is gone behind it."""
    async with connected(world) as (_, ada):
        await follow(world)
        gone, stays = add(world, "ada:/Gone.txt", "Gone."), add(world, "ada:/Stays.txt", "Stays.")
        await follow(world)
        change(world, gone, removed=True)
        added = add(world, "ada:/New.txt", "New.")
        world.http.delete("/sandbox/changes").raise_for_status()
        await follow_due()
        world.sql("UPDATE drive_feeds SET checked_at = NULL")
        await follow_due()
        assert {"Gone.txt", "Stays.txt"} <= names(world, ada), "the rows stay until the listing is complete"
        await follow(world)
        seen = {file_id for (file_id,) in world.sql("SELECT file_id FROM drive_sight")}
        assert (gone in seen, stays in seen, added in seen) == (False, True, True)


async def test_what_no_feed_reports_is_found_by_the_weekly_listing(world: World) -> None:
    """Access that ended through a group."""
    file_id = sample_drive.id_of("ada:/Contracts")
    async with connected(world, "ben") as (_, ben):
        await follow(world)
        before = names(world, ben)
        change(world, file_id, readers=["ada"], silent=True)
        await follow(world)
        assert names(world, ben) == before
        world.sql("UPDATE drive_feeds SET listed_at = now() - interval '8 days'")
        await follow(world)
        assert "Contracts" not in names(world, ben)


async def test_a_feed_is_read_again_within_a_minute_while_the_member_is_there(world: World) -> None:
    """And hourly otherwise."""
    async with connected(world) as (_, ada):
        await follow(world)
        assert await feeds.due(5) == []
        world.sql("UPDATE drive_feeds SET checked_at = now() - interval '1 minute'")
        assert Due(ada, "") in await feeds.due(5)
        world.sql("UPDATE sessions SET last_seen_at = now() - interval '1 hour'")
        assert await feeds.due(5) == []
        world.sql("UPDATE drive_feeds SET checked_at = now() - interval '61 minutes'")
        assert Due(ada, "") in await feeds.due(5)


async def test_the_feeds_of_a_member_with_followed_quotes_are_read_as_often_while_they_are_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For 90 days, and as long as the day's units of Google's last at that pace."""
    now = time.time()
    monkeypatch.setattr(pace, "_now", lambda: now + 86_400)
    async with connected(world) as (_, ada):
        await follow(world)
        turn = await conversations.ask(ada, await chats.new(ada), "What does the memo say?")
        quote = {"n": 1, "verified": True, "kind": "drive", "file_id": MEMO, "quote": "It says so.", "at": [[0, 0, 1]]}
        await end(turn.assistant.run_id, parts=[{"type": "data-citations", "id": "citations", "data": [quote]}])
        world.sql("UPDATE sessions SET last_seen_at = now() - interval '1 hour'")
        assert await feeds.due(5) == []
        world.sql("UPDATE drive_feeds SET checked_at = now() - interval '1 minute'")
        assert {one.drive_id for one in await feeds.due(5)} == {"", BOARD, OPERATIONS}
        world.change(drive_units_per_day=1_000_000)
        await pace.count(ada.member_id, 800_000)
        assert await feeds.due(5) == []
        world.change(drive_units_per_day=400_000_000)
        assert await feeds.due(5) != []
        world.sql("UPDATE citations SET quoted_at = now() - interval '91 days'")
        assert await feeds.due(5) == []


async def test_those_who_connected_before_there_was_an_index_get_one(world: World) -> None:
    async with connected(world) as (_, ada):
        world.sql("DELETE FROM drive_feeds")
        assert await feeds.open_missing() == 1
        assert await feeds.due(5) == [Due(ada, "")]


# Texts.


async def test_texts_are_read_and_what_cannot_be_read_has_a_reason(world: World) -> None:
    """# 000-64"""
    async with connected(world) as (_, ada):
        await follow(world)
        await read_all()
        state = await progress.of(ada)
        assert state.complete
        assert state.read > 10
        assert state.read + state.skipped == state.files
        reasons = world.sql("SELECT kind, reason ->> 'text' FROM drive_texts WHERE state = 'skipped'")
        assert reasons
        assert all(reason for _, reason in reasons)
        chunks = world.sql("SELECT count(*), max(cardinality(string_to_array(text, ' '))) FROM drive_chunks")
        assert chunks[0][0] > 40
        assert chunks[0][1] < 200


async def test_rows_of_passages_are_narrow(world: World) -> None:
    """000-63: a search visits a row for each passage of a word, and reads the texts of the best ones only."""
    body = " ".join(f"word{n}" for n in range(120))
    world.sql(
        "WITH made AS (INSERT INTO drive_texts (file_id, revision, state, mime_type, kind, body, language, chunks) "
        "VALUES ('long', '1', 'read', 'text/plain', 'text', '{}', 'english', 200) RETURNING id) "
        "INSERT INTO drive_chunks (text_id, n, place, heading, text, words) "
        "SELECT id, n, 'all', 'long', %s, leaf_chunk_words('english', 'long', %s) FROM made, generate_series(1, 200) n",
        body, body,
    )  # fmt: skip
    assert world.sql("SELECT count(DISTINCT (ctid::text::point)[0]) FROM drive_chunks")[0][0] <= 5


async def test_files_that_an_earlier_reader_skipped_are_read_again(world: World) -> None:
    """# 000-64"""
    with_scans(world)
    async with connected(world) as (_, ada):
        await read_only(world, SCAN, MAP)
        skip = "UPDATE drive_texts SET state = 'skipped', attempts = 8, reader = %s WHERE file_id = ANY (%s)"
        world.sql(skip, 1, [SCAN])
        world.sql(skip, READER_VERSION, [MAP])
        assert [actor.user_id for actor in await file_texts.unread(5)] == [ada.user_id]
        await read_all()
        states = dict(world.sql("SELECT file_id, state FROM drive_texts WHERE file_id = ANY (%s)", [SCAN, MAP]))
        assert states == {SCAN: "read", MAP: "skipped"}
        assert await file_texts.unread(5) == []


def with_scans(world: World) -> None:
    """Puts the folders of scans back into the Drive."""
    world.http.delete("/sandbox/files", params={"without": [*{*LEFT_OUT} - SCANS]}).raise_for_status()


async def read_only(world: World, *file_ids: str) -> None:
    """Has a worker read some texts of the Drive."""
    await follow(world)
    world.sql("DELETE FROM drive_sight WHERE kind <> 'folder' AND file_id <> ALL (%s)", [*file_ids])
    await read_all()


async def test_a_quote_from_a_scan_shows_its_page_with_the_line_marked(world: World) -> None:
    """Google is asked before, with the member's own token. # 000-37, 000-61"""
    quote = "Pallets 17 and 18 wet, refused"
    with_scans(world)
    address = f"/api/drive/files/{SCAN}/picture?{urlencode({'place': 'page 1, read by OCR', 'quote': quote})}"
    async with connected(world) as (browser, ada), connected(world, "ben") as (other, _):
        await read_only(world, SCAN, MAP)
        found = await search.search(ada, ["pallets refused"])
        assert [passage.place for one in found if one.file_id == SCAN for passage in one.passages] == [
            "page 1, read by OCR"
        ]
        answer = (await browser.get(address)).raise_for_status()
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.headers["cache-control"] == "no-store"
        plain = await browser.get(address.partition("&quote=")[0])
        marked, unmarked = (Image.open(io.BytesIO(one.content)).convert("RGB") for one in (answer, plain))
        box = ImageChops.difference(marked, unmarked).point(lambda value: 255 * (value > 100)).getbbox()
        (line,) = [one for one in await lines_of(ada) if quote in one[0]]
        height = marked.height
        assert box is not None
        assert abs(box[1] / height - line[1].top) < 0.02
        assert abs(box[3] / height - line[1].bottom) < 0.02
        elsewhere = f"/api/drive/files/{SCAN}/picture?place=page+7&quote=Nowhere+in+it"
        assert (await browser.get(elsewhere)).status_code == 404
        assert (await browser.get(f"{address}{'x' * 1_000}")).status_code in {400, 422}
        change(world, SCAN, readers=["ben"], silent=True)
        await leaf_redis.client().flushdb()
        refused = await browser.get(address)
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
        assert (await other.get(address)).content == answer.content


async def lines_of(actor: Actor) -> list[tuple[str, Line]]:
    """The lines of the scan with their words."""
    document = await documents.UserDocuments(actor).get(
        SCAN, (await drive_of(actor).get_file(DriveLink(SCAN))).revision
    )
    assert document is not None
    (segment,) = document.segments
    return [(segment.text[line.start : line.end], line) for line in segment.lines]


async def test_wanted_and_recent_files_are_read_before_the_others(world: World) -> None:
    async with connected(world) as (_, ada):
        await follow(world)
        waiting = await file_texts.waiting(ada, 1000)
        wanted = waiting[-1]
        await sight.prioritise(ada, [wanted.link.id])
        added = add(world, "ada:/Today.txt", "Today.")
        await follow(world)
        first, second, *_ = await file_texts.waiting(ada, 1000)
        assert (first.link.id, second.link.id) == (wanted.link.id, added)


async def test_a_text_that_two_members_see_is_read_once(world: World) -> None:
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        world.forget_requests()
        await read_only(world, HANDBOOK)
        assert (await progress.of(ada)).complete
        assert (await progress.of(ben)).complete
        seen = world.sql("SELECT count(*) FROM drive_sight WHERE file_id = %s", HANDBOOK)
        stored = world.sql("SELECT count(*) FROM drive_texts WHERE file_id = %s", HANDBOOK)
        loaded = world.asked(f"/drive/v3/files/{HANDBOOK}/export")
    assert (seen, stored, len(loaded)) == ([(2,)], [(1,)], 1)


async def test_a_text_is_seen_by_those_who_see_its_file_in_this_revision(world: World) -> None:
    """Row-level security of texts and chunks, whatever a query asks for. # 000-40"""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        await read_only(world, HANDBOOK, MEMO)
        board = {
            file_id
            for (file_id,) in world.sql(
                "SELECT file_id FROM drive_texts JOIN drive_sight s USING (file_id) WHERE s.drive_id = %s", BOARD
            )
        }
        assert board
        everything = "SELECT t.file_id FROM drive_chunks c JOIN drive_texts t ON t.id = c.text_id"
        async with transaction(ada, read_only=True) as tx:
            assert set((await tx.execute(everything)).scalars()) & board
        async with transaction(ben, read_only=True) as tx:
            assert not set((await tx.execute(everything)).scalars()) & board
            assert not set((await tx.execute("SELECT file_id FROM drive_texts")).scalars()) & board
        async with transaction(Actor.system(), read_only=True) as tx:
            assert (await tx.execute("SELECT count(*) FROM drive_chunks")).scalar_one() == 0
        # The same holds for a file that somebody may see and not download.
        world.sql("UPDATE drive_sight SET can_download = false WHERE user_id = %s", ada.user_id)
        async with transaction(ada, read_only=True) as tx:
            assert (await tx.execute("SELECT count(*) FROM drive_chunks")).scalar_one() == 0


async def test_a_file_whose_worker_died_is_read_by_the_next_one(world: World) -> None:
    """Also where part of its passages was stored; none of them is stored twice."""
    async with connected(world) as (_, ada):
        await follow(world)
        (file, *_) = await file_texts.waiting(ada, 1)
        assert await file_texts.claim_file(ada, file) is not None
        assert await file_texts.claim_file(ada, file) is None, "it has a worker"
        await read_only(world, file.link.id)
        assert world.sql("SELECT state FROM drive_texts WHERE file_id = %s", file.link.id) == [("reading",)]
        world.sql("UPDATE drive_texts SET retry_at = now() WHERE state = 'reading'")
        await read_all()
        assert (await progress.of(ada)).complete
        assert world.sql("SELECT attempts FROM drive_texts WHERE file_id = %s", file.link.id) == [(2,)]


async def test_a_file_that_takes_long_stays_with_its_reader(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no longer than a lease without it: a worker that is gone, or lost its database, holds no file back."""
    monkeypatch.setattr(file_texts, "LEASE", timedelta(seconds=0.6))
    lease = "SELECT retry_at FROM drive_texts WHERE state = 'reading'"
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await follow(world)
        world.sql("DELETE FROM drive_sight WHERE file_id <> %s", file_id)
        world.fault(path=f"files/{file_id}", times=1, delay_seconds=5)
        reading = asyncio.create_task(reader.read_waiting())
        await until(lambda: world.sql(lease) != [])
        ((first,),) = world.sql(lease)
        await until(lambda: world.sql(lease)[0][0] > first + 2 * file_texts.LEASE)
        assert await file_texts.waiting(ada, 1) == [], "it has a reader"
        await reading
        assert world.sql("SELECT state, attempts FROM drive_texts") == [("read", 1)]


async def test_a_new_version_with_the_same_text_keeps_its_passages(world: World) -> None:
    """Google counts up the version of a Doc for other reasons than its text."""
    async with connected(world) as (_, ada):
        await read_only(world, HANDBOOK)
        query = "SELECT id FROM drive_texts WHERE file_id = %s AND state = 'read'"
        before = world.sql(query, HANDBOOK)
        change(world, HANDBOOK, name="Handbook")
        await follow(world)
        assert len(await file_texts.waiting(ada, 10)) == 1
        await read_all()
        await file_texts.forget()
        assert world.sql(query, HANDBOOK) == before
        assert (await progress.of(ada)).complete


async def test_the_old_text_goes_when_the_new_one_is_read(world: World) -> None:
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await read_only(world, file_id)
        change(world, file_id, content="The press was built in 1912.")
        await follow(world)
        await file_texts.forget()
        assert world.sql("SELECT count(*) FROM drive_texts WHERE file_id = %s", file_id) == [(1,)]
        assert await search.search(ada, ["press 1911"]) == [] or not _passages(
            await search.search(ada, ["press 1911"]), file_id
        )
        await read_all()
        await file_texts.forget()
        assert world.sql("SELECT body -> 'segments' -> 0 ->> 'text' FROM drive_texts WHERE file_id = %s", file_id) == [
            ("The press was built in 1912.",)
        ]


def _passages(found: list[search.Found], file_id: str) -> list[str]:
    return [passage.text for one in found if one.file_id == file_id for passage in one.passages]


async def test_a_document_that_the_index_has_read_is_not_downloaded_again(world: World) -> None:
    async with connected(world) as (_, ada):
        await read_only(world, HANDBOOK)
        (row,) = world.sql("SELECT file_id, revision FROM drive_texts WHERE state = 'read' LIMIT 1")
        found = await documents.UserDocuments(ada).get(*row)
    assert found is not None
    assert found.segments


# Search.


async def test_words_find_passages_in_the_languages_of_the_files(world: World) -> None:
    """Stems of German and English; names and numbers as they are."""
    async with connected(world) as (_, ada):
        german = add(
            world, "ada:/Mietvertrag.txt",
            "Die Kündigungsfristen für die Lagerhalle betragen sechs Monate, und der Vertrag ist mit der "
            "Genossenschaft geschlossen, die ihn verlängern kann. Die Nummer ist KX-4471.",
        )  # fmt: skip
        english = add(world, "ada:/Notes.txt", "The members of the cooperative decided to plant pears in the valley.")
        await follow(world)
        await read_all()
        for query, wanted in (
            ("Kündigungsfrist Lagerhallen", german),
            ("KX-4471", german),
            ("member planting pear", english),
        ):
            (best, *_) = await search.search(ada, [query])
            assert (query, best.file_id) == (query, wanted)
            assert best.passages
        found = await search.search(ada, ["Kündigungsfrist", "pears"])
        assert {german, english} <= {one.file_id for one in found[:3]}


async def test_a_long_question_is_searched_by_its_words_that_tell_something(world: World) -> None:
    """Its last word as well, and none of its language's small words; a few words are searched as they are."""
    question = "Wie lange vorher müssen wir Bescheid geben, wenn wir uns vom Lieferanten der Kartons in Grunau trennen?"
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Grunau.txt", "The supplier of boxes in Grunau has to be told ninety days ahead.")
        add(world, "ada:/Noise.txt", "Wie wir uns von dem Chef und der Firma in der Stadt verabschieden.")
        await follow(world)
        await read_all()
        assert (await search.search(ada, [question]))[0].file_id == file_id
        async with transaction(ada, read_only=True) as tx:
            first, second = await words.wordings_of(tx, [question, "war in Ukraine"])
    assert {"lieferanten", "kartons", "grunau", "trennen"} <= {*first}
    assert not {"wie", "wir", "uns", "vom", "der", "in"} & {*first}
    assert second == ["war", "in", "ukraine"]


async def test_words_that_stand_side_by_side_count_as_a_name(world: World) -> None:
    """Files about the company, not those that have both words of its name and more words of the question. # 000-63"""
    async with connected(world) as (_, ada):
        contract = add(world, "ada:/a.txt", "Supply contract with Fjord Associates. Notice: ninety days ahead.")
        for name, first, second in (("b", "Fjord Union", "Quartz Associates"), ("c", "Associates", "Fjord")):
            text = f"Contract of supply with {first}. The period of notice that {second} has is a month."
            add(world, f"ada:/{name}.txt", text)
        await follow(world)
        await read_all()
        question = "What notice period does the supply contract with Fjord Associates have?"
        assert (await search.search(ada, [question]))[0].file_id == contract
        asked = ["the supply contract with Fjord Associates", "What is the notice period?"]
        assert (await search.search(ada, asked))[0].file_id == contract


async def test_a_scope_limits_a_search(world: World) -> None:
    async with connected(world) as (_, ada):
        await follow(world)
        await read_all()
        contracts = sample_drive.id_of("ada:/Contracts")
        found = await search.search(ada, ["agreement"], Scope(folders=frozenset({contracts})))
        assert found
        assert all(one.path == "Contracts" or one.path.startswith("Contracts /") for one in found)
        sheets = await search.search(ada, [], Scope(kinds=frozenset({"spreadsheet"})))
        assert sheets
        assert {one.kind for one in sheets} == {"spreadsheet"}
        assert await search.search(ada, ["agreement"], Scope(name="no such name")) == []


async def test_at_most_three_passages_of_a_file_are_found(world: World) -> None:
    async with connected(world) as (_, ada):
        long = add(world, "ada:/Long.txt", "\n\n".join(f"The quince number {n} grows. " * 40 for n in range(20)))
        await read_only(world, long, HANDBOOK)
        (best, *_) = await search.search(ada, ["quince"])
    assert best.file_id == long
    assert len(best.passages) == 3


# Permission.


async def test_google_is_asked_again_before_a_text_is_used(world: World) -> None:
    """And once a minute for each file. # 000-61"""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await read_only(world, file_id, HANDBOOK)
        world.forget_requests()
        for _ in range(2):
            findings = await lookup.look_up(ada, UserDrive(ada), ["press 1911"])
            assert findings.files[0].file_id == file_id
            assert findings.files[0].passages
        assert len(world.asked(f"/drive/v3/files/{file_id}")) == 1


@pytest.mark.parametrize(
    "changes", [{"readers": ["ben"]}, {"trashed": True}, {"removed": True}, {"can_download": False}]
)
async def test_a_file_that_is_closed_is_not_used_although_the_index_still_has_it(
    world: World, changes: dict[str, Any]
) -> None:
    """The feed has not been read yet. # 000-61"""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await read_only(world, file_id, HANDBOOK)
        assert _passages(await search.search(ada, ["press 1911"]), file_id)
        change(world, file_id, **changes, silent=True)
        findings = await lookup.look_up(ada, UserDrive(ada), ["press 1911"])
        assert file_id not in {one.file_id for one in findings.files}
        assert findings.refused == 1
        assert not _passages(await search.search(ada, ["press 1911"]), file_id), "and it is forgotten"


async def test_a_file_that_has_changed_since_is_named_without_its_old_text(world: World) -> None:
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await read_only(world, file_id, HANDBOOK)
        change(world, file_id, content="The press was built in 1912.", silent=True)
        findings = await lookup.look_up(ada, UserDrive(ada), ["press 1911"])
    (found,) = [one for one in findings.files if one.file_id == file_id]
    assert not found.passages


@pytest.mark.parametrize("fault", [{"status": 500}, {"delay_seconds": 5}, {"status": 429}, {"body": "<html>"}])
async def test_without_an_answer_of_googles_a_text_is_not_used(world: World, fault: dict[str, Any]) -> None:
    """Slow, failing, refusing for its rate, or nonsense: within two seconds, and closed. # 000-61"""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await follow(world)
        world.fault(path=f"files/{file_id}$", times=50, **fault)
        confirmed = await sight.confirm(ada, sight.client(UserDrive(ada)), [file_id])
        assert confirmed.revisions == {}
        assert confirmed.refused == frozenset()
        assert confirmed.unanswered == {file_id}
        assert "Press.txt" in names(world, ada), "no answer is no refusal"


@pytest.mark.parametrize(
    ("cause", "reason"), [("api_off", "accessNotConfigured"), ("not_authorised", "appNotAuthorizedToFile")]
)
async def test_a_fault_of_the_connection_is_named_and_takes_no_file_away(world: World, cause: str, reason: str) -> None:
    """Once it is mended, the file is found as before."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", "The press was built in 1911.")
        await read_only(world, file_id, HANDBOOK)
        world.fault(path="/drive/v3/files/", status=403, times=50, reason=reason)
        confirmed = await sight.confirm(ada, sight.client(UserDrive(ada)), [file_id])
        assert confirmed.unanswered == {file_id}
        with pytest.raises(errors.DriveError) as raised:
            await lookup.look_up(ada, UserDrive(ada), ["press 1911"])
        assert isinstance(raised.value.cause, Diagnosis)
        assert raised.value.cause.cause == cause
        assert "Press.txt" in names(world, ada)
        world.forget_faults()
        findings = await lookup.look_up(ada, UserDrive(ada), ["press 1911"])
        assert findings.files[0].file_id == file_id


async def test_of_somebody_elses_file_nobody_learns_anything(world: World) -> None:
    """# 000-61"""
    async with connected(world, "ada"), connected(world, "ben") as (_, ben):
        await read_only(world, HANDBOOK, MEMO)
        assert world.sql("SELECT state FROM drive_texts WHERE file_id = %s", MEMO) == [("read",)]
        confirmed = await sight.confirm(ben, drive_of(ben), [MEMO, "1nosuchfile"])
        assert confirmed.refused == {MEMO, "1nosuchfile"}
        findings = await lookup.look_up(ben, UserDrive(ben), ["larkspur memo board"])
        assert MEMO not in {one.file_id for one in findings.files}


# Forgetting.


async def test_disconnect_forgets_the_drive_at_once(world: World) -> None:
    """In the transaction that deletes the grant; texts that others see stay."""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        await read_only(world, HANDBOOK, MEMO)
        kept = {file_id for (file_id,) in world.sql("SELECT file_id FROM drive_sight WHERE user_id = %s", ben.user_id)}
        world.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'")
        world.sql("CREATE TRIGGER refuse BEFORE DELETE ON drive_sight FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
        try:
            with pytest.raises(exc.DBAPIError):
                await integrations.disconnect(ada, "google_drive")
            assert world.integration(ada.user_id or uuid4())["status"] == "active", "all of it or nothing"
        finally:
            world.sql("DROP FUNCTION refuse() CASCADE")
        await integrations.disconnect(ada, "google_drive")
        assert names(world, ada) == set()
        assert not world.sql("SELECT 1 FROM drive_feeds WHERE user_id = %s", ada.user_id)
        left = {file_id for (file_id,) in world.sql("SELECT file_id FROM drive_texts")}
        assert left
        assert left <= kept
        await integrations.disconnect(ben, "google_drive")
        assert (world.count("drive_texts"), world.count("drive_chunks")) == (0, 0)


async def test_a_worker_stores_nothing_after_disconnect(world: World) -> None:
    async with connected(world) as (_, ada):
        (due,) = await feeds.due(5)
        feed = await feeds.claim(due)
        assert feed is not None
        page = await drive_of(ada).page()
        await feeds.store_page(feed, Page(page.files, "next"))
        (file, *_) = await file_texts.waiting(ada, 1)
        taken = await file_texts.claim_file(ada, file)
        assert taken is not None
        await integrations.disconnect(ada, "google_drive")
        with pytest.raises(Overtaken):
            await feeds.store_page(feed, page)
        await file_texts.skip(ada, taken, "no")
    assert (world.count("drive_sight"), world.count("drive_texts")) == (0, 0)


async def test_the_same_account_connects_again_without_being_read_anew(world: World) -> None:
    """Another one starts from nothing."""
    async with connected(world) as (browser, ada):
        await read_only(world, HANDBOOK, MEMO)
        count = world.count("drive_texts")
        await browser.connect("ada")
        await file_texts.forget()
        assert world.count("drive_texts") == count
        assert Due(ada, "") in await feeds.due(5)
        await browser.connect("ben")
        assert names(world, ada) == set()


async def test_the_texts_go_with_the_account(world: World) -> None:
    """# 000-44"""
    async with connected(world) as (_, ada):
        await read_only(world, HANDBOOK, MEMO)
        await account_deletion.delete(ada, "ada@sandbox.leaf.example")
    tables = ("drive_feeds", "drive_sight", "drive_texts", "drive_chunks")
    assert {table: world.count(table) for table in tables} == dict.fromkeys(tables, 0)
