"""Lists of chats: pinned, archived, read and unread; deleted and taken back."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import text

from jobs import retention
from leaf import errors, streams
from leaf.db import Actor, transaction
from leaf.db.models import MessageStatus
from leaf.redis import events
from leaf.services import chats, conversations
from leaf.services.chats import Shelf, lists
from leaf.services.files import ChatFiles
from tests.integration.people import end, person
from tests.integration.web_fixtures import World


async def answered(actor: Actor, question: str) -> UUID:
    """A chat of one turn, which its asker has seen."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, question)
    await end(turn.assistant.run_id)
    await chats.mark_read(actor, chat_id)
    return chat_id


async def on(actor: Actor, shelf: Shelf = Shelf.CHATS) -> list[str]:
    return [row.title for row in (await chats.page(actor, shelf, limit=200)).rows]


async def shelves(actor: Actor) -> tuple[list[str], list[str], list[str]]:
    return await on(actor), await on(actor, Shelf.PINNED), await on(actor, Shelf.ARCHIVED)


async def row_of(actor: Actor, chat_id: UUID) -> chats.ChatRow:
    rows = [row for shelf in Shelf for row in (await chats.page(actor, shelf)).rows]
    (found,) = [row for row in rows if row.id == chat_id]
    return found


def join(world: World, chat_id: UUID, actor: Actor) -> None:
    """Makes somebody a participant, as an invitation would."""
    with psycopg.connect(str(world.settings.database_url)) as connection:
        statement = "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)"
        connection.execute(statement, (chat_id, actor.user_id))


@pytest.mark.usefixtures("world")
async def test_a_chat_stands_on_one_shelf(world: World) -> None:
    """Pinned on top, archived out of sight, and back again. # 000-39 003-19"""
    ada = await person("ada")
    first, second, third = [await answered(ada, question) for question in ("One", "Two", "Three")]
    await chats.pin(ada, [first, third], True)
    assert await shelves(ada) == (
        ["Two"],
        ["Three", "One"],
        [],
    )
    await chats.archive(ada, [first, second], True)
    assert (await on(ada), await on(ada, Shelf.PINNED)) == ([], ["Three"])
    assert await on(ada, Shelf.ARCHIVED) == ["Two", "One"]
    opened = [await chats.open(ada, chat_id) for chat_id in (second, third)]
    assert [(chat.title, chat.archived) for chat in opened] == [("Two", True), ("Three", False)]
    await chats.archive(ada, [second], False)
    await chats.pin(ada, [third], False)
    assert await shelves(ada) == (
        ["Three", "Two"],
        [],
        ["One"],
    )
    await chats.pin(ada, [first], True)
    assert (await on(ada, Shelf.PINNED), await on(ada, Shelf.ARCHIVED)) == (["One"], [])


async def test_a_very_old_chat_still_opens(world: World) -> None:
    """Nothing of a chat is lost by its age."""
    ada = await person("ada")
    chat_id = await answered(ada, "Long ago")
    world.sql("UPDATE messages SET created_at = now() - interval '9 years', updated_at = now() - interval '9 years'")
    world.sql("UPDATE chat_sessions SET updated_at = now() - interval '9 years'")
    await answered(ada, "Today")
    assert await on(ada) == ["Today", "Long ago"]
    await chats.archive(ada, [chat_id], True)
    opened = await chats.open(ada, chat_id)
    assert [message.role for message in opened.messages] == ["user", "assistant"]


async def test_who_asks_in_an_archived_chat_goes_on_with_it(world: World) -> None:
    """# 003-19"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await answered(ada, "Apples?")
    join(world, chat_id, ben)
    for actor in (ada, ben):
        await chats.archive(actor, [chat_id], True)
    turn = await conversations.ask(ada, chat_id, "And pears?")
    await end(turn.assistant.run_id)
    assert (await on(ada), await on(ben, Shelf.ARCHIVED)) == (["Apples?"], ["Apples?"])


async def test_shelves_and_marks_are_each_participants_own(world: World) -> None:
    """# 000-39 000-67"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await answered(ada, "Apples?")
    join(world, chat_id, ben)
    await chats.pin(ben, [chat_id], True)
    assert (await on(ada), await on(ben, Shelf.PINNED)) == (["Apples?"], ["Apples?"])
    turn = await conversations.ask(ada, chat_id, "And pears?")
    await end(turn.assistant.run_id)
    assert [(await row_of(actor, chat_id)).unread for actor in (ada, ben)] == [True, True]
    await chats.mark_read(ben, chat_id)
    assert [(await row_of(actor, chat_id)).unread for actor in (ada, ben)] == [True, False]


@pytest.mark.parametrize("status", [MessageStatus.COMPLETED, MessageStatus.ERROR, MessageStatus.STOPPED])
async def test_a_row_says_what_is_written_and_what_is_new(world: World, status: MessageStatus) -> None:
    """# 000-39"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    row = await row_of(ada, chat_id)
    assert (row.running, row.waiting, row.unread) == (True, False, False)
    await end(turn.assistant.run_id, status)
    row = await row_of(ada, chat_id)
    assert (row.running, row.waiting, row.unread) == (False, False, True)
    await chats.mark_read(ada, chat_id)
    assert not (await row_of(ada, chat_id)).unread
    again = await conversations.retry(ada, turn.assistant.id) if status is not MessageStatus.COMPLETED else None
    if again is not None:
        assert (await row_of(ada, chat_id)).running
        await end(again.assistant.run_id)
        assert (await row_of(ada, chat_id)).unread, "an answer that was written anew is new"


async def test_changes_are_what_a_list_has_to_be_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows wherever they stand, and the ids of what was deleted. # 000-39"""
    monkeypatch.setattr(lists, "_OVERLAP", timedelta(0))
    ada, ben = await person("ada"), await person("ben")
    first, second, third = [await answered(ada, question) for question in ("One", "Two", "Three")]
    shown = await chats.news(ada, None)
    assert isinstance(shown, chats.Lists)
    assert [row.title for row in shown.chats.rows] == ["Three", "Two", "One"]
    nothing = await chats.news(ada, shown.until)
    assert isinstance(nothing, chats.Changes)
    assert (nothing.rows, nothing.gone) == ([], [])
    await chats.rename(ada, first, "Eins")
    await chats.archive(ada, [second], True)
    await chats.delete(ada, third)
    await answered(ben, "Somebody else's")
    changes = await chats.news(ada, nothing.until)
    assert isinstance(changes, chats.Changes)
    assert {(row.id, row.title, row.archived) for row in changes.rows} == {
        (first, "Eins", False),
        (second, "Two", True),
    }
    assert changes.gone == [third]
    await chats.restore(ada, [third])
    back = await chats.news(ada, changes.until)
    assert isinstance(back, chats.Changes)
    assert ([row.id for row in back.rows], back.gone) == ([third], [])
    await chats.delete(ada, third)
    assert isinstance(await chats.news(ben, changes.until), chats.Changes)
    theirs = await chats.news(ben, changes.until)
    assert isinstance(theirs, chats.Changes)
    assert theirs.gone == []


async def test_where_very_much_has_changed_the_list_is_read_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-39"""
    ada = await person("ada")
    shown = await chats.news(ada, None)
    for question in ("One", "Two", "Three"):
        await answered(ada, question)
    monkeypatch.setattr(lists, "MOST_CHANGES", 2)
    assert isinstance(await chats.news(ada, shown.until), chats.Lists)


async def test_a_deleted_chat_is_nobodys_at_once_and_can_be_taken_back(world: World) -> None:
    """For its participants, too: in the list, by its address, and by its files. # 000-44"""
    ada, ben = await person("ada"), await person("ben")
    chat_id, kept = await answered(ada, "Apples?"), await answered(ada, "Pears?")
    join(world, chat_id, ben)
    files = ChatFiles(ada, chat_id, uuid4())
    await files.write("a.md", "mine")
    assert ben.user_id is not None
    async with events.subscribe([events.user(ben.user_id)]) as told:
        await chats.delete(ada, chat_id)
        assert await told.changed(within_seconds=10)
    for actor in (ada, ben):
        assert chat_id not in {row.id for shelf in Shelf for row in (await chats.page(actor, shelf)).rows}
        async with transaction(actor, read_only=True) as tx:
            connection = await tx.session.connection()
            for table in ("messages", "chat_participants", "chat_files", "chat_file_versions"):
                query = text(f"SELECT count(*) FROM {table} WHERE chat_session_id = :chat")  # noqa: S608
                assert (await connection.execute(query, {"chat": chat_id})).scalar_one() == 0, table
    for refused in (
        chats.open(ada, chat_id), chats.rename(ada, chat_id, "x"), chats.pin(ada, [chat_id], True),
        chats.mark_read(ada, chat_id), chats.delete(ada, chat_id), conversations.ask(ada, chat_id, "Hello?"),
        files.read("a.md"), chats.restore(ben, [chat_id]),
    ):  # fmt: skip
        with pytest.raises(errors.NotFound):
            await refused
    assert await chats.restore(ada, [chat_id, kept]) == [chat_id]
    assert (await files.read("a.md")).content == "mine"
    assert await on(ben) == ["Apples?"]
    with pytest.raises(errors.NotFound):
        await chats.restore(ada, [chat_id])


async def test_a_deletion_becomes_final(world: World) -> None:
    """# 000-44"""
    ada = await person("ada")
    chat_id, kept = await answered(ada, "Apples?"), await answered(ada, "Pears?")
    await ChatFiles(ada, chat_id, uuid4()).write("a.md", "mine")
    await chats.delete(ada, chat_id)
    await retention.purge_chats({})
    assert world.count("chat_sessions") == 2, "it can be taken back yet"
    world.sql("UPDATE chat_sessions SET deleted_at = deleted_at - interval '6 minutes' WHERE deleted_at IS NOT NULL")
    await retention.purge_chats({})
    assert [str(id_) for (id_,) in world.sql("SELECT id FROM chat_sessions")] == [str(kept)]
    assert (world.count("messages"), world.count("chat_files"), world.count("chat_participants")) == (2, 0, 1)
    with pytest.raises(errors.NotFound):
        await chats.restore(ada, [chat_id])


async def test_a_deletion_stops_what_is_being_written_and_taking_it_back_writes_it_anew(world: World) -> None:
    """# 000-44"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    run_id = turn.assistant.run_id
    assert run_id is not None
    lease = await streams.acquire(run_id, "worker")
    assert lease is not None
    await streams.Writer(run_id, lease.token).append([{"type": "start"}])
    await chats.delete(ada, chat_id)
    with pytest.raises(streams.Replaced):
        await streams.Writer(run_id, lease.token, 1).append([{"type": "start-step"}])
    assert await conversations.assignment(run_id) is None
    assert await conversations.unfinished(timedelta(0)) == []
    await chats.restore(ada, [chat_id])
    assert await conversations.unfinished(timedelta(0)) == [run_id], "the reaper finds it"
    await end(run_id)
    assert (await chats.open(ada, chat_id)).messages[-1].status == "completed"


async def test_nobody_reaches_the_columns_that_triggers_keep(world: World) -> None:
    """# 000-40"""
    ada = await person("ada")
    chat_id = await answered(ada, "Apples?")
    for column, value in (("listed", "true"), ("active_at", "now()"), ("changed_at", "now()"), ("user_id", "NULL")):
        with pytest.raises(Exception, match="permission denied"):
            await _run(ada, f"UPDATE chat_participants SET {column} = {value}")  # noqa: S608
    for column in ("begun", "running", "waiting", "answered_at", "deleted_at", "deleted_by"):
        with pytest.raises(Exception, match="permission denied"):
            await _run(ada, f"UPDATE chat_sessions SET {column} = DEFAULT")  # noqa: S608
    assert (await row_of(ada, chat_id)).title == "Apples?"


async def _run(actor: Actor, statement: str) -> None:
    async with transaction(actor) as tx:
        await (await tx.session.connection()).execute(text(statement))
