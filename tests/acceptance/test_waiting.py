"""An answer asks its reader something, waits for as long as it takes, and goes on in the same message."""

import json
from typing import Any
from uuid import UUID

import pytest

from leaf import errors, parts, redis
from leaf.db import Actor, models
from leaf.db.session import transaction
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew

QUESTION = {
    "question": "Which quarter?",
    "options": [{"value": "q1", "label": "The first"}, {"value": "q2", "label": "The second"}],
}


def script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


ASKS = script(
    {"text": "Let me write that down. ", "calls": [call("write_file", path="a.md", content="one\n")]},
    {"text": "One thing first. ", "calls": [call("askQuestion", **QUESTION)]},
    {"text": "Here it is. " * 40, "calls": [call("write_file", path="b.md", content="two\n")]},
    {"text": "Done."},
)


async def asked(ask: Ask, ada: Actor, text: str = ASKS, model: str = "sandbox:sandbox-script") -> tuple[UUID, Any]:
    """A chat whose answer has come to its question, and that answer."""
    chat_id = await chats.new(ada)
    turn = await ask(ada, text, chat_id=chat_id, model=model)
    async with reading(ada, turn.assistant.run_id) as reader:
        return chat_id, await reader.end()


async def ended(ada: Actor, chat_id: UUID) -> Any:
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    async with reading(ada, run_id) as reader:
        return await reader.end(), reader


def question_of(message: Any) -> dict[str, Any]:
    return next(part for part in message.parts if part["type"] == "tool-askQuestion")


async def test_a_question_waits_and_the_same_message_goes_on_with_the_choice(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask
) -> None:
    """Across days: neither the stream nor anything else of the first run is needed any more. # 002-17"""
    await crew.of(1)
    chat_id, stopped = await asked(ask, ada)
    part = question_of(stopped)
    assert (stopped.status, part["state"]) == ("waiting", "input-available")
    assert part["input"] == QUESTION
    for key in await redis.client().keys(f"leaf:run:{stopped.run_id}:*"):
        await redis.client().delete(key)
    with stack.model("sandbox:sandbox-script"):
        assert (
            await conversations.answer(ada, stopped.id, part["toolCallId"], {"selectedOptions": ["q2"]})
        ).assistant.unfinished
    whole, reader = await ended(ada, chat_id)
    assert (whole.id, whole.status) == (stopped.id, "completed")
    assert whole.run_id != stopped.run_id
    assert question_of(whole)["output"]["selectedOptions"] == ["q2"]
    texts = [part["text"] for part in whole.parts if part["type"] == "text"]
    assert texts == ["Let me write that down. ", "One thing first. ", "Here it is. " * 40, "Done."]
    assert parts.fold(reader.chunks)["parts"] == whole.parts, "whoever follows the second run alone sees all of it"
    async with transaction(ada, read_only=True) as tx:
        row = await tx.session.get_one(models.Message, whole.id)
    returns = [
        one for message in row.model_messages or [] for one in message["parts"] if one["part_kind"] == "tool-return"
    ]
    assert [one["content"]["selectedOptions"] for one in returns if one["tool_name"] == "askQuestion"] == [["q2"]]
    history = await ChatFiles(ada, chat_id).history("a.md")
    assert len(history) == 1, "what was done before the question is not done again"


async def test_a_worker_that_dies_after_the_answer_to_a_question_loses_nothing(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask
) -> None:
    """# 002-17"""
    await crew.of(2)
    chat_id, stopped = await asked(ask, ada, model="sandbox:sandbox-script-20")
    await conversations.answer(ada, stopped.id, question_of(stopped)["toolCallId"], {"inputText": "both"})
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: "Here it is. Here" in reader.text)
        await crew.lose_writer_of(run_id)
        whole = await reader.end()
    assert whole.status == "completed"
    assert question_of(whole)["output"]["inputText"] == "both"
    texts = [part["text"] for part in whole.parts if part["type"] == "text"]
    assert texts == ["Let me write that down. ", "One thing first. ", "Here it is. " * 40, "Done."]
    assert [len(await ChatFiles(ada, chat_id).history(path)) for path in ("a.md", "b.md")] == [1, 1]


async def test_an_answer_has_to_fit_and_is_taken_once(crew: Crew, ada: Actor, ben: Actor, ask: Ask) -> None:
    """# 002-17"""
    await crew.of(1)
    _, stopped = await asked(ask, ada)
    call_id = question_of(stopped)["toolCallId"]
    for given in ({}, {"selectedOptions": ["q3"]}, {"selectedOptions": ["q1", "q2"]}, {"approved": True}, {"x": 1}):
        with pytest.raises(errors.Invalid):
            await conversations.answer(ada, stopped.id, call_id, given)
    with pytest.raises(errors.NotFound):
        await conversations.answer(ada, stopped.id, "call_nowhere", {"selectedOptions": ["q1"]})
    with pytest.raises(errors.NotFound):
        await conversations.answer(ben, stopped.id, call_id, {"selectedOptions": ["q1"]})
    assert (await conversations.answer(ada, stopped.id, call_id, {"skipped": True})).assistant.unfinished
    with pytest.raises(errors.Conflict):
        await conversations.answer(ada, stopped.id, call_id, {"selectedOptions": ["q1"]})


async def test_several_questions_are_answered_one_by_one(crew: Crew, ada: Actor, ask: Ask) -> None:
    await crew.of(1)
    two = script({"text": "", "calls": [call("askQuestion", **QUESTION)] * 2}, {"text": "Thanks."})
    chat_id, stopped = await asked(ask, ada, two)
    first, second = [part["toolCallId"] for part in stopped.parts if part["type"] == "tool-askQuestion"]
    assert not (await conversations.answer(ada, stopped.id, first, {"selectedOptions": ["q1"]})).assistant.unfinished
    assert (await chats.open(ada, chat_id)).messages[-1].status == "waiting"
    with pytest.raises(errors.Conflict):
        await conversations.answer(ada, stopped.id, first, {"selectedOptions": ["q2"]})
    assert (await conversations.answer(ada, stopped.id, second, {"selectedOptions": ["q2"]})).assistant.unfinished
    whole, _ = await ended(ada, chat_id)
    outputs = [part["output"]["selectedOptions"] for part in whole.parts if part["type"] == "tool-askQuestion"]
    assert outputs == [["q1"], ["q2"]]


async def test_a_reader_may_go_on_with_something_else(crew: Crew, ada: Actor, ask: Ask) -> None:
    """The question stays in the chat, unanswered, and every provider's rule about open calls is kept."""
    await crew.of(1)
    chat_id, stopped = await asked(ask, ada)
    turn = await ask(ada, script({"text": "Something else."}), chat_id=chat_id, model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    left = next(message for message in (await chats.open(ada, chat_id)).messages if message.id == stopped.id)
    assert left.status == "completed"
    assert question_of(left)["state"] == "output-error"
    with pytest.raises(errors.Conflict):
        await conversations.answer(ada, stopped.id, question_of(stopped)["toolCallId"], {"skipped": True})
