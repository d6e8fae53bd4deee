"""Branches of chats: what is edited and written again stays, everybody sees their own, and forks are new chats."""

import asyncio
import logging
import time
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import exc, text

from leaf import errors
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, MessageStatus
from leaf.services import chat_reads, chats, conversations, files, forks, usage
from tests.integration.people import end, person
from tests.integration.web_fixtures import World

log = logging.getLogger(__name__)


def texts(chat: chats.Chat) -> list[str]:
    return ["".join(str(part.get("text", "")) for part in message.parts) for message in chat.messages]


async def said(actor: Actor, turn: conversations.Turn, answer: str, **outcome: Any) -> conversations.Turn:
    """Ends the answer of a turn with a text."""
    part = {"type": "text", "text": answer, "state": "done"}
    told = [{"kind": answer}]
    await end(turn.assistant.run_id, **{"parts": [part], "model_messages": told, **outcome})
    return turn


async def shown(actor: Actor, chat_id: UUID) -> list[str]:
    """The chat as a member sees it; the same through both ways to open a chat."""
    found = texts(await chats.open(actor, chat_id))
    assert texts(await chat_reads.open(actor, chat_id)) == found
    return found


def invite(world: World, actor: Actor, chat_id: UUID) -> None:
    """Makes somebody a participant of a chat, and a member of its workspace."""
    membership = "SELECT workspace_id, %s FROM chat_sessions WHERE id = %s"
    world.sql(f"INSERT INTO workspace_members (workspace_id, user_id) {membership}", actor.user_id, chat_id)
    world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, actor.user_id)


async def two_turns(actor: Actor) -> tuple[UUID, conversations.Turn, conversations.Turn]:
    chat_id = await chats.new(actor)
    first = await said(actor, await conversations.ask(actor, chat_id, "Apples?"), "Red.")
    second = await said(actor, await conversations.ask(actor, chat_id, "Pears?"), "Green.")
    return chat_id, first, second


async def test_an_edited_question_leaves_the_old_branch_as_it_was(world: World) -> None:
    """# 002-44, 003-36"""
    ada = await person("ada")
    chat_id, first, second = await two_turns(ada)
    edited = await conversations.edit(ada, first.user.id, "  Plums? ")
    assert edited.assistant.unfinished
    task = await conversations.assignment(edited.assistant.run_id or uuid4())
    assert task is not None
    assert (task.question, task.history) == ("Plums?", []), "a branch knows nothing of another one"
    await said(ada, edited, "Blue.")
    assert await shown(ada, chat_id) == ["Plums?", "Blue."]
    opened = await chats.open(ada, chat_id)
    assert opened.versions == {edited.user.id: (first.user.id, edited.user.id)}
    await chats.choose_branch(ada, first.user.id)
    assert await shown(ada, chat_id) == ["Apples?", "Red.", "Pears?", "Green."]
    third = await conversations.ask(ada, chat_id, "And cherries?")
    task = await conversations.assignment(third.assistant.run_id or uuid4())
    assert task is not None
    assert task.history == [[{"kind": "Red."}], [{"kind": "Green."}]]
    await said(ada, third, "Dark.")
    assert len(await shown(ada, chat_id)) == 6
    await chats.choose_branch(ada, edited.assistant.id)
    assert await shown(ada, chat_id) == ["Plums?", "Blue."]
    again = await conversations.edit(ada, second.user.id, "Grapes?")
    await said(ada, again, "Both.")
    assert await shown(ada, chat_id) == ["Apples?", "Red.", "Grapes?", "Both."]


async def test_an_answer_is_written_again_beside_the_old_one(world: World) -> None:
    """# 002-11"""
    ada = await person("ada")
    chat_id, first, _ = await two_turns(ada)
    again = await conversations.regenerate(ada, first.assistant.id)
    assert again.user == first.user
    assert again.assistant.id != first.assistant.id
    await said(ada, again, "Yellow.")
    assert await shown(ada, chat_id) == ["Apples?", "Yellow."]
    versions = (await chats.open(ada, chat_id)).versions
    assert versions == {again.assistant.id: (first.assistant.id, again.assistant.id)}
    await chats.choose_branch(ada, first.assistant.id)
    assert await shown(ada, chat_id) == ["Apples?", "Red.", "Pears?", "Green."]
    with pytest.raises(errors.NotFound):
        await conversations.regenerate(ada, first.assistant.id, model="openai:gpt-4")
    for wrong in (first.user.id, uuid4()):
        with pytest.raises(errors.NotFound):
            await conversations.regenerate(ada, wrong)
    with pytest.raises(errors.NotFound):
        await conversations.edit(ada, first.assistant.id, "Not a question")


async def test_of_two_tabs_that_edit_at_once_one_is_taken(world: World) -> None:
    """# 002-44"""
    ada = await person("ada")
    _, first, second = await two_turns(ada)
    tried = await asyncio.gather(
        conversations.edit(ada, first.user.id, "One?"),
        conversations.edit(ada, first.user.id, "Two?"),
        conversations.regenerate(ada, second.assistant.id),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in tried) == ["Conflict", "Conflict", "Turn"]
    assert world.count("messages") == 4 + (1 if not isinstance(tried[2], BaseException) else 2)


async def test_nobody_is_taken_along_by_what_somebody_else_chooses(world: World) -> None:
    """Participants only; who follows the newest sees what is new. # 000-67, 000-40"""
    ada, ben, eve = await person("ada"), await person("ben"), await person("eve")
    chat_id, first, second = await two_turns(ada)
    invite(world, ben, chat_id)
    edited = await said(ben, await conversations.edit(ben, first.user.id, "Plums?"), "Blue.")
    assert await shown(ada, chat_id) == ["Plums?", "Blue."], "she follows the newest"
    await chats.choose_branch(ada, second.user.id)
    assert await shown(ada, chat_id) == ["Apples?", "Red.", "Pears?", "Green."]
    await said(ben, await conversations.edit(ben, edited.user.id, "Nuts?"), "Brown.")
    assert await shown(ben, chat_id) == ["Nuts?", "Brown."]
    assert await shown(ada, chat_id) == ["Apples?", "Red.", "Pears?", "Green."]
    both = await asyncio.gather(*(chat_reads.open(one, chat_id) for one in (ada, ben, ada)))
    assert [texts(one)[0] for one in both] == ["Apples?", "Nuts?", "Apples?"]
    for attempt in (
        chats.choose_branch(eve, first.user.id),
        conversations.edit(eve, first.user.id, "Mine?"),
        conversations.regenerate(eve, first.assistant.id),
        conversations.proceed(eve, first.assistant.id),
        forks.fork(eve, first.assistant.id),
    ):
        with pytest.raises(errors.NotFound):
            await attempt
    for attempt in (conversations.retry(ben, second.assistant.id), conversations.proceed(ben, second.assistant.id)):
        with pytest.raises(errors.Forbidden):
            await attempt


async def test_the_choice_is_each_participants_own_row(world: World) -> None:
    """# 000-40"""
    ada, ben = await person("ada"), await person("ben")
    chat_id, first, _ = await two_turns(ada)
    invite(world, ben, chat_id)
    async with transaction(ben) as tx:
        changed = await (await tx.session.connection()).execute(
            text("UPDATE chat_participants SET branch_id = :message"), {"message": first.user.id}
        )
        assert changed.rowcount == 1
    assert world.sql("SELECT user_id FROM chat_participants WHERE branch_id IS NOT NULL") == [(ben.user_id,)]


async def test_an_answer_that_was_stopped_goes_on_as_the_same_message(world: World) -> None:
    """The earlier usage is not entered again. # 000-48, 001-22"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    used = {"input_tokens": 100, "output_tokens": 10, "requests": 1}
    await said(ada, turn, "Red and", status=MessageStatus.STOPPED, **used)
    on = await conversations.proceed(ada, turn.assistant.id)
    assert (on.assistant.id, on.assistant.status) == (turn.assistant.id, "pending")
    assert on.assistant.run_id != turn.assistant.run_id
    assert texts(await chats.open(ada, chat_id)) == ["Apples?", "Red and"], "what it had is shown meanwhile"
    task = await conversations.assignment(on.assistant.run_id or uuid4())
    assert task is not None
    assert task.waited is not None
    assert (task.waited.answers, task.waited.model_messages) == ({}, [{"kind": "Red and"}])
    await said(ada, on, "Red and green.", input_tokens=250, output_tokens=30, requests=2)
    totals = await usage.of_message(ada, turn.assistant.id)
    assert (totals.input_tokens, totals.output_tokens) == (250, 30)
    assert world.count("messages") == 2
    with pytest.raises(errors.Conflict):
        await conversations.proceed(ada, turn.assistant.id)


async def test_only_a_last_answer_can_go_on(world: World) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    first = await said(ada, await conversations.ask(ada, chat_id, "A?"), "A", status=MessageStatus.STOPPED)
    second = await conversations.ask(ada, chat_id, "B?")
    for message_id in (first.assistant.id, second.assistant.id):
        with pytest.raises(errors.Conflict):
            await conversations.proceed(ada, message_id)


async def test_a_fork_is_a_chat_of_its_own_and_the_original_stays(world: World) -> None:
    """With the files as they are now, and without a cost. # 001-17"""
    ada, ben = await person("ada"), await person("ben")
    chat_id, _, second = await two_turns(ada)
    invite(world, ben, chat_id)
    own = files.ChatFiles(ada, chat_id)
    await own.write("plan.md", "one")
    await own.write("plan.md", "two")
    await own.write("old.md", "x")
    await own.delete("old.md")
    await own.upload("table.csv", b"a,b\n1,2\n")
    edited = await said(ada, await conversations.edit(ada, second.user.id, "Plums?"), "Blue.")
    ledger = world.count("usage_entries")
    before = world.sql("SELECT id, parent_id, parts FROM messages ORDER BY position")
    fork_id = await forks.fork(ben, second.assistant.id)
    assert await shown(ben, fork_id) == ["Apples?", "Red.", "Pears?", "Green."]
    assert (await chats.open(ben, fork_id)).title == "Apples? (fork)"
    with pytest.raises(errors.NotFound):
        await chats.open(ada, fork_id)
    copied = files.ChatFiles(ben, fork_id)
    assert sorted(row.path for row in await copied.listed()) == ["plan.md", "table.csv"]
    assert [(await copied.read("plan.md")).content, len(await copied.history("plan.md"))] == ["two", 1]
    assert "1,2" in (await copied.read("table.csv")).content
    await copied.write("plan.md", "three")
    assert (await own.read("plan.md")).content == "two"
    assert world.count("usage_entries") == ledger
    await said(ben, await conversations.ask(ben, fork_id, "More?"), "No.")
    assert world.sql("SELECT id, parent_id, parts FROM messages ORDER BY position")[: len(before)] == before
    await chats.delete(ada, chat_id)
    assert len(await shown(ben, fork_id)) == 6
    assert edited.user.id


async def test_a_fork_knows_what_people_have_uploaded_and_what_an_agent_has_written_since(world: World) -> None:
    """Else no quote from an upload that was edited would be verified there. # 001-17"""
    ada = await person("ada")
    chat_id, _, second = await two_turns(ada)
    own = files.ChatFiles(ada, chat_id, uuid4())
    await own.upload("notes.txt", "Größe: klein\nFarbe: rot\n".encode("latin-1"))
    await own.write("plan.md", "one", call_id="a")
    await own.edit("notes.txt", "rot", "blau", call_id="b")
    copied = files.ChatFiles(ada, await forks.fork(ada, second.assistant.id))
    for chat in (own, copied):
        assert [(one.version, one.content) for one in await chat.uploaded("notes.txt", 2)] == [
            (1, "Größe: klein\nFarbe: rot\n")
        ]
        assert await chat.uploaded("plan.md", 1) == []
        assert (await chat.read("notes.txt")).content == "Größe: klein\nFarbe: blau\n"
    assert (await copied.original("notes.txt", 1)).data == "Größe: klein\nFarbe: rot\n".encode("latin-1")


async def test_what_is_being_written_is_not_forked(world: World) -> None:
    """# 001-17"""
    ada = await person("ada")
    chat_id, first, _ = await two_turns(ada)
    going = await conversations.ask(ada, chat_id, "Plums?")
    with pytest.raises(errors.Conflict):
        await forks.fork(ada, going.assistant.id)
    assert await shown(ada, await forks.fork(ada, first.assistant.id)) == ["Apples?", "Red."]


@pytest.mark.parametrize("wrong", ["other chat", "same role", "nowhere", "itself"])
async def test_the_database_refuses_a_parent_that_is_none(world: World, wrong: str) -> None:
    """A message of another chat, of the same side, of none, or the message itself. # 000-40"""
    ada = await person("ada")
    chat_id, first, _ = await two_turns(ada)
    other = await said(ada, await conversations.ask(ada, await chats.new(ada), "Elsewhere?"), "Here.")
    own = uuid4()
    parents = {"other chat": other.assistant.id, "same role": first.user.id, "nowhere": uuid4(), "itself": own}
    row = models.Message(id=own, chat_session_id=chat_id, parent_id=parents[wrong], role=MessageRole.USER)
    row.user_id = ada.user_id
    with pytest.raises(exc.IntegrityError, match="hangs on an earlier one"):
        await _store(ada, row)


async def test_the_database_refuses_to_move_a_message_and_to_look_at_another_chat(world: World) -> None:
    """# 000-40"""
    ada = await person("ada")
    chat_id, first, second = await two_turns(ada)
    other = await conversations.ask(ada, await chats.new(ada), "Elsewhere?")
    values = {"parent": first.assistant.id, "id": second.assistant.id}
    async with transaction(ada) as tx:
        connection = await tx.session.connection()
        statement = text("UPDATE messages SET parent_id = :parent WHERE id = :id")
        with pytest.raises(exc.ProgrammingError, match="permission denied"):
            await connection.execute(statement, values)
    with pytest.raises(exc.IntegrityError, match="branch_id_fkey"):
        await _look_at(ada, chat_id, other.user.id)


async def _store(actor: Actor, row: models.Message) -> None:
    async with transaction(actor) as tx:
        tx.session.add(row)


async def _look_at(actor: Actor, chat_id: UUID, message_id: UUID) -> None:
    async with transaction(actor) as tx:
        await chats.store_branch(tx, chat_id, message_id)


async def test_a_chat_of_a_thousand_messages_is_opened_as_quickly_as_before(world: World) -> None:
    """PostgreSQL finds the path in the time that `docs/decisions/0022` states."""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    before: UUID | None = None
    async with transaction(ada) as tx:
        for number in range(1000):
            role = MessageRole.ASSISTANT if number % 2 else MessageRole.USER
            row = models.Message(
                chat_session_id=chat_id, parent_id=before, role=role, user_id=ada.user_id,
                workflow_run_id=uuid4() if number % 2 else None, parts=[{"type": "text", "text": f"{number} " * 200}],
            )  # fmt: skip
            tx.session.add(row)
            await tx.session.flush()
            before = row.id
    world.sql("ANALYZE messages")
    whole = await chats.open(ada, chat_id)
    assert len(whole.messages) == 1000
    began = time.perf_counter()
    for _ in range(10):
        assert len((await chats.open(ada, chat_id, known=whole)).messages) == 1000
    log.info("a look at 1,000 messages that have not changed: %.1f ms", (time.perf_counter() - began) * 100)
