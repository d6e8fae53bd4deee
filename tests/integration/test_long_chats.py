"""Chats that have outgrown their model: the worker answers, a summary is kept and shown, and nothing fails."""

import asyncio
from contextlib import aclosing
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from jobs import respond
from jobs.run import turns
from jobs.run import usage as run_usage
from leaf import redis, streams
from leaf.agent import models as agent_models
from leaf.agent.context.window import context_tokens
from leaf.config.catalog import Mode
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, MessageStatus
from leaf.services import chats, conversations, readers, usage
from tests.integration.web_fixtures import World
from tests.run_reader import batches
from tests.summaries import stored_summaries

SCRIPT = "sandbox:sandbox-script"
WORDS = "the cold store and its lease in Riverbend "


@pytest.fixture
async def actor(world: World) -> Any:
    async with world.browser("ada") as browser:
        yield await browser.actor()
    await agent_models.close()


async def _chat_of(actor: Actor, count: int) -> UUID:
    """A chat with so many finished turns."""
    chat_id = await chats.new(actor)
    before: UUID | None = None
    async with transaction(actor) as tx:
        for number in range(count):
            asked = f"Question {number}: what about {WORDS}?"
            said = f"Answer {number}: {WORDS * 6}"
            messages: list[ModelMessage] = [
                ModelRequest(parts=[UserPromptPart(asked)]),
                ModelResponse(parts=[TextPart(said)]),
            ]
            question = models.Message(
                chat_session_id=chat_id, parent_id=before, role=MessageRole.USER, user_id=actor.user_id,
                parts=[{"type": "text", "text": asked}],
            )  # fmt: skip
            answer = models.Message(
                chat_session_id=chat_id, parent_id=question.id, role=MessageRole.ASSISTANT, user_id=actor.user_id,
                workflow_run_id=uuid4(), status=MessageStatus.COMPLETED, parts=[{"type": "text", "text": said}],
                model="sandbox:sandbox", model_messages=turns.to_python(messages),
            )  # fmt: skip
            tx.session.add_all([question, answer])
            await tx.session.flush()
            before = answer.id
    return chat_id


async def _answer(turn: conversations.Turn, actor: Actor) -> chats.Message:
    """The answer of a turn, written by the worker's own job in this process."""
    assert turn.assistant.run_id is not None
    await respond.respond({}, str(turn.assistant.run_id), 1)
    return await conversations.result(actor, turn.assistant.run_id)


def _model_requests(world: World) -> list[dict[str, Any]]:
    return world.http.get("/sandbox/model/requests").json()


def _forget_requests(world: World) -> None:
    world.http.delete("/sandbox/model/requests").raise_for_status()


def _spoken(text: str) -> str:
    return f'```json\n[{{"text": "{text}"}}]\n```'


async def test_a_chat_of_three_hundred_turns_answers_and_says_that_it_was_summarised(
    world: World, actor: Actor
) -> None:
    """Once: the summary serves the next questions, and covers no answer that is written again. # 001-18, 003-33"""
    world.change(model=SCRIPT, context_tokens=9000)
    chat_id = await _chat_of(actor, 300)
    _forget_requests(world)
    answer = await _answer(await conversations.ask(actor, chat_id, _spoken("The first.")), actor)
    assert (answer.status, answer.parts[-1]["text"]) == ("completed", "The first.")
    assert len(_model_requests(world)) == 2
    chat = await chats.open(actor, chat_id)
    assert chat.summary is not None
    covered = [message.id for message in chat.messages].index(chat.summary.message_id)
    assert 400 < covered < 601
    assert chat.messages[covered].role == "assistant"
    assert "Question" in chat.summary.text
    (spent,) = await stored_summaries(actor, chat_id)
    assert spent.message_id == chat.summary.message_id
    assert spent.input_tokens > 0
    assert (spent.model, spent.cost_usd) == (SCRIPT, 0)
    entered = (await usage.report(actor)).purposes
    assert dict(entered)["summary"].input_tokens == spent.input_tokens, "it counts toward budgets"
    assert (await chats.open(actor, chat_id, known=chat)).summary is chat.summary

    _forget_requests(world)
    second = await _answer(await conversations.ask(actor, chat_id, _spoken("The second.")), actor)
    again = await _answer(await conversations.retry(actor, second.id), actor)
    assert (again.status, again.parts[-1]["text"]) == ("completed", "The second.")
    first_asked, second_asked = _model_requests(world)
    assert first_asked["messages"] == second_asked["messages"] == 607 - covered
    assert (await chats.open(actor, chat_id)).summary == chat.summary
    assert world.count("chat_summaries") == 1
    await chats.delete(actor, chat_id)
    assert await chats.purge(timedelta(0)) == 1
    assert world.count("chat_summaries") == 0


async def test_what_the_chat_keeps_stays_whole(world: World, actor: Actor) -> None:
    """Another model, with more room, is sent everything that no summary covers. # 002-29"""
    world.change(model=SCRIPT, context_tokens=9000)
    chat_id = await _chat_of(actor, 30)
    question = _spoken("Done.")
    before = world.sql("SELECT model_messages FROM messages WHERE chat_session_id = %s ORDER BY position", chat_id)
    await _answer(await conversations.ask(actor, chat_id, question), actor)
    after = world.sql("SELECT model_messages FROM messages WHERE chat_session_id = %s ORDER BY position", chat_id)
    assert after[: len(before)] == before


async def test_a_provider_that_takes_less_than_is_known_is_asked_again_with_less(world: World, actor: Actor) -> None:
    """`sandbox-narrow` refuses what its facts promise. # 002-29"""
    world.change(model="sandbox:sandbox-narrow")
    assert context_tokens("sandbox:sandbox-narrow") > 50_000
    chat_id = await _chat_of(actor, 60)
    _forget_requests(world)
    answer = await _answer(await conversations.ask(actor, chat_id, "hello"), actor)
    assert answer.status == "completed", answer.error_text
    statuses = [request["status"] for request in _model_requests(world)]
    assert statuses[0] == 400
    assert statuses[-1] == 200


async def test_a_question_longer_than_the_window_is_answered(world: World, actor: Actor) -> None:
    """# 002-29"""
    world.change(model="sandbox:sandbox", context_tokens=6000)
    chat_id = await chats.new(actor)
    answer = await _answer(await conversations.ask(actor, chat_id, "hello " * 5000), actor)
    assert answer.status == "completed", answer.error_text


async def test_a_summary_that_the_model_fails_to_write_is_made_without_it(world: World, actor: Actor) -> None:
    """The answer then fails for its own reasons alone. # 003-33"""
    world.change(model="sandbox:sandbox-fail", context_tokens=9000)
    chat_id = await _chat_of(actor, 80)
    answer = await _answer(await conversations.ask(actor, chat_id, "hello"), actor)
    assert (answer.status, answer.error_code) == ("error", "model_unavailable")
    chat = await chats.open(actor, chat_id)
    assert chat.summary is not None
    assert "User: Question 0: what about the cold store" in chat.summary.text
    (spent,) = await stored_summaries(actor, chat_id)
    assert (spent.model, spent.input_tokens) == (None, 0)
    world.change(model=SCRIPT, context_tokens=9000)
    again = await _answer(await conversations.retry(actor, answer.id), actor)
    assert again.status == "completed"
    assert (await chats.open(actor, chat_id)).summary == chat.summary


async def test_whoever_takes_a_run_over_counts_what_the_one_before_has_spent(
    world: World, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its summaries, and the replies that broke off, of which nothing stands in the turn. # 000-27, 003-33"""
    world.change(model=f"{SCRIPT}-6", context_tokens=9000)
    chat_id = await _chat_of(actor, 80)
    turn = await conversations.ask(actor, chat_id, _spoken("This is said so slowly that somebody can die in it. " * 30))
    run_id = turn.assistant.run_id
    assert run_id is not None
    counted: list[tuple[list[int], list[Any]]] = []

    count = run_usage.for_limits

    def noted(task: Any, messages: Any, given_up: Any = (), made: Any = ()) -> Any:
        counted.append(([one.input_tokens for one in made], [one.text for one in given_up]))
        return count(task, messages, given_up, made)

    monkeypatch.setattr(run_usage, "for_limits", noted)
    first = asyncio.create_task(respond.respond({}, str(run_id), 1))
    async with asyncio.timeout(60), aclosing(batches(run_id, readers.member(actor))) as found:
        async for batch in found:
            if any(chunk["type"] == "text-delta" for chunk in batch):
                break
    lease = streams.keys(run_id).lease
    token = await redis.client().get(lease)
    broke_off = ModelResponse(parts=[TextPart("I begin")])
    await streams.Writer(run_id, token.decode()).keep_result(":given-up", turns.to_json([broke_off]))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await respond.respond({}, str(run_id), 2)
    assert (await conversations.result(actor, run_id)).status == "completed"
    (spent,) = await stored_summaries(actor, chat_id)
    assert spent.input_tokens > 0
    assert counted[0] == ([], [])
    assert counted[-1] == ([spent.input_tokens], ["I begin"])


async def test_a_long_file_read_in_pieces_is_read_to_its_end(world: World, actor: Actor) -> None:
    """Each step stays within the window, and the model still has the newest piece. # 002-29"""
    world.change(model=SCRIPT, context_tokens=15_000, step_limit=40)
    chat_id = await chats.new(actor)
    text = "A line of the long file that is read in pieces.\\n" * 200
    steps = [
        f'{{"text": "", "calls": [{{"name": "write_file", "arguments": {{"path": "a.md", "content": "{text}"}}}}]}}'
    ]
    steps += ['{"text": "", "calls": [{"name": "read_file", "arguments": {"path": "a.md"}}]}'] * 20
    script = f'```json\n[{", ".join(steps)}, {{"text": "Read."}}]\n```'
    _forget_requests(world)
    answer = await _answer(await conversations.ask(actor, chat_id, script, mode=Mode.ADAPTIVE), actor)
    said = [part["text"] for part in answer.parts if part["type"] == "text"]
    assert (answer.status, said[-1:]) == ("completed", ["Read."]), answer.error_text
    outputs = [part["output"] for part in answer.parts if part["type"] == "tool-read_file"]
    assert len(outputs) == 20
    assert all(len(output["text"]) > 9000 for output in outputs)
    assert [request["status"] for request in _model_requests(world)] == [200] * 22
