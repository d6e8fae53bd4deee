"""Taking all of one's data away, and deleting the account: row by row, by the database's own catalogue."""

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import pytest

from leaf import errors, streams
from leaf import redis as leaf_redis
from leaf.api.account import EXPORTS
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, MessageStatus
from leaf.documents import Document
from leaf.services import account_deletion, conversations, documents, exports, files, runs, usage
from tests.integration.people import end
from tests.integration.rls_world import TABLES, Person, Rows, furnish, rows_of
from tests.integration.web_fixtures import Browser, World

REACHABLE = """
    WITH RECURSIVE reached AS (
        SELECT 'users'::regclass::oid AS relid
        UNION
        SELECT c.conrelid FROM pg_constraint c JOIN reached r ON c.confrelid = r.relid WHERE c.contype = 'f'
    )
    SELECT relid::regclass::text FROM reached
    UNION
    SELECT a.attrelid::regclass::text FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND a.attnum > 0
        AND (a.attname LIKE '%%user_id' OR a.attname = 'created_by')
"""
"""Every table that refers to a person, itself or by another one."""
OF_VIEWERS = {"drive_texts", "drive_chunks", "drive_vectors"}
"""Tables whose rows belong to every member who sees their file."""
CHANGED_BY_LEAVING = {"user_id", "status", "answers", "updated_at", "created_by", "workspace_id"}


@dataclass
class Two:
    """Ada in her browser, with a row in every table; `hers` is all that was stored before Ben came."""

    world: World
    browser: Browser
    ada: Person
    hers: Rows
    ben: Person

    def now(self) -> Rows:
        return rows_of(str(self.world.settings.database_url))

    async def keys(self) -> list[bytes]:
        return sorted([key async for key in leaf_redis.client().scan_iter("leaf:*")])


@pytest.fixture
async def two(world: World) -> Any:
    async with Browser() as ada, Browser() as ben:
        session = await ada.sign_in("ada")
        person = await furnish(session.actor)
        hers = rows_of(str(world.settings.database_url))
        other = await ben.sign_in("ben")
        yield Two(world, ada, person, hers, await furnish(other.actor))


def test_every_table_with_something_of_somebodys_is_exported(world: World) -> None:
    """A new table is named in `exporting.KINDS`, or in NOT_EXPORTED with a reason."""
    reached = {table for (table,) in world.sql(REACHABLE)} | OF_VIEWERS
    exported = {kind.table for kind in exports.KINDS}
    assert "chat_file_versions" in reached, "the catalogue was not read"
    assert reached - exported - exports.NOT_EXPORTED.keys() == set()
    assert (exported | exports.NOT_EXPORTED.keys()) - reached == set(), "no longer there"
    assert reached == set(TABLES), "a table that is nobody's is not looked for in an export: say so here"


async def test_the_archive_holds_every_row_of_ones_own_and_none_of_anybody_elses(two: Two) -> None:
    """All columns but those that are left out with a reason."""
    answer = await two.browser.get("/api/account/export")
    assert answer.status_code == 200
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    found: dict[str, list[Any]] = {kind.table: [] for kind in exports.KINDS}
    for kind in exports.KINDS:
        for name in archive.namelist():
            if name.rpartition("/")[2] == f"{kind.file}.json" and name.startswith("chats/") == kind.of_chat:
                found[kind.table] += json.loads(archive.read(name))
    # That it was taken is noted as well, and was not there before.
    (taken,) = [row for row in found["security_events"] if row["kind"] == "data_exported"]
    found["security_events"].remove(taken)
    for table, rows in two.hers.items():
        if table in exports.NOT_EXPORTED:
            continue
        left_out = exports.LEFT_OUT.get(table, {})
        assert rows, table
        wanted = [{name: value for name, value in row.items() if name not in left_out} for row in rows]
        if table == "messages":
            # Google confirms no file here, so the archive holds no quotes of it (decision 0077).
            for row in (*found[table], *wanted):
                row["parts"] = [part for part in row["parts"] if part["type"] != "data-citations"]
        key = json.dumps
        assert sorted(found[table], key=key) == sorted(wanted, key=key), table
        for row in rows:
            assert left_out.keys() <= row.keys(), f"{table} has no such column any more"
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert str(two.ben.user_id).encode() not in everything
    for secret in ("k:sealed", two.ada.token_hash):
        assert secret.encode() not in everything


async def test_a_chat_is_there_to_read_with_its_files_as_they_are_and_were(world: World) -> None:
    """# 000-44"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        sent = await conversations.ask(actor, (chat := await _chat(actor)), "What is due?")
        await end(sent.assistant.run_id, parts=[{"type": "text", "text": "The lease.", "state": "done"}])
        kept = files.ChatFiles(actor, chat)
        await kept.write("notes/plan.md", "first")
        await kept.write("notes/plan.md", "second")
        await kept.write("gone.md", "gone")
        await kept.delete("gone.md")
        await kept.upload("raw.bin.txt", b"\xff\xfeh\x00i\x00")
        archive = zipfile.ZipFile(io.BytesIO((await ada.get("/api/account/export")).content))
    (text,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("/chat.md")]
    assert text.index("What is due?") < text.index("The lease.")
    held = {name.split("/", 2)[2]: archive.read(name) for name in archive.namelist() if name.startswith("chats/")}
    assert held["files/notes/plan.md"] == b"second"
    assert held["earlier files/notes/plan.md/1"] == b"first"
    assert held["earlier files/gone.md/1"] == b"gone"
    assert held["files/raw.bin.txt"] == b"\xff\xfeh\x00i\x00"
    assert "files/gone.md" not in held


async def test_an_export_is_made_a_few_rows_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """More messages than are read at once come all, in their order, in many pieces."""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat = await _chat(actor)
        async with transaction(actor) as tx:
            for number in range(50):
                parts = [{"type": "text", "text": f"question {number} " + "x" * 50_000}]
                tx.session.add(
                    models.Message(chat_session_id=chat, role=MessageRole.USER, user_id=actor.user_id, parts=parts)
                )
                await tx.session.flush()
        largest, numbers = 0, []
        async for entry in exports.export(actor):
            async for piece in entry.pieces:
                largest = max(largest, len(piece))
                if entry.path.endswith("/messages.json"):
                    numbers += [word for word in piece.decode().split('"') if word.startswith("question ")]
    assert [text.split()[1] for text in numbers] == [str(number) for number in range(50)]
    assert largest < 60_000


async def test_data_is_taken_a_few_times_an_hour(world: World) -> None:
    async with world.browser("ada") as ada:
        statuses = [(await ada.get("/api/account/export")).status_code for _ in range(EXPORTS + 1)]
    assert statuses == [*[200] * EXPORTS, 429]


async def _chat(actor: Actor) -> Any:
    async with transaction(actor) as tx:
        chat = models.ChatSession(workspace_id=actor.workspace_id, created_by=actor.user_id, title="../ Due: now?")
        tx.session.add(chat)
        await tx.session.flush()
        tx.session.add(models.ChatParticipant(chat_session_id=chat.id, user_id=actor.user_id))
    return chat.id


async def test_nothing_names_somebody_who_has_left(two: Two) -> None:
    """Row by row in every table; not one of another person's has changed. # 000-44, 002-37"""
    bens = {table: [row for row in rows if row not in two.hers[table]] for table, rows in two.now().items()}
    assert all(bens.values())
    answer = await two.browser.post("/api/account/delete", data={"email": " ADA@sandbox.leaf.example "})
    assert answer.headers["location"].startswith("/goodbye"), answer.headers["location"]
    after = two.now()
    # That somebody has left stays, and does not say who.
    (left,) = [row for row in after["security_events"] if row["kind"] == "account_deleted"]
    after["security_events"].remove(left)
    assert {name for name, value in left.items() if value not in {None, ""}} == {"id", "kind", "created_at"}
    assert after == bens
    ids = {str(two.ada.user_id), str(two.ada.workspace_id), str(two.ada.chat_id)}
    assert not [row for rows in after.values() for row in rows if ids & {str(value) for value in row.values()}]
    assert [key for key in await two.keys() if str(two.ada.user_id).encode() in key] == []
    assert (await two.browser.get("/api/account/export")).status_code == 401


async def test_the_wrong_address_deletes_nothing(two: Two) -> None:
    before = two.now()
    for email in ("", "ben@sandbox.leaf.example", "a" * 5000):
        answer = await two.browser.post("/api/account/delete", data={"email": email})
        assert answer.headers["location"] == "/settings/data?problem=email"
    assert two.now() == before


async def test_a_page_of_another_site_deletes_nobody(two: Two) -> None:
    before = two.now()
    answer = await two.browser.post(
        "/api/account/delete",
        data={"email": "ada@sandbox.leaf.example"},
        headers={"origin": "https://elsewhere.example"},
    )
    assert answer.status_code == 403
    assert two.now() == before


async def test_a_chat_with_others_goes_on_without_the_one_who_left(two: Two) -> None:
    """Their chats pass to the first participant; messages stay without the name; running answers are stopped."""
    for chat, guest in ((two.ada.chat_id, two.ben.user_id), (two.ben.chat_id, two.ada.user_id)):
        two.world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat, guest)
    two.world.sql(
        "INSERT INTO messages (chat_session_id, role, user_id) VALUES (%s, 'user', %s)",
        two.ben.chat_id, two.ada.user_id,
    )  # fmt: skip
    before = two.now()
    await account_deletion.delete(two.ada.actor, "ada@sandbox.leaf.example")
    after = two.now()
    assert str(two.ada.user_id) not in json.dumps(after)
    chats = {row["id"]: row for row in after["chat_sessions"]}
    assert chats.keys() == {str(two.ada.chat_id), str(two.ben.chat_id)}
    for row in chats.values():
        assert (row["created_by"], row["workspace_id"]) == (str(two.ben.user_id), str(two.ben.workspace_id))
    assert len(after["messages"]) == len(before["messages"])
    for row, earlier in zip(_by_id(after["messages"]), _by_id(before["messages"]), strict=True):
        changed = {name for name in row if row[name] != earlier[name]}
        assert changed <= CHANGED_BY_LEAVING
        if earlier["user_id"] == str(two.ada.user_id):
            assert row["user_id"] is None
            assert row["status"] in {"completed", "stopped"}
        else:
            assert changed == set()
    marks = [row["words"] for row in after["search_words"] if row["chat_session_id"] == str(two.ada.chat_id)]
    assert marks
    assert all(f"@u{two.ben.user_id}" in words for words in marks), "they are found by who has the chat now"
    async with transaction(two.ben.actor) as tx:
        assert await tx.session.get(models.ChatSession, two.ada.chat_id) is not None


def _by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["id"])


async def test_a_run_that_goes_on_writes_nothing_afterwards(world: World) -> None:
    """Neither its answer, nor what it used, nor a file, nor a chunk."""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat = await _chat(actor)
        run_id = (await conversations.ask(actor, chat, "Hello?")).assistant.run_id
        assert run_id is not None
        task = await conversations.assignment(run_id)
        assert task is not None
        lease = await streams.acquire(run_id, "worker")
        assert lease is not None
        writer = streams.Writer(run_id, lease.token)
        await writer.append([{"type": "start"}])
        await ada.post("/api/account/delete", data={"email": "ada@sandbox.leaf.example"})
        after = rows_of(str(world.settings.database_url))
        assert {table for table, rows in after.items() if rows} == {"security_events"}, "that somebody has left"
        with pytest.raises(streams.Replaced):
            await writer.append([{"type": "text-start", "id": "1"}])
        assert not await conversations.finish(task, _outcome())
        assert await conversations.assignment(run_id) is None
        entry = usage.Entry(run_id, "title", "m", input_tokens=3)
        assert not await usage.record(task.actor, entry, chat_id=chat)
        with pytest.raises(errors.NotFound):
            await files.ChatFiles(task.actor, chat, run_id).write("plan.md", "later", call_id="c")
        document = Document(file_id="x", revision="1", name="x", mime_type="text/plain", kind="text", segments=())
        await documents.UserDocuments(task.actor).put(document)
        assert rows_of(str(world.settings.database_url)) == after
        assert [key async for key in leaf_redis.client().scan_iter(f"leaf:run:{run_id}:chunks")] == []


def _outcome() -> runs.Outcome:
    return runs.Outcome(
        status=MessageStatus.COMPLETED, parts=[], details={}, model_messages=[], used=usage.Usage(7, cost_usd=None)
    )


async def test_leaving_gives_the_access_back_at_google(world: World) -> None:
    """And goes on where Google does not answer, which is told."""
    async with world.browser("ada") as ada:
        await ada.connect("ada")
        answer = await ada.post("/api/account/delete", data={"email": "ada@sandbox.leaf.example"})
        assert answer.headers["location"] == "/goodbye"
    assert len(world.asked("/revoke")) == 1
    async with world.browser("ada") as ada:
        await ada.connect("ada")
        world.fault(path="^/revoke", status=500, times=5)
        answer = await ada.post("/api/account/delete", data={"email": "ada@sandbox.leaf.example"})
        assert answer.headers["location"] == "/goodbye?google=unreached"
    assert world.count("users") == 0


async def test_an_account_is_deleted_while_redis_is_away(world: World) -> None:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        await _chat(actor)
        world.change(redis_url="redis://127.0.0.1:1/0")
        await leaf_redis.close()
        await account_deletion.delete(actor, "ada@sandbox.leaf.example")
    assert world.count("users") == 0
