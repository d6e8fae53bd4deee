"""Old conversations in cold storage: out of the messages, and found and opened as before."""

from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from jobs import retention
from leaf import config, errors
from leaf.db import Actor, transaction
from leaf.services import chats, conversations, exports, forks, shares, sites
from leaf.services.conversations import postgres
from tests.integration.people import end, person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site, answering, asked, begun

LONG = "The boiler was serviced in July. " * 100
CALL = {
    "type": "tool-search_drive", "toolCallId": "c1", "state": "output-available", "input": {"query": "boiler"},
    "output": {"files": []},
}  # fmt: skip
PARTS = [{"type": "step-start"}, CALL, {"type": "text", "text": LONG, "state": "done"}]
TURN = [{"kind": "response", "parts": [], "timestamp": "2026-01-01T00:00:00Z", "provider_response_id": "r1"}]


async def old_chat(world: World, actor: Actor, days: int = 200) -> UUID:
    """A chat of one turn whose last activity is so many days ago."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "When was the boiler serviced?")
    await end(turn.assistant.run_id, parts=PARTS, model_messages=TURN)
    age(world, chat_id, days)
    return chat_id


def age(world: World, chat_id: UUID, days: int) -> None:
    with psycopg.connect(world.settings.database_url or "") as connection:
        connection.execute(
            "UPDATE chat_sessions SET updated_at = now() - %s WHERE id = %s", (timedelta(days=days), chat_id)
        )


def rows(world: World, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(world.settings.database_url or "") as connection:
        return connection.execute(query.encode()).fetchall()


async def cool() -> None:
    await retention.cool_chats({})


async def test_old_contents_are_moved_into_compressed_rows_of_their_own(world: World) -> None:
    """Only those of conversations without activity; nothing about the chat looks changed. # 003-34"""
    ada = await person("ada")
    old, recent = await old_chat(world, ada), await old_chat(world, ada, days=10)
    before = await chats.open(ada, old), await chats.page(ada, chats.Shelf.CHATS)
    await cool()
    assert rows(world, "SELECT DISTINCT chat_session_id FROM cold_messages") == [(old,)]
    warm = rows(world, "SELECT chat_session_id, parts <> '[]' FROM messages WHERE NOT cold")
    assert {*warm} == {(recent, True)}
    assert rows(world, "SELECT DISTINCT parts::text, model_messages FROM messages WHERE cold") == [("[]", None)]
    sizes = "SELECT pg_column_size(parts), octet_length(parts::text) FROM cold_messages ORDER BY 2 DESC LIMIT 1"
    [(stored, written)] = rows(world, sizes)
    assert isinstance(stored, int)
    assert isinstance(written, int)
    assert stored < written / 4
    assert (await chats.open(ada, old), await chats.page(ada, chats.Shelf.CHATS)) == before
    await cool()
    assert world.count("cold_messages") == 2


async def test_an_old_chat_is_found_opened_exported_shared_and_forked(world: World) -> None:
    """# 003-34, 003-27"""
    ada = await person("ada")
    old = await old_chat(world, ada)
    await cool()
    [found] = await chats.search(ada, "serviced boiler")
    assert found.chat_id == old
    assert "boiler" in "".join(piece for piece, _ in found.hits[0].excerpt)
    opened = await chats.open(ada, old)
    assert [message.parts for message in opened.messages][1] == PARTS
    kind = next(one for one in exports.KINDS if one.table == "messages")
    exported = [row async for row in exports.rows(ada, kind, old)]
    assert exported[1]["parts"] == PARTS
    shared = await shares.share(ada, old)
    [(content,)] = rows(world, "SELECT content FROM chat_shares")
    assert LONG.strip() in str(content)
    assert shared is not None
    copied = await chats.open(ada, await forks.fork(ada, opened.messages[-1].id))
    assert [message.parts for message in copied.messages] == [message.parts for message in opened.messages]


async def test_an_old_chat_goes_on_and_its_answer_can_be_written_again(world: World) -> None:
    """The model is sent the earlier turn; a message that is written again becomes warm. # 003-34"""
    ada = await person("ada")
    old = await old_chat(world, ada)
    await cool()
    turn = await conversations.ask(ada, old, "And before that?")
    assert turn.assistant.run_id is not None
    task = await postgres.assignment(turn.assistant.run_id)
    assert task is not None
    assert task.history == [TURN]
    await end(turn.assistant.run_id, parts=[{"type": "text", "text": "In 2020.", "state": "done"}])
    other = await old_chat(world, ada)
    await cool()
    last = (await chats.open(ada, other)).messages[-1]
    again = await conversations.retry(ada, last.id)
    await end(again.assistant.run_id, parts=[{"type": "text", "text": "In June.", "state": "done"}])
    assert (await chats.open(ada, other)).messages[-1].parts[0]["text"] == "In June."
    assert [one.chat_id for one in await chats.search(ada, "June")] == [other]
    assert rows(world, f"SELECT cold FROM messages WHERE id = '{last.id}'") == [(False,)]  # noqa: S608


async def test_a_sites_old_conversation_is_read_by_its_team_and_its_visitor(world: World) -> None:
    """# 003-34"""
    site = await Site.make(await person("ada"))
    async with site.page() as page, answering("It left on Monday."):
        chat = await begun(page)
        await asked(page, chat)
        before = (await page.get(f"/api/chats/{chat}")).json(), await sites.transcript(site.member, UUID(chat))
        age(world, UUID(chat), 200)
        await cool()
        assert world.count("cold_messages") == 2
        after = (await page.get(f"/api/chats/{chat}")).json(), await sites.transcript(site.member, UUID(chat))
    assert [one["events"] for one in (before[0], after[0])] == [before[0]["events"]] * 2
    assert after[1].events == before[1].events
    filters = sites.Filters(phrase="left on Monday")
    assert [str(one.id) for one in (await sites.conversations(site.member, site.agent_id, filters)).rows] == [chat]


async def test_cold_storage_can_be_switched_off_and_emptied(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version before reads no cold storage. # 003-34"""
    ada = await person("ada")
    old = await old_chat(world, ada)
    before = await chats.open(ada, old)
    monkeypatch.setattr(config, "_current", config.current().model_copy(update={"cold_days": 0}))
    await cool()
    assert world.count("cold_messages") == 0
    async with transaction(Actor.system()) as tx:
        await tx.call("leaf_cool_chats", timedelta(days=100), 1000)
    with psycopg.connect(world.settings.database_url or "") as connection:
        assert connection.execute("SELECT leaf_warm_chats()").fetchone() == (2,)
    assert world.count("cold_messages") == 0
    assert await chats.open(ada, old) == before
    assert rows(world, "SELECT count(*) FROM messages WHERE cold OR parts = '[]'") == [(0,)]


async def test_a_chat_near_the_limit_of_its_size_is_noticed_before_it_is_full(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """From 80 percent on; a full chat takes no more questions. # 003-42"""
    ada = await person("ada")
    world.change(chat_mb=1)
    chat_id = await old_chat(world, ada, days=0)
    [(counted, stored)] = rows(
        world,
        "SELECT c.content_bytes, sum(pg_column_size(m.parts) + coalesce(pg_column_size(m.model_messages), 0)) "
        "FROM chat_sessions c JOIN messages m ON m.chat_session_id = c.id GROUP BY c.id",
    )
    assert counted == stored
    assert await chats.large() == []
    set_size(world, chat_id, 850)
    assert await chats.large() == [chats.LargeChat(chat_id, 83)]
    assert (await chats.open(ada, chat_id)).used_percent == 83
    await retention.watch_sizes({})
    assert str(chat_id) in caplog.text
    async with world.browser() as http:
        token = "t" * 16
        world.change(metrics_token=token)
        page = (await http.get("/metrics", headers={"authorization": f"Bearer {token}"})).text
    assert "leaf_large_chats 1.0" in page
    turn = await conversations.ask(ada, chat_id, "Still room?")
    await end(turn.assistant.run_id)
    set_size(world, chat_id, 1024)
    with pytest.raises(errors.Conflict) as refused:
        await conversations.ask(ada, chat_id, "And now?")
    assert refused.value.code == "chat_full"


def set_size(world: World, chat_id: UUID, kilobytes: int) -> None:
    with psycopg.connect(world.settings.database_url or "") as connection:
        connection.execute("UPDATE chat_sessions SET content_bytes = %s WHERE id = %s", (kilobytes * 1024, chat_id))
