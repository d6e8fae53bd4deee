"""The agent that answers visitors: what its model is told and offered, and how it is asked."""

import time
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from leaf import audiences, config
from leaf.agent import agents, models, site_agent
from leaf.sites import Injection, SiteAgent, SiteChat
from tests.integration.test_approval import _deps


def _agent(**more: Any) -> SiteAgent:
    return SiteAgent(uuid4(), uuid4(), "Help", "You sell apples.", **more)


async def _asked(site: SiteChat, monkeypatch: pytest.MonkeyPatch) -> AgentInfo:
    """The request to a model."""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    seen: list[AgentInfo] = []

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        return ModelResponse(parts=[TextPart("Apples.")])

    settings = site_agent.settings(site, models.request_settings(uuid4()))
    agent = site_agent.agent_for(audiences.SITE_VISITOR)
    await agent.run("Hello?", model=FunctionModel(answer), deps=_deps(site=site), model_settings=settings)
    return seen[0]


async def test_it_is_told_its_sites_prompt_and_nothing_of_leafs(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 003-05, 003-29"""
    agent = _agent(injection=Injection.of({"locale": True}), temperature=0.25)
    info = await _asked(SiteChat(agent, {"locale": "de", "pageUrl": "https://shop.example/7"}), monkeypatch)
    assert info.instructions is not None
    assert "You sell apples." in info.instructions
    assert '- locale: "de"' in info.instructions
    for absent in ("Drive", "shop.example", "asker_settings", agents.INSTRUCTIONS[:40]):
        assert absent not in info.instructions
    assert info.function_tools == []
    assert info.model_settings is not None
    assert info.model_settings.get("temperature") == 0.25


async def test_it_is_offered_the_tools_that_its_site_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of these only what is safe for the public. # 003-05"""
    row = {
        "id": str(uuid4()), "tenant_id": str(uuid4()), "name": "Help", "system_prompt": "", "model": None,
        "temperature": None, "tools": ["fetch", "read_drive_file", "write_file"], "output_schema": None,
        "context_injection": {}, "origins": [], "identity": "any", "welcome": "", "suggestions": [], "look": {},
        "visitor_daily": 1, "agent_daily": 1, "paused": False,
    }  # fmt: skip
    info = await _asked(SiteChat(SiteAgent.of(row)), monkeypatch)
    assert [tool.name for tool in info.function_tools] == ["fetch"]


async def test_an_answer_fits_the_schema_or_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 003-05"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    schema = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
    replies = ["It costs 2.", '{"price": "2"}', '{"price": 2}']
    told: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        told.append(f"{info.instructions} {messages[-1]}")
        return ModelResponse(parts=[TextPart(replies[len(told) - 1])])

    site = SiteChat(_agent(output_schema=schema))
    result = await site_agent.build().run("How much?", model=FunctionModel(answer), deps=_deps(site=site))
    assert result.output == '{"price": 2}'
    assert '"required": ["price"]' in told[0]
    assert "is not one JSON object" in told[1]
    assert "does not fit the schema: price: '2' is not of type 'number'" in told[2]


async def test_no_answer_holds_up_the_worker_by_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal items are found in linear time, and JSON that is nested too deep is asked for again. # 003-05"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    items = ",".join(f'{{"a":{number}}}' for number in range(3000))
    replies = ["[" * 5000, f'{{"list": [{items}]}}']
    asked: list[ModelMessage] = []

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        asked.append(messages[-1])
        return ModelResponse(parts=[TextPart(replies[len(asked) - 1])])

    site = SiteChat(_agent(output_schema={"type": "object", "properties": {"list": {"uniqueItems": True}}}))
    begun = time.process_time()
    result = await site_agent.build().run("Which?", model=FunctionModel(answer), deps=_deps(site=site))
    assert time.process_time() - begun < 5
    assert result.output == replies[1]
    assert "is not one JSON object" in str(asked[1])


def test_people_are_answered_by_leaf_itself() -> None:
    assert site_agent.agent_for(audiences.MEMBER) is agents.build()
    assert site_agent.agent_for(audiences.SITE_VISITOR) is not agents.build()
