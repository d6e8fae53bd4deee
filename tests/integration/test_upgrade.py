"""A database that was made before the baseline is opened by this version with everything in it. # 000-40"""

import json
import subprocess
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import tuple_row

from leaf import parts, texts
from leaf.db import migrate
from leaf.db.models import MessageStatus
from leaf.services import (
    chats,
    conversations,
    exports,
    feedback,
    imports,
    integrations,
    participants,
    preferences,
    security,
    shares,
    sites,
    usage,
)
from leaf.services.files import ChatFiles
from leaf.services.sites import visitors
from leaf.views import rows as message_rows
from tests import schema_doc
from tests.integration.people import person
from tests.integration.web_fixtures import World
from tests.postgres import BINARIES, PostgresServer

DUMP = Path(__file__).with_name("revision_0030.sql")
LOST = "Google no longer accepts Leaf's access to this Drive: it was removed in the Google account, or it has expired."
NOT_FOUND = (
    "Google cannot find “Plan: A”: it does not exist (any more), or it is not shared with the connected account. "
    "Google does not say which of the two."
)
FORBIDDEN = "Google does not let Leaf read “a: b”: an administrator does not allow it."


@pytest.fixture(scope="module")
def restored_database(postgres: PostgresServer, template_database: str) -> Iterator[str]:
    """The address of a database at revision 0030, as the migrations before the baseline made it.

    The role `leaf_app` is not part of a dump; the migrations of `template_database` have created it.
    """
    assert template_database
    name = postgres.create_database()
    restore = [BINARIES / "psql", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", f"--file={DUMP}"]
    subprocess.run([*restore, postgres.url(name)], check=True)
    yield name
    postgres.drop_database(name)


@pytest.fixture
def old_database(postgres: PostgresServer, restored_database: str) -> Iterator[str]:
    name = postgres.create_database(restored_database)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def leaf(world: World, old_database: str) -> World:
    """A Leaf of this version, started with the old database."""
    migrate.upgrade(old_database)
    world.change(database_url=old_database)
    return world


def _rows(database_url: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    tables = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    with psycopg.connect(database_url, row_factory=tuple_row) as connection:
        return {
            table: [row for (row,) in connection.execute(sql.SQL("SELECT to_jsonb(t) FROM {} t").format(name))]
            for (table,) in connection.execute(tables).fetchall()
            for name in [sql.Identifier(table)]
        }


def _texts(chat: chats.Chat) -> list[str]:
    return ["".join(str(part.get("text", "")) for part in message.parts) for message in chat.messages]


def test_the_old_database_has_something_of_everything(old_database: str) -> None:
    assert [table for table, rows in _rows(old_database).items() if not rows] == ["sessions"]


def test_it_is_at_head_and_its_rows_stay_as_they_are(old_database: str) -> None:
    before = _rows(old_database)
    migrate.upgrade(old_database)
    after = _rows(old_database)
    del before["alembic_version"]
    for table, rows in before.items():
        assert len(after[table]) == len(rows)
        assert all(any(row.items() <= now.items() for now in after[table]) for row in rows), table


def test_its_schema_is_that_of_a_new_database(old_database: str) -> None:
    """Tables, functions, policies, triggers and rights; comments inside functions are not compared."""
    migrate.upgrade(old_database)
    assert schema_doc.text(old_database) == schema_doc.DOCUMENT.read_text(encoding="utf-8")


async def test_chats_are_read_with_branches_states_citations_and_queue(leaf: World) -> None:
    ada = await person("ada")
    rows = {row.title: row.id for shelf in chats.Shelf for row in (await chats.page(ada, shelf)).rows}
    assert set(rows) == {
        "What <b>is</b> the rent? ``` open", "Apples for the fair?", "Write the plan down.", "Apples?",
        "Stop this one.", "Fail at this.", "Still writing?", "Archive this chat.",
    }  # fmt: skip
    rent = await chats.open(ada, rows["What <b>is</b> the rent? ``` open"])
    question, answer = rent.messages
    ((_, versions),) = rent.versions.items()
    assert len(versions) == 2
    assert [part["data"][0]["quote"] for part in answer.parts if part["type"] == "data-citations"] == [
        "The rent is due"
    ]
    await chats.choose_branch(ada, next(version for version in versions if version != question.id))
    assert _texts(await chats.open(ada, rent.id)) == ["What is the deposit?", "Three months."]
    ends = {
        title: (await chats.open(ada, rows[title])).messages[-1].status
        for title in ("Apples?", "Stop this one.", "Fail at this.", "Still writing?")
    }
    assert list(ends.values()) == [
        MessageStatus.WAITING, MessageStatus.STOPPED, MessageStatus.ERROR, MessageStatus.PENDING,
    ]  # fmt: skip
    assert [chat.title for chat in (await chats.page(ada, chats.Shelf.ARCHIVED)).rows] == ["Archive this chat."]
    assert await chats.search(ada, "crates")
    assert [row.text for row in await conversations.queued(ada, rows["Still writing?"])] == ["And then?"]


@pytest.fixture
def english_rows(old_database: str) -> None:
    """Sentences that version 0.1.0 has stored in English only."""
    call = {"type": "tool-read_drive_file", "toolCallId": "a", "input": {"file_id": "x"}}
    old_parts = [
        {**call, "state": "output-error", "errorText": NOT_FOUND, "resultProviderMetadata": {"leaf": {"beganMs": 1}}},
        {**call, "toolCallId": "b", "state": "output-error", "errorText": "“x” is no sentence of Leaf."},
        {**call, "toolCallId": "c", "state": "output-available", "output": {"skipped": {"reason": FORBIDDEN}}},
        {
            "type": "data-coverage",
            "id": "coverage",
            "data": {"skipped": [{"reason": FORBIDDEN}], "failed": [{"reason": NOT_FOUND}, {"reason": "Another one."}]},
        },
    ]
    timeout = "The model did not answer in time. Try again."
    with psycopg.connect(old_database) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        update = "UPDATE messages SET parts = %s, error_text = %s WHERE status = 'error'"
        assert connection.execute(update, [json.dumps(old_parts), timeout]).rowcount == 1
        connection.execute("UPDATE integrations SET status = 'error', status_reason = %s", [LOST])


@pytest.mark.usefixtures("english_rows")
async def test_what_was_stored_in_english_is_read_in_german(leaf: World) -> None:
    """The English sentences stay for programs, and nothing looks as if it had just been written."""
    ada = await person("ada")
    (failed,) = [row for row in (await chats.page(ada)).rows if row.title == "Fail at this."]
    message = (await chats.open(ada, failed.id)).messages[-1]
    (card,) = [card for card in await integrations.cards(ada) if card.reason]
    first, second, third, receipt = message.parts

    def in_german() -> list[str]:
        texts.use("de")
        coverage = [*receipt["data"]["skipped"], *receipt["data"]["failed"]]
        return [
            message_rows.reason_of(message),
            *(texts.stored(parts.message_of(part), part["errorText"]) for part in (first, second)),
            texts.stored(parts.message_of(third), third["output"]["skipped"]["reason"]),
            *(texts.stored(one.get("message"), one["reason"]) for one in coverage),
            texts.translated(card.reason or ""),
        ]

    begins = [
        "Das Modell hat nicht", "Google findet „Plan: A“ nicht", "“x” is no sentence of Leaf.",
        "Google lässt Leaf „a: b“ nicht lesen", "Google lässt Leaf „a: b“ nicht lesen",
        "Google findet „Plan: A“ nicht", "Another one.", "Google nimmt den Zugriff",
    ]  # fmt: skip
    shown = copy_context().run(in_german)
    assert [text[: len(begin)] for text, begin in zip(shown, begins, strict=True)] == begins
    assert (first["errorText"], first["resultProviderMetadata"]["leaf"]["beganMs"]) == (NOT_FOUND, 1)
    assert leaf.sql("SELECT DISTINCT status_reason FROM integrations") == [(LOST,)]
    assert leaf.sql("SELECT count(*) FROM chat_sessions WHERE updated_at > '2026-11-23 22:30+00'") == [(0,)]


async def test_an_old_answer_that_waits_goes_on(leaf: World) -> None:
    ada = await person("ada")
    (waiting,) = [row for row in (await chats.page(ada)).rows if row.waiting]
    before = (await chats.open(ada, waiting.id)).messages[-1]
    assert (await conversations.answer(ada, before.id, "call_0", {"selectedOptions": ["a"]})).assistant.unfinished
    after = (await chats.open(ada, waiting.id)).messages[-1]
    assert (after.id, after.unfinished) == (before.id, True)
    assert after.run_id != before.run_id


async def test_what_is_shared_is_read(leaf: World) -> None:
    ada, ben = await person("ada"), await person("ben")
    ((token,),) = leaf.sql("SELECT token FROM chat_shares")
    shared = await shares.read(token)
    assert [message["role"] for message in shared.content] == ["user", "assistant"]
    assert [citation["quote"] for citation in shared.content[1]["citations"]] == ["The rent is due"]
    (together,) = [row for row in (await chats.page(ben)).rows if row.title == "Apples for the fair?"]
    people, pending = await participants.listed(ada, together.id)
    assert [one.name for one in people] == ["Ada Example", "Ben Example"]
    assert [one.email for one in pending] == ["carol@example.org"]
    assert _texts(await chats.open(ben, together.id))[-2:] == ["And pears?", "Ten crates."]


async def test_files_are_read_in_every_version(leaf: World) -> None:
    ada = await person("ada")
    (filed,) = [row for row in (await chats.page(ada)).rows if row.title == "Write the plan down."]
    files = ChatFiles(ada, filed.id)
    assert [row.path for row in await files.listed("**")] == ["plan.md", "report.pdf"]
    assert (await files.read("plan.md")).content == "one\n2\n"
    assert (await files.read("plan.md", 1)).content == "one\ntwo\n"
    assert (await files.original("report.pdf")).data.startswith(b"%PDF")
    assert "[page 2]\nSecond" in (await files.read("report.pdf")).content
    assert (await files.restore("old.md", 1)).version == 3


async def test_a_site_and_its_conversations_are_read(leaf: World) -> None:
    ben = await person("ben")
    (site,) = await sites.listed(ben)
    assert len(await sites.members(ben, site.id)) == 2
    (agent,) = await sites.list_agents(ben, site.id)
    assert (agent.settings["welcome"], len(await sites.list_keys(ben, agent.id))) == ("Hello", 1)
    assert len(await sites.list_secrets(ben, site.id)) == 1
    listed = (await sites.conversations(ben, agent.id)).rows
    assert len(listed) == 2
    (rated,) = [row for row in listed if row.thumbs_down]
    transcript = await sites.transcript(ben, rated.id)
    assert (transcript.head.title, len(transcript.usage)) == ("Where is my parcel?", 1)
    assert "On its way." in json.dumps(transcript.events)
    (other,) = [row for row in listed if not row.thumbs_down]
    (log,) = await sites.list_logs(ben, other.id)
    assert "apples" in (await sites.read_log(ben, log.id)).request
    ((key,),) = leaf.sql("SELECT key FROM agent_keys")
    assert (await visitors.agent_of(key)).agent.id == agent.id


async def test_what_guests_kept_imports_usage_and_settings_are_read(leaf: World) -> None:
    ada, ben = await person("ada"), await person("ben")
    (kept,) = [row for row in (await chats.page(ben)).rows if row.title == "Why is the sky blue?"]
    assert len((await chats.open(ben, kept.id)).messages) == 4
    (done,) = await imports.listed(ben)
    assert (done.status, done.imported) == ("done", 1)
    assert (await preferences.read(ada)).instructions == "Answer briefly."
    assert leaf.count("usage_entries") == 12
    report = await usage.report(ada, days=36_500)
    assert {purpose for purpose, totals in report.purposes if totals.requests} == {"answer", "title"}
    assert await security.mine(ada)
    assert [card.email for card in await integrations.cards(ada) if card.email] == ["ada@example.org"]
    (pinned,) = (await chats.page(ada, chats.Shelf.PINNED)).rows
    assert list((await feedback.of_chat(ada, pinned.id)).values()) == ["up"]


async def test_everything_of_an_account_is_exported(leaf: World) -> None:
    found = {
        entry.path: b"".join([piece async for piece in entry.pieces])
        async for entry in exports.export(await person("ada"))
    }
    assert b"one\n2\n" in found.values()
    assert sum(b"The rent is due" in content for content in found.values()) >= 2
