"""Acting on messages, with a worker: what the model is sent is one branch, and what was stopped goes on."""

import json
from typing import Any
from uuid import UUID

import pytest

from leaf.db import Actor, models, transaction
from leaf.services import chats, conversations, forks
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.workers import Crew

SCRIPT = "sandbox:sandbox-script"
SLOW = "sandbox:sandbox-slow-15"


def script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def text_of(message: chats.Message) -> str:
    return "".join(part["text"] for part in message.parts if part["type"] == "text")


async def done(ada: Actor, turn: conversations.Turn) -> chats.Message:
    async with reading(ada, turn.assistant.run_id) as reader:
        return await reader.end()


async def turn_of(ada: Actor, message_id: UUID) -> str:
    """The stored messages of an answer for the model, as JSON."""
    async with transaction(ada, read_only=True) as tx:
        return json.dumps((await tx.session.get_one(models.Message, message_id)).model_messages)


@pytest.mark.usefixtures("worker")
async def test_an_edited_question_is_answered_without_what_followed_the_old_one(
    stack: Stack, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """And an answer that is written again without the one beside it. # 002-44, 003-36, 001-17"""
    chat_id = await chats.new(ada)
    first = await ask(ada, script({"text": "About apples."}), model=SCRIPT, chat_id=chat_id)
    await done(ada, first)
    second = await ask(ada, script({"text": "About pears."}), model=SCRIPT, chat_id=chat_id)
    await done(ada, second)
    with stack.model(SCRIPT):
        edited = await conversations.edit(ada, second.user.id, script({"text": "About plums."}))
        assert text_of(await done(ada, edited)) == "About plums."
        again = await conversations.regenerate(ada, edited.assistant.id)
        assert text_of(await done(ada, again)) == "About plums."
    assert [text_of(one) for one in (await chats.open(ada, chat_id)).messages[1::2]] == [
        "About apples.",
        "About plums.",
    ]
    task_texts = "".join(json.dumps(entry) for entry in sandbox.asked()[-1:])
    assert "About pears" not in task_texts
    fork_id = await forks.fork(ada, first.assistant.id)
    third = await ask(ada, script({"text": "In the fork."}), model=SCRIPT, chat_id=fork_id)
    assert text_of(await done(ada, third)) == "In the fork."
    assert [text_of(one) for one in (await chats.open(ada, fork_id)).messages[1::2]] == [
        "About apples.",
        "In the fork.",
    ]
    assert len((await chats.open(ada, chat_id)).messages) == 4


def texts_of(message: Any) -> list[str]:
    return [part["text"] for part in message.parts if part["type"] == "text"]


async def stopped_at(ada: Actor, turn: conversations.Turn, text: str) -> chats.Message:
    """The answer of a turn, stopped when a text has come."""
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: text in reader.text)
        await conversations.stop(ada, run_id)
        stopped = await reader.end()
    assert stopped.status == "stopped"
    return stopped


@pytest.mark.usefixtures("worker")
async def test_an_answer_that_was_stopped_goes_on_behind_what_it_had(ada: Actor, ask: Ask) -> None:
    """The model is told what it had said and is not asked the question again; nor are its tools. # 000-48"""
    written = {"name": "write_file", "arguments": {"path": "a.md", "content": "one"}}
    steps = ({"text": "I write it down. ", "calls": [written]}, {"text": "Apples are red. " * 80})
    chat_id = await chats.new(ada)
    turn = await ask(ada, script(*steps), model="sandbox:sandbox-script-20", chat_id=chat_id)
    stopped = await stopped_at(ada, turn, "Apples are red. Apples")
    on = await conversations.proceed(ada, stopped.id)
    whole = await done(ada, on)
    assert (whole.id, whole.status) == (stopped.id, "completed")
    assert texts_of(whole) == [*texts_of(stopped), "This is the end of the script."]
    assert len(await ChatFiles(ada, chat_id).history("a.md")) == 1
    stored = await turn_of(ada, whole.id)
    assert "Your answer was stopped here" in stored
    assert "Apples are red" in stored
    follow_up = await ask(ada, QUESTION, chat_id=chat_id)
    assert (await done(ada, follow_up)).status == "completed"


async def test_an_answer_goes_on_though_the_worker_that_does_is_killed(crew: Crew, ada: Actor, ask: Ask) -> None:
    """# 000-45, 000-48"""
    await crew.of(2)
    turn = await ask(ada, "Tell me about apples, please.", model=SLOW)
    stopped = await stopped_at(ada, turn, " ")
    on = await conversations.proceed(ada, stopped.id)
    run_id = on.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: reader.words > len("".join(texts_of(stopped)).split()) + 20)
        await crew.lose_writer_of(run_id)
        whole = await reader.end()
    assert (whole.id, whole.status) == (stopped.id, "completed")
    had = texts_of(stopped)
    assert texts_of(whole)[: len(had)] == had
    assert len(texts_of(whole)) > len(had)
