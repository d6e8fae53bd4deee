"""Queued messages are sent exactly once, also when a process dies in between; no page is open in these tests."""

from uuid import UUID

import pytest

from leaf.db import Actor
from leaf.services import chats, conversations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, SLOW, reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew, lapse


async def waiting(actor: Actor, chat_id: UUID, *texts: str) -> None:
    for text in texts:
        assert isinstance(await conversations.ask(actor, chat_id, text, queue=True), conversations.Queued)


async def all_done(actor: Actor, chat_id: UUID, questions: int) -> list[chats.Message]:
    """Waits until so many questions are answered, and nothing is being written; gives the messages."""

    async def done() -> list[chats.Message] | None:
        messages = (await chats.open(actor, chat_id)).messages
        whole = len(messages) == 2 * questions and not messages[-1].unfinished
        return messages if whole else None

    return await until(done, what=f"{questions} questions are answered")


def asked(messages: list[chats.Message]) -> list[str]:
    return [str(one.parts[0]["text"]) for one in messages if one.role == "user"]


@pytest.mark.usefixtures("worker")
async def test_what_waits_is_sent_without_any_page(ada: Actor, ask: Ask) -> None:
    """# 000-24, 000-25"""
    turn = await ask(ada, QUESTION, model=SLOW)
    await waiting(ada, turn.chat_id, "And the term?", "And the rates?")
    messages = await all_done(ada, turn.chat_id, 3)
    assert asked(messages) == [QUESTION, "And the term?", "And the rates?"]
    assert {one.status for one in messages} == {"completed"}


async def test_a_worker_that_is_killed_before_the_end_sends_nothing_twice(crew: Crew, ada: Actor, ask: Ask) -> None:
    """The one that takes over ends the answer, and sends what waits with it. # 000-24"""
    await crew.of(2)
    turn = await ask(ada, QUESTION, model=SLOW)
    await waiting(ada, turn.chat_id, "And the term?", "And the rates?")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        await crew.lose_writer_of(turn.assistant.run_id)
        await reader.end()
    messages = await all_done(ada, turn.chat_id, 3)
    assert asked(messages) == [QUESTION, "And the term?", "And the rates?"]


async def test_a_worker_that_is_killed_right_after_the_end_loses_nothing(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask
) -> None:
    """Another worker takes up the job that the ending has sent, though nobody else knew of it. # 000-24, 000-43"""
    await crew.of(2)
    turn = await ask(ada, QUESTION, model=SLOW)
    # Slow, so that the second answer has begun, and is not done, when its worker dies.
    with stack.model(SLOW):
        await waiting(ada, turn.chat_id, "Sum up the transport agreement once more")

    async def sent() -> UUID | None:
        messages = (await chats.open(ada, turn.chat_id)).messages
        return messages[-1].run_id if len(messages) == 4 else None

    run_id = await until(sent, what="the second message is sent")
    for worker in crew.alive:
        worker.kill()
    await crew.of(1)
    await lapse(run_id)
    messages = await all_done(ada, turn.chat_id, 2)
    assert messages[-1].status == "completed"
    assert await conversations.queued(ada, turn.chat_id) == []


@pytest.mark.usefixtures("worker")
async def test_a_stop_leaves_what_waits_and_the_next_answer_takes_it_along(ada: Actor, ask: Ask) -> None:
    turn = await ask(ada, QUESTION, model=SLOW)
    await waiting(ada, turn.chat_id, "And the term?")
    assert turn.assistant.run_id is not None
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.words > 10)
        await conversations.stop(ada, turn.assistant.run_id)
        assert (await reader.end()).status == "stopped"
    assert [one.text for one in await conversations.queued(ada, turn.chat_id)] == ["And the term?"]
    await conversations.proceed(ada, turn.assistant.id)
    messages = await all_done(ada, turn.chat_id, 2)
    assert asked(messages) == [QUESTION, "And the term?"]
