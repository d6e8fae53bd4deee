"""Queued messages for the end of an answer: in order, once, and each in its writer's name."""

import asyncio
from uuid import UUID

import pytest

from leaf import config, errors
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.services import chats, conversations, participants
from tests.integration.people import end, person
from tests.integration.test_branches import invite
from tests.integration.web_fixtures import World


async def asked(actor: Actor, text: str = "First?") -> tuple[UUID, conversations.Turn]:
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, text, queue=True)
    assert isinstance(turn, conversations.Turn)
    return chat_id, turn


async def waits(actor: Actor, chat_id: UUID, text: str, **more: object) -> conversations.Queued:
    queued = await conversations.ask(actor, chat_id, text, queue=True, **more)  # pyright: ignore[reportArgumentType]
    assert isinstance(queued, conversations.Queued)
    return queued


async def said(actor: Actor, chat_id: UUID) -> list[str]:
    """The questions of a chat as somebody sees them."""
    found = (await chats.open(actor, chat_id)).messages
    return [str(one.parts[0]["text"]) for one in found if one.role == "user"]


async def last(actor: Actor, chat_id: UUID) -> chats.Message:
    return (await chats.open(actor, chat_id)).messages[-1]


@pytest.mark.usefixtures("world")
async def test_what_waits_is_sent_in_order_each_when_the_answer_before_it_is_done() -> None:
    """# 000-25, 001-01"""
    ada = await person("ada")
    chat_id, turn = await asked(ada)
    for text in ("Second?", "Third?"):
        await waits(ada, chat_id, text)
    assert await said(ada, chat_id) == ["First?"]
    await end(turn.assistant.run_id)
    assert await said(ada, chat_id) == ["First?", "Second?"]
    assert [one.text for one in await conversations.queued(ada, chat_id)] == ["Third?"]
    second = await last(ada, chat_id)
    assert second.unfinished
    await end(second.run_id)
    await end((await last(ada, chat_id)).run_id)
    assert await said(ada, chat_id) == ["First?", "Second?", "Third?"]
    assert await conversations.queued(ada, chat_id) == []
    assert not (await last(ada, chat_id)).unfinished


@pytest.mark.usefixtures("world")
async def test_a_message_that_waits_keeps_its_files_mode_and_model() -> None:
    ada = await person("ada")
    chat_id, turn = await asked(ada)
    mention = {"id": "a" * 20, "name": "Plan", "kind": "document"}
    await waits(ada, chat_id, "Sum up @Plan", extras={"mentions": [mention]}, mode=Mode.ADAPTIVE)
    await end(turn.assistant.run_id)
    sent = await last(ada, chat_id)
    assert sent.details["searchMode"] == "adaptive"
    question = (await chats.open(ada, chat_id)).messages[-2]
    assert question.parts[1] == {"type": "data-mention", "data": mention}


@pytest.mark.parametrize("status", [MessageStatus.STOPPED, MessageStatus.ERROR, MessageStatus.WAITING])
@pytest.mark.usefixtures("world")
async def test_after_an_answer_that_is_not_done_the_queue_waits(status: MessageStatus) -> None:
    """Until its writer sends it; then the others follow."""
    ada = await person("ada")
    chat_id, turn = await asked(ada)
    second = await waits(ada, chat_id, "Second?")
    await waits(ada, chat_id, "Third?")
    await end(turn.assistant.run_id, status, error_code="x" if status is MessageStatus.ERROR else None)
    assert await said(ada, chat_id) == ["First?"]
    assert len(await conversations.queued(ada, chat_id)) == 2
    released = await conversations.release(ada, second.id)
    with pytest.raises(errors.NotFound):
        await conversations.release(ada, second.id)
    await end(released.assistant.run_id)
    assert await said(ada, chat_id) == ["First?", "Second?", "Third?"]


@pytest.mark.usefixtures("world")
async def test_a_message_that_waits_can_be_written_anew_and_taken_back() -> None:
    ada = await person("ada")
    chat_id, turn = await asked(ada)
    first, second = await waits(ada, chat_id, "Secnod?"), await waits(ada, chat_id, "Third?")
    with pytest.raises(errors.Conflict):
        await conversations.release(ada, first.id)
    await conversations.rewrite(ada, first.id, "Second?")
    with pytest.raises(errors.Invalid):
        await conversations.rewrite(ada, first.id, "  ")
    await conversations.withdraw(ada, second.id)
    await end(turn.assistant.run_id)
    await end((await last(ada, chat_id)).run_id)
    assert await said(ada, chat_id) == ["First?", "Second?"]
    for late in (
        conversations.rewrite(ada, first.id, "Late"),
        conversations.withdraw(ada, first.id),
        conversations.release(ada, first.id),
    ):
        with pytest.raises(errors.NotFound):
            await late


@pytest.mark.usefixtures("world")
async def test_a_queue_has_an_end() -> None:
    ada = await person("ada")
    chat_id, _ = await asked(ada)
    for number in range(20):
        await waits(ada, chat_id, f"{number}?")
    with pytest.raises(errors.Invalid, match="At most 20"):
        await conversations.ask(ada, chat_id, "One more?", queue=True)


@pytest.mark.usefixtures("world")
async def test_messages_of_the_same_moment_as_the_end_are_neither_lost_nor_sent_twice() -> None:
    """The lock of the chat decides: each is sent with the end, or right after it. # 000-43"""
    ada = await person("ada")
    for _ in range(8):
        chat_id, turn = await asked(ada)
        await asyncio.gather(
            *(conversations.ask(ada, chat_id, text, queue=True) for text in ("a", "b", "c")), end(turn.assistant.run_id)
        )
        while (answer := await last(ada, chat_id)).unfinished:
            await end(answer.run_id)
        assert await conversations.queued(ada, chat_id) == []
        assert sorted(await said(ada, chat_id)) == ["First?", "a", "b", "c"]


async def test_several_people_wait_in_one_line_and_ask_in_their_own_names(world: World) -> None:
    """Each one's message runs as its writer, with their Drive and workspace. # 000-67"""
    ada, ben = await person("ada"), await person("ben")
    chat_id, turn = await asked(ada)
    invite(world, ben, chat_id)
    await waits(ben, chat_id, "Ben's?")
    await waits(ada, chat_id, "Ada's?")
    assert [one.text for one in await conversations.queued(ben, chat_id)] == ["Ben's?"]
    assert [one.text for one in await conversations.queued(ada, chat_id)] == ["Ada's?"]
    await end(turn.assistant.run_id)
    his = await last(ada, chat_id)
    assert his.user_id == ben.user_id
    assert his.run_id is not None
    task = await conversations.assignment(his.run_id)
    assert task is not None
    assert (task.actor.user_id, task.question) == (ben.user_id, "Ben's?")
    await end(his.run_id)
    assert (await last(ada, chat_id)).user_id == ada.user_id
    assert await said(ben, chat_id) == ["First?", "Ben's?", "Ada's?"]


async def test_what_waits_goes_with_who_leaves(world: World) -> None:
    ada, ben = await person("ada"), await person("ben")
    chat_id, turn = await asked(ada)
    invite(world, ben, chat_id)
    await waits(ben, chat_id, "Ben's?")
    await waits(ada, chat_id, "Ada's?")
    assert ben.user_id is not None
    await participants.remove(ada, chat_id, ben.user_id)
    await end(turn.assistant.run_id)
    assert await said(ada, chat_id) == ["First?", "Ada's?"]
    assert world.sql("SELECT FROM queued_messages") == []


async def test_who_has_nothing_left_waits_and_the_next_one_is_sent(world: World) -> None:
    """The end of the answer is stored even if the queue fails. # 000-61"""
    ada = await person("ada")
    chat_id, turn = await asked(ada)
    await waits(ada, chat_id, "Second?")
    poor = world.settings.model_copy(update={"daily_tokens": 10})
    config.install(poor)
    try:
        await end(turn.assistant.run_id, input_tokens=100)
    finally:
        config.install(world.settings)
    assert (await last(ada, chat_id)).status == "completed"
    (left,) = await conversations.queued(ada, chat_id)
    assert left.problem == conversations.BUDGET
    released = await conversations.release(ada, left.id)
    assert released.assistant.unfinished


async def test_a_message_waits_also_while_redis_is_away(world: World) -> None:
    """No run can begin then, and the end of the running answer sends the message. # 000-25"""
    ada = await person("ada")
    chat_id, _ = await asked(ada)
    world.change(redis_url="unix:///nonexistent/redis.sock")
    await waits(ada, chat_id, "Second?")
    assert [one.text for one in await conversations.queued(ada, chat_id)] == ["Second?"]
    with pytest.raises(errors.RedisUnavailable):
        await conversations.ask(ada, await chats.new(ada), "Elsewhere?", queue=True)


async def test_a_message_that_waits_keeps_the_model_of_its_chat(world: World) -> None:
    """Also one that was named with it, and an answer that is written again. # 000-65, 002-08"""
    world.change(fallbacks="sandbox:sandbox-slow,sandbox:sandbox-fast")
    ada = await person("ada")
    chat_id = await chats.new(ada)
    named = conversations.Terms(asked_model="sandbox:sandbox-slow")
    turn = await conversations.ask(ada, chat_id, "First?", terms=named)
    await waits(ada, chat_id, "Second?")
    await waits(ada, chat_id, "Third?", terms=conversations.Terms(asked_model="sandbox:sandbox-fast"))
    answers = [turn.assistant]
    for _ in range(2):
        await end(answers[-1].run_id, details=answers[-1].details)
        answers.append(await last(ada, chat_id))
    models = [one.details["modelId"] for one in answers]
    assert models == ["sandbox:sandbox-slow", "sandbox:sandbox-slow", "sandbox:sandbox-fast"]
    await end(answers[-1].run_id, details=answers[-1].details)
    again = await conversations.regenerate(ada, answers[-1].id)
    assert again.assistant.details["modelId"] == "sandbox:sandbox-fast"
    await end(again.assistant.run_id, details=again.assistant.details)
    again = await conversations.retry(ada, again.assistant.id)
    assert again.assistant.details["modelId"] == "sandbox:sandbox-fast"
    await end(again.assistant.run_id, details=again.assistant.details)
    edited = await conversations.edit(ada, again.user.id, "Fourth?")
    assert edited.assistant.details["modelId"] == "sandbox:sandbox-slow"
