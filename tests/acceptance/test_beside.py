"""Beside an answer: the title of a new chat, and questions that could follow."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from leaf import config
from leaf.db import Actor
from leaf.services import chats, conversations, usage
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew, lapse

QUESTION = "How much does a pallet from Aldermere cost?"


@pytest.fixture
def wordy(stack: Stack) -> Iterator[None]:
    """Leaf as it comes: with titles and related questions."""
    plain = stack.settings
    stack.settings = plain.model_copy(update={"titles": True, "related_questions": True})
    config.install(stack.settings)
    yield
    stack.settings = plain
    config.install(plain)


@pytest_asyncio.fixture
async def workers(stack: Stack, wordy: None) -> AsyncIterator[Crew]:
    """Workers of their own: those of the other tests write nothing beside an answer."""
    crew = Crew(stack)
    await crew.of(1)
    yield crew
    crew.stop()


@pytest.fixture(autouse=True)
def others_asleep(crew: Crew) -> Iterator[None]:
    """Only the workers of these tests take runs."""
    with crew.away():
        yield


async def title_of(ada: Actor, chat_id: UUID) -> str:
    return (await chats.open(ada, chat_id)).title


def related(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part["data"] for part in parts if part["type"] == "data-relatedQuestions"]


async def test_a_new_chat_has_its_title_before_the_answer_ends(workers: Crew, ada: Actor, ask: Ask) -> None:
    """# 002-26"""
    chat_id = await chats.new(ada)
    turn = await ask(ada, f"{QUESTION} Please answer slowly.", chat_id=chat_id, model="sandbox:sandbox-slow")
    assert await title_of(ada, chat_id) == f"{QUESTION} Please answer slowly."
    async with reading(ada, turn.assistant.run_id) as reader:
        await until(lambda: entitled(ada, chat_id, "How much does a pallet from Aldermere cost"), what="the title")
        assert not reader.ended.is_set()
        assert (await chats.open(ada, chat_id)).messages[-1].unfinished
        await conversations.stop(ada, turn.assistant.run_id or chat_id)
        await reader.end()


async def entitled(ada: Actor, chat_id: UUID, title: str) -> bool:
    return await title_of(ada, chat_id) == title


async def test_a_name_that_a_person_gives_stays(workers: Crew, ada: Actor, ask: Ask) -> None:
    """# 002-26"""
    chat_id = await chats.new(ada)
    with workers.away():
        turn = await ask(ada, QUESTION, chat_id=chat_id)
        await chats.rename(ada, chat_id, "Prices")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.end()
    assert not await chats.set_generated_title(ada, chat_id, "Something else")
    assert await title_of(ada, chat_id) == "Prices"


async def test_a_chat_whose_title_no_model_writes_keeps_the_words_of_its_question(
    stack: Stack, crew: Crew, wordy: None, ada: Actor, ask: Ask
) -> None:
    """And its answer is none the worse. # 002-26, 002-54"""
    stack.settings = stack.settings.model_copy(update={"beside_model": "sandbox:sandbox-fail"})
    failing = Crew(stack)
    await failing.of(1)
    try:
        chat_id = await chats.new(ada)
        turn = await ask(ada, QUESTION, chat_id=chat_id)
        async with reading(ada, turn.assistant.run_id) as reader:
            answer = await reader.end()
        await until(lambda: entitled(ada, chat_id, QUESTION), what="the title")
    finally:
        failing.stop()
    assert answer.status == "completed"
    assert related(answer.parts) == [{"status": "error", "questions": []}]


async def test_questions_follow_the_answer_one_by_one(workers: Crew, ada: Actor, ask: Ask) -> None:
    """Loading, streaming, success; what is stored is the last state. # 002-27"""
    turn = await ask(ada, QUESTION)
    async with reading(ada, turn.assistant.run_id) as reader:
        answer = await reader.end()
    chunks = [chunk["data"] for chunk in reader.chunks if chunk["type"] == "data-relatedQuestions"]
    # Lines that come close together come as one.
    assert list(dict.fromkeys(chunk["status"] for chunk in chunks)) == ["loading", "streaming", "success"]
    counts = [len(chunk["questions"]) for chunk in chunks]
    assert (counts[0], counts[-1], counts) == (0, 3, sorted(counts))
    assert related(answer.parts) == [chunks[-1]]
    last_text = max(at for at, chunk in enumerate(reader.chunks) if chunk["type"] == "text-delta")
    first = next(at for at, chunk in enumerate(reader.chunks) if chunk["type"] == "data-relatedQuestions")
    assert first > last_text


async def test_what_is_written_beside_an_answer_is_entered(workers: Crew, ada: Actor, ask: Ask) -> None:
    """# 001-22"""
    turn = await ask(ada, QUESTION)
    assert turn.assistant.run_id
    run_id = turn.assistant.run_id
    async with reading(ada, run_id) as reader:
        await reader.end()

    async def entered() -> bool:
        return {"answer", "title", "related"} <= {purpose for purpose, *_ in await usage.of_runs(ada, [run_id])}

    await until(entered, what="all three are entered")


async def test_a_worker_that_dies_while_questions_are_written_does_not_write_the_answer_anew(
    stack: Stack, workers: Crew, ada: Actor, ask: Ask
) -> None:
    """# 002-27"""
    stack.settings = stack.settings.model_copy(update={"beside_model": "sandbox:sandbox-silent"})
    slow = Crew(stack)
    with workers.away():
        await slow.of(1)
        script = f"```json\n{json.dumps([{'text': 'Here it is.'}])}\n```"
        turn = await ask(ada, script, model="sandbox:sandbox-script")
        async with reading(ada, turn.assistant.run_id) as reader:
            await reader.until(lambda reader: related(reader.parts))
            stack.sandbox.forget()
            (await slow.writer_of(turn.assistant.run_id)).kill()
            await lapse(turn.assistant.run_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        answer = await reader.end()
    assert answer.status == "completed"
    assert [part["text"] for part in answer.parts if part["type"] == "text"] == ["Here it is."]
    assert related(answer.parts)[0]["status"] == "success"
    assert "sandbox-script" not in {entry["model"] for entry in stack.sandbox.asked()}


async def test_questions_that_nobody_waits_for_any_longer_are_entered_as_far_as_they_came(
    stack: Stack, workers: Crew, ada: Actor, ask: Ask
) -> None:
    """This provider says at the beginning of its reply what it has read. # 001-22, 002-27"""
    stack.settings = stack.settings.model_copy(update={"beside_model": "anthropic:sandbox-300"})
    slow = Crew(stack)
    with workers.away():
        await slow.of(1)
        try:
            chat_id = await chats.new(ada)
            await chats.rename(ada, chat_id, "Prices")
            script = f"```json\n{json.dumps([{'text': 'Here it is.'}])}\n```"
            turn = await ask(ada, script, chat_id=chat_id, model="sandbox:sandbox-script")
            assert turn.assistant.run_id
            async with reading(ada, turn.assistant.run_id) as reader:
                await reader.until(lambda reader: any(one["questions"] for one in related(reader.parts)))
                await conversations.stop(ada, turn.assistant.run_id)
                assert (await reader.end()).status == "completed"
        finally:
            slow.stop()
    found = {purpose: totals for purpose, _, totals in await usage.of_runs(ada, [turn.assistant.run_id])}
    assert found["related"].requests == 1
    assert found["related"].input_tokens > 0
