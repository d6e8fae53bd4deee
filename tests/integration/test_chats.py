"""Chats: one empty one at most, the last active first, each its participants' own, and gone without a trace."""

import asyncio
import base64
import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from jobs import retention
from leaf import errors, streams
from leaf import redis as leaf_redis
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.documents import Document
from leaf.redis import events
from leaf.services import chats, conversations, integrations, participants
from leaf.services.documents import UserDocuments
from leaf.services.files import ChatFiles
from tests.integration.people import end, person
from tests.integration.web_fixtures import TABLES, World


async def answered(actor: Actor, question: str) -> UUID:
    """A chat of one turn."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, question)
    await end(turn.assistant.run_id)
    return chat_id


async def titles(actor: Actor) -> list[str]:
    return [row.title for row in (await chats.page(actor)).rows]


async def test_new_reuses_the_one_empty_chat(world: World) -> None:
    """No litter of empty chats, and none of them is listed. # 000-46"""
    ada = await person("ada")
    first = await chats.new(ada)
    assert await chats.new(ada) == first
    assert (await chats.page(ada)).rows == []
    await conversations.ask(ada, first, "Hello?")
    second = await chats.new(ada)
    assert second != first
    assert world.count("chat_sessions") == 2


async def test_pressing_new_many_times_at_once_makes_one_chat(world: World) -> None:
    """# 000-46"""
    ada, ben = await person("ada"), await person("ben")
    made = await asyncio.gather(*(chats.new(actor) for actor in (ada, ben) * 5))
    assert len(set(made)) == 2
    assert world.count("chat_sessions") == world.count("chat_participants") == 2


async def test_the_creator_takes_part(world: World) -> None:
    """# 000-41"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    rows = world.sql("SELECT chat_session_id, user_id FROM chat_participants")
    assert rows == [(chat_id, ada.user_id)]


async def test_a_reply_moves_its_chat_to_the_top(world: World) -> None:
    """# 000-39, 000-49"""
    ada = await person("ada")
    first, _ = await answered(ada, "Apples?"), await answered(ada, "Pears?")
    assert await titles(ada) == ["Pears?", "Apples?"]
    turn = await conversations.ask(ada, first, "And which apples?")
    assert await titles(ada) == ["Apples?", "Pears?"]
    await answered(ada, "Quinces?")
    assert await titles(ada) == ["Quinces?", "Apples?", "Pears?"]
    await end(turn.assistant.run_id)
    assert await titles(ada) == ["Apples?", "Quinces?", "Pears?"]


async def test_a_chat_in_which_an_answer_is_written_is_marked(world: World) -> None:
    """# 000-39, 000-43"""
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "Apples?")
    assert [row.running for row in (await chats.page(ada)).rows] == [True]
    await end(turn.assistant.run_id)
    assert [row.running for row in (await chats.page(ada)).rows] == [False]


async def test_older_chats_are_on_the_next_page(world: World) -> None:
    """# 000-39"""
    ada = await person("ada")
    for number in range(5):
        await answered(ada, f"Question {number}")
    first = await chats.page(ada, limit=2)
    second = await chats.page(ada, after=first.cursor, limit=2)
    last = await chats.page(ada, after=second.cursor, limit=2)
    rows = [*first.rows, *second.rows, *last.rows]
    assert [row.title for row in rows] == [f"Question {number}" for number in (4, 3, 2, 1, 0)]
    assert not last.cursor
    assert len((await chats.page(ada, limit=0)).rows) == len((await chats.page(ada, limit=-5)).rows) == 1


async def test_places_that_no_list_has_are_refused(world: World) -> None:
    """Nor does a moment without a time zone, or at the ends of time, break the query. # 000-39"""
    ada = await person("ada")
    for nonsense in ("x", "W10=", "bnVsbA==", "é", _written("[" * 5000), _at("0001-01-01T00:00:00+14:00")):
        with pytest.raises(errors.Invalid):
            await chats.page(ada, after=nonsense)
    for moment in ("2026-01-01T00:00:00", "0001-01-01T23:59:59Z", "9999-12-31T00:00:00Z"):
        assert (await chats.page(ada, after=_at(moment))).rows == []


def _written(cursor: str) -> str:
    return base64.urlsafe_b64encode(cursor.encode()).decode()


def _at(moment: str) -> str:
    return _written(json.dumps([moment, str(UUID(int=0))]))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("  What did\n\n we\tdecide?  ", "What did we decide?"),
        ("a" * 200, "a" * 80),
        ("ä\u00a0ö\u3000ü", "ä ö ü"),
        ("\0Nul \ud800", "Nul \ufffd"),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
async def test_a_chat_is_called_after_its_first_question(world: World, question: str, title: str) -> None:
    """As the page shows it at once, so it is stored. # 000-39"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, question)
    assert turn.title == title
    assert (await chats.open(ada, chat_id)).title == title
    await end(turn.assistant.run_id)
    again = await conversations.ask(ada, chat_id, "Something else")
    assert again.title == title
    assert await titles(ada) == [title]


async def test_a_new_name_keeps_the_place(world: World) -> None:
    """# 000-39"""
    ada = await person("ada")
    first = await answered(ada, "Apples?")
    await answered(ada, "Pears?")
    assert await chats.rename(ada, first, "  All \n about  apples ") == "All about apples"
    assert await titles(ada) == ["Pears?", "All about apples"]


@pytest.mark.parametrize("title", ["", "   ", "\n\t", "x" * 121, "\u200b \u2060"])
async def test_a_name_has_a_length(world: World, title: str) -> None:
    ada = await person("ada")
    chat_id = await answered(ada, "Apples?")
    with pytest.raises(errors.Invalid) as refused:
        await chats.rename(ada, chat_id, title)
    assert refused.value.field == "title"
    assert await titles(ada) == ["Apples?"]


async def test_a_name_is_returned_as_it_is_stored(world: World) -> None:
    ada = await person("ada")
    chat_id = await answered(ada, "Apples?")
    for title in ("x" * 120, "a\0b", "half \ud83c", "🍎" * 120):
        assert await chats.rename(ada, chat_id, title) == (await chats.open(ada, chat_id)).title


async def test_somebody_elses_chat_looks_like_none(world: World) -> None:
    """Same error, same words. # 000-40, 000-41"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await answered(ada, "Salaries?")
    refusals: list[str] = []
    for tried in (chat_id, uuid4()):
        for attempt in (
            chats.open(ben, tried),
            chats.rename(ben, tried, "Mine"),
            chats.delete(ben, tried),
            conversations.ask(ben, tried, "Hello?"),
        ):
            with pytest.raises(errors.NotFound) as refused:
                await attempt
            refusals.append(refused.value.message)
    assert len(set(refusals)) == 1
    assert await titles(ben) == []
    assert await titles(ada) == ["Salaries?"]


async def test_opening_a_chat_gives_its_messages_in_order(world: World) -> None:
    """Also after a retry, which changes the answer and not its place. # 000-42"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    assert (await chats.open(ada, chat_id)).messages == []
    for number in range(3):
        turn = await conversations.ask(ada, chat_id, f"Question {number}")
        await end(turn.assistant.run_id, MessageStatus.ERROR, error_code="x", error_text="It failed.")
    again = await conversations.retry(ada, turn.assistant.id)
    await end(again.assistant.run_id)
    opened = await chats.open(ada, chat_id)
    assert [message.role for message in opened.messages] == ["user", "assistant"] * 3
    assert [message.status for message in opened.messages[1::2]] == ["error", "error", "completed"]
    assert opened.messages[1].error_text == "It failed."
    assert opened.messages[0].parts == [{"type": "text", "text": "Question 0"}]
    assert opened.messages[1].model_label == "Sandbox model"
    assert opened.messages[1].as_ui_message()["parts"] == [{"type": "text", "text": "An answer.", "state": "done"}]


async def test_a_chat_that_used_drive_tells_where_the_connection_stands(world: World) -> None:
    """# 000-16, 000-38"""
    ada = await person("ada")
    plain = await answered(ada, "Hello?")
    assert not (await chats.open(ada, plain)).used_drive, "a chat without Drive needs no banner"
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "What is in my Drive?")
    part = {"type": "tool-search_drive", "toolCallId": "1", "state": "output-available", "input": {}, "output": {}}
    await end(turn.assistant.run_id, parts=[part])
    opened = await chats.open(ada, chat_id)
    assert (opened.used_drive, integrations.state_of(await integrations.cards(ada))) == (True, "none")
    assert opened.messages[1].parts == [part]


async def test_deleting_a_chat_leaves_nothing_of_it(world: World) -> None:
    """No rows and no stream; documents are the person's, not the chat's. # 000-44"""
    ada = await person("ada")
    document = Document(file_id="f", revision="1", name="Plan", mime_type="text/plain", kind="text", segments=())
    await UserDocuments(ada).put(document)
    kept = await answered(ada, "Pears?")
    before = {table: world.count(table) for table in TABLES}
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    run_id = turn.assistant.run_id
    assert run_id is not None
    lease = await streams.acquire(run_id, "worker")
    assert lease is not None
    await streams.Writer(run_id, lease.token).append([{"type": "start"}])
    await chats.delete(ada, chat_id)
    assert await chats.purge(timedelta(0)) == 1
    assert {table: world.count(table) for table in TABLES} == before
    assert [key async for key in leaf_redis.client().scan_iter(f"leaf:run:{run_id}:*")] == []
    assert [row.id for row in (await chats.page(ada)).rows] == [kept]
    with pytest.raises(errors.NotFound):
        await chats.delete(ada, chat_id)
    with pytest.raises(errors.NotFound):
        await conversations.result(ada, run_id)
    assert await conversations.assignment(run_id) is None


async def test_a_chat_can_be_deleted_while_redis_is_away(world: World) -> None:
    """Its streams expire by themselves. # 000-44"""
    ada = await person("ada")
    chat_id = await answered(ada, "Apples?")
    world.change(redis_url="unix:///nonexistent/redis.sock")
    await chats.delete(ada, chat_id)
    assert (await chats.page(ada)).rows == []
    with pytest.raises(errors.NotFound):
        await chats.open(ada, chat_id)


async def test_open_pages_are_told_of_a_new_name_and_of_a_deletion(world: World) -> None:
    """# 000-39"""
    ada = await person("ada")
    chat_id = await answered(ada, "Apples?")
    assert ada.user_id is not None
    async with (
        events.subscribe([events.user(ada.user_id)]) as listed,
        events.subscribe([events.chat(chat_id)]) as opened,
    ):
        await chats.rename(ada, chat_id, "Apples")
        assert await listed.changed(within_seconds=10)
        assert await opened.changed(within_seconds=10)
        await chats.delete(ada, chat_id)
        assert await listed.changed(within_seconds=10)
        assert await opened.changed(within_seconds=10)


async def test_a_chat_with_files_is_not_an_empty_one(world: World) -> None:
    """A file that was uploaded before the first question is found again, and in no other chat. The chat is listed from
    its first question on. # 000-46, 001-02, 001-26
    """
    ada = await person("ada")
    first = await chats.new(ada)
    assert await chats.new(ada) == first
    await ChatFiles(ada, first).upload("a.md", b"x")
    second = await chats.new(ada)
    assert second != first
    assert (await chats.page(ada)).rows == []
    assert [file.path for file in await ChatFiles(ada, first).listed()] == ["a.md"]
    await conversations.ask(ada, first, "What is in it?")
    assert [row.id for row in (await chats.page(ada)).rows] == [first]


async def test_files_of_a_question_that_was_never_asked_are_deleted_after_a_week(world: World) -> None:
    """# 000-44, 000-46"""
    ada = await person("ada")
    old, asked, fresh, shared, empty = [(await chats.begin(ada))[0] for _ in range(5)]
    for chat_id in (old, asked, fresh, shared):
        await ChatFiles(ada, chat_id).upload("a.md", b"x")
    await conversations.ask(ada, asked, "What is in it?")
    await participants.invite(ada, shared, "ben@sandbox.leaf.example")
    world.sql("UPDATE chat_sessions SET updated_at = now() - interval '170 hours'")
    world.sql("UPDATE chat_files SET updated_at = now() - interval '170 hours' WHERE chat_session_id <> %s", fresh)
    await retention.delete_unasked_chats({})
    for chat_id in (asked, fresh, shared, empty):
        assert (await chats.open(ada, chat_id)).id == chat_id
    with pytest.raises(errors.NotFound):
        await chats.open(ada, old)
    assert await chats.delete_unasked() == 0
