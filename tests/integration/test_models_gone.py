"""Models that could be asked when an answer began to wait, and cannot when it goes on."""

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
from pydantic_ai.models.fallback import FallbackModel

from jobs import respond
from leaf import parts, streams
from leaf.agent import models as agent_models
from leaf.db import Actor
from leaf.services import chats, conversations, runs, usage
from leaf.views import amounts
from tests.integration.web_fixtures import World

QUESTION = {"question": "Which?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}
STEPS = [{"calls": [{"name": "askQuestion", "arguments": QUESTION}]}, {"text": "Done."}]


@pytest.fixture
async def actor(world: World) -> AsyncIterator[Actor]:
    async with world.browser() as browser:
        await browser.sign_in("ada")
        yield await browser.actor()
    await agent_models.close()


async def _goes_on(world: World, actor: Actor, **settings: Any) -> tuple[conversations.Turn, chats.Message]:
    """An answer of OpenAI's that waited, and went on when there was no key any more."""
    world.change(
        openai_api_key="any", openai_base_url=f"{world.sandbox.url}/openai/v1", model="openai:sandbox-script",
        titles=False, related_questions=False,
    )  # fmt: skip
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, f"```json\n{json.dumps(STEPS)}\n```")
    await respond.respond({}, str(turn.assistant.run_id), 1)
    waiting = (await chats.open(actor, chat_id)).messages[-1]
    assert waiting.status == "waiting", waiting.error_text
    (call,) = [part for part in waiting.parts if part["type"] == "tool-askQuestion"]
    world.change(openai_api_key="", **settings)
    assert (
        await conversations.answer(actor, waiting.id, call["toolCallId"], {"selectedOptions": ["b"]})
    ).assistant.unfinished
    run_id = (await chats.open(actor, chat_id)).messages[-1].run_id
    await respond.respond({}, str(run_id), 1)
    return turn, (await chats.open(actor, chat_id)).messages[-1]


def _run(message: chats.Message) -> UUID:
    assert message.run_id is not None
    return message.run_id


async def test_an_answer_whose_model_is_gone_goes_on_with_the_next_one_and_says_so(world: World, actor: Actor) -> None:
    """In what is stored, in the stream from its first chunk on, in the ledger, and where it is shown. # 002-17"""
    turn, whole = await _goes_on(world, actor, model="sandbox:sandbox-script")
    assert (whole.id, whole.status, whole.error_text) == (turn.assistant.id, "completed", None)
    assert [part["text"] for part in whole.parts if part["type"] == "text"] == ["Done."]
    assert whole.details["modelId"] == "sandbox:sandbox-script"
    assert whole.details["earlierModelIds"] == ["openai:sandbox-script"]
    assert whole.model_label == "Sandbox model (script)"
    chunks = await streams.read(_run(whole))
    assert chunks[0]["messageMetadata"]["modelId"] == "sandbox:sandbox-script"
    assert parts.fold(chunks)["parts"] == whole.parts
    entries = await usage.of_runs(actor, runs.runs_of(whole))
    assert [(purpose, model) for purpose, model, _ in entries] == [
        ("answer", "openai:sandbox-script"), ("answer", "sandbox:sandbox-script"),
    ]  # fmt: skip
    assert "sandbox-script" in amounts.of_answer(entries, whole.details["earlierModelIds"]).note


async def test_with_no_model_at_all_the_answer_ends_with_words(world: World, actor: Actor) -> None:
    """# 002-17"""
    turn = await conversations.ask(actor, await chats.new(actor), "Apples?")
    _, whole = await _goes_on(world, actor)
    assert whole.status == "error"
    assert "no longer available: OPENAI_API_KEY is not set" in (whole.error_text or "")
    assert "askQuestion" in str(world.sql("SELECT model_messages FROM messages WHERE id = %s", whole.id))
    world.sql("UPDATE messages SET model = 'openai:sandbox' WHERE id = %s", turn.assistant.id)
    await respond.respond({}, str(turn.assistant.run_id), 1)
    stored = await conversations.result(actor, _run(turn.assistant))
    assert "no longer available" in (stored.error_text or "")
    assert "Apples?" in str(world.sql("SELECT model_messages FROM messages WHERE id = %s", stored.id))


async def test_behind_a_fallback_that_was_asked_for_stands_the_usual_model(world: World, actor: Actor) -> None:
    """# 002-54"""
    world.change(
        openai_api_key="any", anthropic_api_key="any", model="sandbox:sandbox",
        fallbacks="openai:one,anthropic:two",
    )  # fmt: skip
    for asked, names in {
        "sandbox:sandbox": ["sandbox", "one", "two"],
        "anthropic:two": ["two", "sandbox", "one"],
        "openai:other": ["other", "one", "two"],
    }.items():
        chain = agent_models.chain(asked)
        assert isinstance(chain, FallbackModel)
        assert [model.model_name for model in chain.models] == names
