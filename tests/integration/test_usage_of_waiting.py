"""Usage of an answer that had to wait: by several runs, each entered once, and told of together."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.usage import RequestUsage

from jobs import reaper, registry
from jobs.run import turns
from jobs.run import usage as run_usage
from leaf import errors, parts, streams
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.services import chats, conversations, runs, usage
from tests.integration.people import end, outcome_of, person
from tests.integration.test_runs_service import run_of
from tests.integration.test_usage import USED, totals
from tests.integration.web_fixtures import World

QUESTION = {"question": "Which?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}
PARTS = [
    {"type": "step-start"},
    {"type": "text", "text": "One thing first.", "state": "done"},
    {"type": "tool-askQuestion", "toolCallId": "call_0", "state": "input-available", "input": QUESTION},
]
MORE = {**USED, "input_tokens": 1000, "output_tokens": 350, "requests": 4, "cost_usd": Decimal("0.02")}
"""The sums of both runs."""


def _turn() -> list[ModelMessage]:
    call = ToolCallPart("askQuestion", QUESTION, "call_0")
    reply = ModelResponse(parts=[call], usage=RequestUsage(input_tokens=100, output_tokens=20), model_name="m")
    return [ModelRequest(parts=[UserPromptPart("Apples?")]), reply]


async def _waiting(actor: Actor, *further: dict[str, Any]) -> tuple[UUID, conversations.Turn]:
    """An answer that waits: its chat and its turn."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "Apples?")
    # Of the 700 tokens 600 were of a reply that broke off, and is in no message.
    kept = {"parts": [*PARTS, *further], "model_messages": turns.to_python(_turn()), "details": turn.assistant.details}
    await end(run_of(turn), MessageStatus.WAITING, **{**USED, **kept})
    return chat_id, turn


async def _waited(actor: Actor) -> tuple[UUID, conversations.Turn, UUID]:
    """One that goes on after it has waited: its chat, its turn, and the run that goes on."""
    chat_id, turn = await _waiting(actor)
    assert (
        await conversations.answer(actor, turn.assistant.id, "call_0", {"selectedOptions": ["a"]})
    ).assistant.unfinished
    run_id = (await chats.open(actor, chat_id)).messages[-1].run_id
    assert run_id is not None
    assert run_id != turn.assistant.run_id
    return chat_id, turn, run_id


async def _assigned(run_id: UUID) -> runs.Assignment:
    task = await conversations.assignment(run_id)
    assert task is not None
    return task


async def test_an_answer_that_waited_is_told_with_all_of_its_runs(world: World) -> None:
    """And without an answer that it has replaced. # 001-22"""
    ada = await person("ada")
    _, turn, run_id = await _waited(ada)
    await end(run_id, **{**MORE, "details": (await _assigned(run_id)).details})
    message = await conversations.result(ada, run_id)
    assert runs.runs_of(message) == [run_of(turn), run_id]
    (entry,) = await usage.of_runs(ada, runs.runs_of(message))
    expected: dict[str, Any] = {name: value for name, value in MORE.items() if name != "duration_ms"}
    assert entry == ("answer", "sandbox:sandbox", totals(**expected, entries=2, duration_ms=3000))
    again = await conversations.retry(ada, turn.assistant.id)
    await end(again.assistant.run_id, **{**USED, "details": again.assistant.details})
    message = await conversations.result(ada, run_of(again))
    assert await usage.of_runs(ada, runs.runs_of(message)) == [("answer", "sandbox:sandbox", totals())]


async def test_a_run_that_goes_on_and_loses_its_chat_enters_its_own_part_alone(world: World) -> None:
    """# 001-22"""
    ada = await person("ada")
    chat_id, _, run_id = await _waited(ada)
    task = await _assigned(run_id)
    await chats.delete(ada, chat_id)
    outcome = outcome_of(MessageStatus.STOPPED, **MORE)
    assert not await conversations.finish(task, outcome)
    found = (await usage.report(ada)).today
    assert (found.tokens, found.requests, found.cost_usd) == (1350, 4, Decimal("0.02"))


async def test_replies_that_broke_off_before_an_answer_waited_stay_in_its_sums(world: World) -> None:
    """In what is stored, and in what the limits count. # 001-22, 000-27"""
    ada = await person("ada")
    _, _, run_id = await _waited(ada)
    task = await _assigned(run_id)
    further = ModelResponse(
        parts=[TextPart("A.")], usage=RequestUsage(input_tokens=30, output_tokens=7), model_name="m"
    )
    turn = [*_turn(), further]
    used = run_usage.of_answer(task, turn)
    assert (used.input_tokens, used.output_tokens, used.requests) == (730, 307, 4)
    assert (used.cache_read_tokens, used.thinking_tokens, used.cost_usd) == (200, 50, Decimal("0.0125"))
    counted = run_usage.for_limits(task, turn)
    assert (counted.input_tokens, counted.output_tokens, counted.requests) == (730, 307, 2)
    given_up = run_usage.of_answer(task, turn, [further])
    assert (given_up.input_tokens, given_up.requests) == (760, 5)


async def test_giving_up_on_a_run_that_has_come_to_nothing_keeps_what_there_was(world: World) -> None:
    """The message as it waited, what the model knows of it, and its sums. # 001-22"""
    ada = await person("ada")
    _, turn, run_id = await _waited(ada)
    await registry.add(run_id, reaper.ATTEMPTS)
    await reaper.reap({})
    stored = await conversations.result(ada, run_id)
    assert (stored.status, stored.error_code) == ("error", "worker_died")
    assert [part["text"] for part in stored.parts if part["type"] == "text"] == ["One thing first."]
    (asked,) = [part for part in stored.parts if part["type"] == "tool-askQuestion"]
    assert asked["input"] == QUESTION
    assert stored.parts == parts.fold(await streams.read(run_id))["parts"]
    ((known, tokens),) = world.sql("SELECT model_messages, input_tokens FROM messages WHERE role = 'assistant'")
    assert tokens == 700
    assert "askQuestion" in str(known)
    assert (await usage.of_message(ada, turn.assistant.id)).tokens == 1000


async def test_an_answer_that_goes_on_counts_as_a_question_of_that_minute(world: World) -> None:
    """The same refusal, and nothing is lost by it; one of several that are open starts nothing. # 002-05, 000-68"""
    world.change(requests_per_minute=2)
    ada, given = await person("ada"), {"selectedOptions": ["a"]}
    _, turn = await _waiting(ada, {**PARTS[2], "toolCallId": "call_1"})
    await end((await conversations.ask(ada, await chats.new(ada), "Pears?")).assistant.run_id)
    assert not (await conversations.answer(ada, turn.assistant.id, "call_0", given)).assistant.unfinished
    with pytest.raises(errors.RateLimited, match=r"2 questions a minute") as refused:
        await conversations.answer(ada, turn.assistant.id, "call_1", given)
    assert 50 < refused.value.resets_in_seconds <= 60
    stored = await conversations.result(ada, run_of(turn))
    assert (stored.status, set(stored.answers)) == ("waiting", {"call_0"})
    world.change(requests_per_minute=3)
    assert (await conversations.answer(ada, turn.assistant.id, "call_1", given)).assistant.unfinished
    with pytest.raises(errors.RateLimited):
        await conversations.ask(ada, await chats.new(ada), "Plums?")
