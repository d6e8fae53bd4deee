"""The tools and the thinking budget of a chat, and the instructions of a mode, as the provider log records them."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobs import respond
from leaf import errors, parts
from leaf.agent import models as agent_models
from leaf.agent import provider_log
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.services import chats, conversations, participants
from leaf.telemetry import metrics
from tests.integration.web_fixtures import World
from tests.tools_doc import in_mode


@pytest.fixture
async def actor(world: World) -> AsyncIterator[Actor]:
    url = world.sandbox.url
    world.change(
        openai_api_key="any", openai_base_url=f"{url}/openai/v1", anthropic_api_key="any",
        anthropic_base_url=f"{url}/anthropic", google_api_key="any", google_base_url=f"{url}/google",
        titles=False, related_questions=False,
    )  # fmt: skip
    async with world.browser("ada") as browser:
        yield await browser.actor()
    await agent_models.close()


async def sent(actor: Actor, chat_id: UUID | None = None, mode: Mode = Mode.QUICK) -> Any:
    """The body of the first request that a provider receives for a question."""
    chat_id = chat_id or await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "Good morning!", mode=mode)
    assert turn.assistant.run_id is not None
    with provider_log.recording() as exchanges:
        await respond.respond({}, str(turn.assistant.run_id), 1)
    return json.loads(exchanges[0].request)


async def test_a_chat_is_limited_to_chosen_tools(world: World, actor: Actor) -> None:
    """The agent gets no other tools. Without a limit it gets the tools of its mode. # 001-31"""
    world.change(model="openai-chat:sandbox")
    chat_id = await chats.new(actor)
    await chats.set_limits(actor, chat_id, chats.Limits(["search_files", "displayTable"]))
    body = await sent(actor, chat_id)
    assert {tool["function"]["name"] for tool in body["tools"]} == {"search_files", "displayTable"}
    await chats.set_limits(actor, chat_id, chats.Limits([]))
    assert not (await sent(actor, chat_id)).get("tools")
    await chats.set_limits(actor, chat_id, chats.Limits())
    body = await sent(actor, chat_id)
    assert {"read_drive_file", "write_file"} <= {tool["function"]["name"] for tool in body["tools"]}


async def test_limits_of_a_chat_are_set_over_http(world: World) -> None:
    """# 001-31, 001-32, 003-45, 003-46"""
    async with world.browser("ada") as ada:
        sent = {"title": "Lease", "metadata": {"case": 7}}
        chat = (await ada.post("/api/chats", json=sent)).json()["id"]
        limits = {"tools": ["search_files"], "thinkingTokens": 2048}
        assert (await ada.patch(f"/api/chats/{chat}", json=limits)).status_code == 204
        read = (await ada.get(f"/api/chats/{chat}")).json()
        assert read == read | limits | sent | {"usedPercent": 0}
        assert (await ada.patch(f"/api/chats/{chat}", json={"tools": None})).status_code == 204
        read = (await ada.get(f"/api/chats/{chat}")).json()
        assert (read["tools"], read["thinkingTokens"]) == (None, 2048)
        for refused in ({"thinkingTokens": 5}, {"tools": "all"}, {}, {"metadata": "text"}):
            assert (await ada.patch(f"/api/chats/{chat}", json=refused)).status_code == 400, refused
        for numbers in ([1e308] * 2000, [1e-300] * 2000, [1e308] * 53):
            refused = await ada.patch(f"/api/chats/{chat}", json={"metadata": {"numbers": numbers}})
            assert (refused.status_code, refused.json()["error"]["field"]) == (400, "metadata")
        kept = {"metadata": {"numbers": [1e308] * 50 + [1e-300] * 2, "pattern": "\\u0000"}}
        assert (await ada.patch(f"/api/chats/{chat}", json=kept)).status_code == 204
        assert (await ada.get(f"/api/chats/{chat}")).json()["metadata"] == kept["metadata"]
        for title in ("", "x" * 121):
            assert (await ada.post("/api/chats", json={"title": title})).status_code == 400
        assert (await ada.get("/api/chats")).json()["chats"] == []
        assert not await chats.set_generated_title(await ada.actor(), UUID(chat), "A written title")


async def test_a_tool_that_does_not_exist_is_refused(world: World) -> None:
    """Nothing else of the request changes either. # 001-31"""
    async with world.browser("ada") as ada:
        chat = (await ada.post("/api/chats", json={"title": "Lease"})).json()["id"]
        sent = {"title": "Rent", "pinned": True, "tools": ["search_files", "search_flies"]}
        answer = await ada.patch(f"/api/chats/{chat}", json=sent)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "tools[1]")
        read = (await ada.get(f"/api/chats/{chat}")).json()
        assert (read["title"], read["tools"]) == ("Lease", None)


async def test_every_tool_of_the_agent_may_be_chosen(world: World, tmp_path: Path) -> None:
    """# 001-31"""
    made = {tool.name for mode in Mode for tool in await in_mode(mode)}
    assert made <= parts.TOOLS == made | parts.DRIVE_TOOLS
    servers = tmp_path / "mcp.toml"
    servers.write_text('[servers.weather]\nurl = "https://example.org/mcp"\n')
    world.change(mcp_file=servers)
    assert chats.checked_tools([*made, "weather_today"]) == [*made, "weather_today"]


async def test_chats_created_over_http_are_not_reused(world: World) -> None:
    """Concurrent requests create separate chats, and so does a page. # 001-31, 003-45, 003-46"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        sent = [{"title": "Lease"}, {"title": "Rent"}, {"metadata": {"case": 7}}, {"metadata": {"case": 8}}]
        made = await asyncio.gather(*(ada.post("/api/chats", json=one) for one in sent))
        ids = [one.json()["id"] for one in made]
        empty = await chats.new(actor)
        assert len({*ids, str(empty)}) == 5
        for chat, one in zip(ids, sent, strict=True):
            read = (await ada.get(f"/api/chats/{chat}")).json()
            assert read == read | one
        assert (await ada.patch(f"/api/chats/{empty}", json={"tools": []})).status_code == 204
        other = await chats.new(actor)
        assert other != empty
        assert await chats.new(actor) == other


async def test_limits_that_are_set_concurrently_are_all_kept(world: World) -> None:
    """# 001-31, 001-32"""
    async with world.browser("ada") as ada:
        for _ in range(5):
            chat = (await ada.post("/api/chats", json={"title": "Lease"})).json()["id"]
            await asyncio.gather(
                ada.patch(f"/api/chats/{chat}", json={"tools": ["search_files"]}),
                ada.patch(f"/api/chats/{chat}", json={"thinkingTokens": 2048}),
            )
            read = (await ada.get(f"/api/chats/{chat}")).json()
            assert (read["tools"], read["thinkingTokens"]) == (["search_files"], 2048)


async def test_a_thinking_budget_is_sent_to_providers_that_support_it(world: World, actor: Actor) -> None:
    """# 001-32"""
    chat_id = await chats.new(actor)
    await chats.set_limits(actor, chat_id, chats.Limits(thinking_tokens=2048))
    world.change(model="anthropic:sandbox-reasoning")
    body = await sent(actor, chat_id)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert body["max_tokens"] > 2048
    world.change(model="google:sandbox-reasoning")
    body = await sent(actor, chat_id)
    assert body["generationConfig"]["thinkingConfig"] == {"include_thoughts": True, "thinking_budget": 2048}
    world.change(model="openai-chat:sandbox")
    body = await sent(actor, chat_id)
    assert "thinking" not in json.dumps(body)


async def test_the_modes_send_different_instructions(world: World, actor: Actor) -> None:
    """# 002-61"""
    world.change(model="openai-chat:sandbox")
    texts: list[str] = []
    for mode in Mode:
        body = await sent(actor, mode=mode)
        texts.append(json.dumps([one for one in body["messages"] if one["role"] == "system"]))
    assert "quick answer" in texts[0]
    assert "quick answer" not in texts[1]
    assert "thorough answer" in texts[1]


@pytest.mark.parametrize("counts", [True, False])
async def test_uses_of_features_are_counted_without_content(world: World, actor: Actor, counts: bool) -> None:
    """The counts can be switched off. # 002-63"""
    world.change(feature_counts=counts)
    sample = ("leaf_features_total", (("feature", "search"),))
    before = metrics.samples().get(sample, 0)
    await chats.search(actor, "a secret word")
    assert metrics.samples().get(sample, 0) - before == int(counts)
    assert "secret" not in str(metrics.samples())


async def test_a_use_is_counted_once_and_a_refused_one_never(world: World) -> None:
    """Of everything that is counted, with chats that do not exist, are another member's, or are empty. # 002-63"""
    async with world.browser("ada") as ada, world.browser("ben") as ben:
        chat = (await ada.post("/api/chats", json={"title": "Lease"})).json()["id"]
        turn = await conversations.ask(await ada.actor(), UUID(chat), "Good morning!")
        await respond.respond({}, str(turn.assistant.run_id), 1)
        fork = {"messageId": str(turn.assistant.id)}
        before = uses()
        for browser, other in ((ada, str(uuid4())), (ben, chat)):
            for suffix in ("md", "json", "zip"):
                assert (await browser.get(f"/api/chats/{other}/export.{suffix}")).status_code == 404
            assert (await browser.post(f"/api/chats/{other}/share", json={})).status_code == 404
            assert (await browser.post(f"/api/chats/{other}/fork", json=fork)).status_code == 404
            with pytest.raises(errors.NotFound):
                await participants.invite(await browser.actor(), UUID(other), "eve@example.com")
        with pytest.raises(errors.Invalid):
            await participants.invite(await ada.actor(), UUID(chat), "no address")
        await ada.get("/api/search", params={"q": " ? "})
        assert uses() == before
        assert (await ada.get(f"/api/chats/{chat}/export.zip")).status_code == 200
        assert (await ada.get("/api/account/export")).status_code == 200
        assert (await ada.post(f"/api/chats/{chat}/share", json={})).status_code == 201
        assert (await ada.post(f"/api/chats/{chat}/fork", json=fork)).status_code == 201
        for _ in range(2):
            await participants.invite(await ada.actor(), UUID(chat), "eve@example.com")
        assert uses() - before == Counter({"export": 2, "share": 1, "fork": 1, "invite": 1})


def uses() -> Counter[str]:
    """The counted uses of each feature."""
    counted = ((name, dict(labels), value) for (name, labels), value in metrics.samples().items())
    return Counter({labels["feature"]: int(value) for name, labels, value in counted if name == "leaf_features_total"})
