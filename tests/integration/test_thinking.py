"""Thinking: streamed as it comes, kept, and sent back only where it belongs."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobs import respond
from leaf import parts, streams
from leaf.agent import models as agent_models
from leaf.db import Actor
from leaf.services import chats, conversations
from tests.integration.web_fixtures import World

PROVIDERS = {
    "sandbox": "sandbox:sandbox-reasoning",
    "openai-responses": "openai:sandbox-reasoning",
    "openai-chat": "openai-chat:sandbox-reasoning",
    "anthropic": "anthropic:sandbox-reasoning",
    "google": "google:sandbox-reasoning",
}


@pytest.fixture
async def actor(world: World) -> AsyncIterator[Actor]:
    url = world.sandbox.url
    world.change(
        openai_api_key="any", openai_base_url=f"{url}/openai/v1", anthropic_api_key="any",
        anthropic_base_url=f"{url}/anthropic", google_api_key="any", google_base_url=f"{url}/google",
    )  # fmt: skip
    async with world.browser() as browser:
        await browser.sign_in("ada")
        await browser.connect("ada")
        yield await browser.actor()
    await agent_models.close()


async def _ask(world: World, actor: Actor, model: str, chat_id: UUID, text: str) -> chats.Message:
    world.change(model=model)
    turn = await conversations.ask(actor, chat_id, text)
    assert turn.assistant.run_id is not None
    await respond.respond({}, str(turn.assistant.run_id), 1)
    return await conversations.result(actor, turn.assistant.run_id)


def _thinking(model_messages: list[dict[str, Any]]) -> list[str]:
    return [p["content"] for m in model_messages for p in m["parts"] if p["part_kind"] == "thinking"]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_thinking_streams_before_the_text_and_is_kept(world: World, actor: Actor, provider: str) -> None:
    """And the next question of the same chat is taken by the provider's own rules. # 001-15, 002-30"""
    chat_id = await chats.new(actor)
    answer = await _ask(world, actor, PROVIDERS[provider], chat_id, "What does the cold store lease say?")
    assert answer.status == "completed", answer.error_text
    assert answer.run_id is not None
    kinds = [chunk["type"] for chunk in await streams.read(answer.run_id)]
    assert kinds.index("reasoning-start") < kinds.index("reasoning-delta") < kinds.index("reasoning-end")
    assert kinds.index("reasoning-end") < kinds.index("text-start")
    assert kinds.count("reasoning-delta") > kinds.count("reasoning-start")
    thought = [part for part in answer.parts if part["type"] == "reasoning"]
    assert thought
    assert all(part["state"] == "done" and part["text"] for part in thought)
    assert any(parts.is_tool(part) for part in answer.parts)
    kept = world.sql("SELECT model_messages FROM messages WHERE workflow_run_id = %s", answer.run_id)[0][0]
    assert _thinking(kept)
    again = await _ask(world, actor, PROVIDERS[provider], chat_id, "And who signed it?")
    assert again.status == "completed", again.error_text


async def test_one_chat_goes_round_all_providers(world: World, actor: Actor) -> None:
    """Each takes what the others have said, with their tools, and none of their thinking. # 003-01, 002-30"""
    chat_id = await chats.new(actor)
    for number, model in enumerate([*PROVIDERS.values(), *reversed(PROVIDERS.values())]):
        question = ("What does the cold store lease say?", "hello")[number % 2]
        answer = await _ask(world, actor, model, chat_id, question)
        assert answer.status == "completed", (model, answer.error_text)


@pytest.mark.parametrize(
    ("setting", "asked"), [("default", None), ("off", False), ("low", "low"), ("medium", "medium"), ("high", "high")]
)
async def test_how_much_a_model_thinks_is_a_setting(world: World, setting: str, asked: Any) -> None:
    """# 001-15"""
    world.change(thinking=setting)
    assert agent_models.request_settings(uuid4()).get("thinking") == asked


@pytest.mark.parametrize("provider", ["openai-responses", "openai-chat", "anthropic", "google"])
async def test_what_was_sent_before_is_read_from_the_providers_cache(world: World, actor: Actor, provider: str) -> None:
    """The second request of a turn begins with the first one. # 002-29"""
    chat_id = await chats.new(actor)
    model = PROVIDERS[provider].replace("-reasoning", "")
    await _ask(world, actor, model, chat_id, "What does the cold store lease say? " + "Tell it all. " * 400)
    again = await _ask(world, actor, model, chat_id, "hello")
    query = "SELECT cache_read_tokens, input_tokens FROM messages WHERE workflow_run_id = %s"
    ((read, sent),) = world.sql(query, again.run_id)
    assert 1024 < read < sent
