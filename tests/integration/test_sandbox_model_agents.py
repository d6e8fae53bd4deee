"""The Sandbox model as pydantic-ai sees it, through each of the three protocols."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anthropic
import httpx
import openai
import pytest
from pydantic_ai import Agent, FunctionToolset, ToolFailed, UsageLimitExceeded, UsageLimits
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from tests.integration.test_sandbox_model_wire import serve

LEASE = (
    "The keys are handed over after signing.\n\nThe lease was signed on 3 March 2025 by Maria Keller and Jonas Weber."
)
LEASE_FILE = {"id": "lease", "name": "Lease.txt", "kind": "text", "url": "https://drive.google.com/file/d/lease/view"}
PLAN_FILE = {"id": "plan", "name": "Plan.txt", "kind": "text", "url": "https://drive.google.com/file/d/plan/view"}
FOLDER = "https://drive.google.com/drive/folders/office"
PROTOCOLS = ("chat", "responses", "anthropic")

MakeModel = Callable[..., Model]
Deltas = list[TextPartDelta | ToolCallPartDelta]


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def model(base: str, protocol: str) -> AsyncIterator[MakeModel]:
    """Makes models that ask through the protocol; their connections are closed at the end."""
    async with (
        anthropic.AsyncAnthropic(base_url=f"{base}/anthropic", api_key="any", max_retries=0) as claude,
        openai.AsyncOpenAI(base_url=f"{base}/openai/v1", api_key="any", max_retries=0) as chat,
    ):

        def make(name: str = "sandbox") -> Model:
            if protocol == "anthropic":
                return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=claude))
            kind = OpenAIChatModel if protocol == "chat" else OpenAIResponsesModel
            return kind(name, provider=OpenAIProvider(openai_client=chat))

        yield make


def drive() -> FunctionToolset[None]:
    tools = FunctionToolset[None]()

    @tools.tool_plain
    def list_drive_folder(folder: str) -> dict[str, Any]:
        files = [LEASE_FILE, PLAN_FILE]
        about = {"id": "office", "name": "Office", "url": folder}
        return {"folder": about, "files": files, "total": 2, "partial": False, "note": None}

    @tools.tool_plain
    def search_files(queries: list[str], folder: str | None = None) -> dict[str, Any]:
        files = [LEASE_FILE] if "lease" in " ".join(queries).lower() else []
        return {"queries": queries, "files": files, "partial": False, "note": None}

    @tools.tool_plain
    def read_drive_file(file: str, part: str | None = None) -> dict[str, Any]:
        about, text = (LEASE_FILE, LEASE) if "lease" in file else (PLAN_FILE, "Desks arrive in May.")
        return {"file": about, "part": "all", "outline": None, "content": text, "complete": True, "note": None}

    return tools


async def run(agent: Agent[None, str], prompt: str, history: list[ModelMessage] | None = None) -> tuple[Any, Deltas]:
    """The result of a streamed run, and its deltas."""
    deltas: Deltas = []
    async with agent.iter(prompt, message_history=history) as steps:
        async for node in steps:
            if Agent.is_model_request_node(node):
                async with node.stream(steps.ctx) as stream:
                    async for event in stream:
                        if isinstance(event, PartDeltaEvent) and isinstance(
                            event.delta, TextPartDelta | ToolCallPartDelta
                        ):
                            deltas.append(event.delta)
    return steps.result, deltas


def responses(messages: list[ModelMessage]) -> list[ModelResponse]:
    return [message for message in messages if isinstance(message, ModelResponse)]


async def test_a_folder_is_listed_read_and_quoted_in_three_requests(model: MakeModel):
    """# 000-26"""
    agent = Agent(model(), toolsets=[drive()])
    result, deltas = await run(agent, f"Who signed the lease? {FOLDER}")
    made = responses(result.all_messages())
    calls = [[part for part in response.parts if isinstance(part, ToolCallPart)] for response in made]
    assert [[call.tool_name for call in step] for step in calls] == [["list_drive_folder"], ["read_drive_file"], []]
    assert calls[0][0].args_as_dict() == {"folder": FOLDER}
    assert made[0].text == "I'll open the folder that you linked. "
    assert "> The lease was signed on 3 March 2025 by Maria Keller and Jonas Weber." in result.output
    assert "[Lease.txt](https://drive.google.com/file/d/lease/view)" in result.output
    assert sum(isinstance(delta, ToolCallPartDelta) for delta in deltas) > 4
    assert sum(isinstance(delta, TextPartDelta) for delta in deltas) > 20
    assert result.usage.requests == 3
    assert result.usage.input_tokens > result.usage.output_tokens > 30


async def test_a_run_without_streaming_gives_the_same_answer(model: MakeModel):
    agent = Agent(model(), toolsets=[drive()])
    result = await agent.run("Who signed the lease?")
    streamed, _ = await run(agent, "Who signed the lease?")
    assert result.output == streamed.output
    assert "Maria Keller" in result.output


async def test_what_is_cached_and_thought_is_reported_and_logged(model: MakeModel, base: str, protocol: str):
    """Anthropic keeps what it is asked to keep, and bills that, too. # 001-22"""
    settings = AnthropicModelSettings(anthropic_cache=True) if protocol == "anthropic" else None
    agent = Agent(model("sandbox-reasoning"), toolsets=[drive()], model_settings=settings)
    async with httpx.AsyncClient(base_url=base, trust_env=False) as http:
        await http.delete("/sandbox/model/requests")
        result, _ = await run(agent, f"Who signed the lease? {FOLDER}")
        logged = [entry["usage"] for entry in (await http.get("/sandbox/model/requests")).json()]
    told = {name: sum(usage[name] for usage in logged) for name in logged[0]}
    used = result.usage
    assert told == {
        "input": used.input_tokens,
        "output": used.output_tokens,
        "cache_read": used.cache_read_tokens,
        "cache_write": used.cache_write_tokens,
        "reasoning": used.output_reasoning_tokens,
    }
    assert used.input_tokens > used.cache_read_tokens > 0
    assert (used.cache_write_tokens > 0) == (protocol == "anthropic")
    assert used.output_tokens > used.output_reasoning_tokens > 0


async def test_several_links_are_read_in_one_step(model: MakeModel):
    agent = Agent(model(), toolsets=[drive()])
    result, _ = await run(agent, f"When do desks arrive? {LEASE_FILE['url']} {PLAN_FILE['url']}")
    first = responses(result.all_messages())[0]
    assert [part.args_as_dict()["file"] for part in first.parts if isinstance(part, ToolCallPart)] == [
        LEASE_FILE["url"],
        PLAN_FILE["url"],
    ]
    assert "Desks arrive in May." in result.output


async def test_a_second_turn_uses_the_first(model: MakeModel):
    agent = Agent(model(), toolsets=[drive()])
    first, _ = await run(agent, f"What is in this folder? {FOLDER}")
    assert "- [Plan.txt](" in first.output
    second, _ = await run(agent, "And when do the desks of the plan arrive?", first.all_messages())
    assert "Desks arrive in May." in second.output
    opened = [part for part in responses(second.new_messages())[0].parts if isinstance(part, ToolCallPart)]
    assert [part.args_as_dict() for part in opened] == [{"file": PLAN_FILE["url"]}]


async def test_a_drive_that_is_not_connected_is_told(model: MakeModel):
    """# 000-47"""

    def search_files(queries: list[str]) -> dict[str, Any]:
        raise ToolFailed(
            "Google Drive is not connected. Connect it in Settings → Integrations (/settings/integrations)."
        )

    agent = Agent(model(), tools=[search_files])
    result, _ = await run(agent, "Who signed the lease?")
    assert "I cannot look into your Drive" in result.output
    assert "[Settings → Integrations](/settings/integrations)" in result.output
    assert result.usage.requests == 2


async def test_reasoning_becomes_a_thinking_part_and_can_be_sent_back(model: MakeModel):
    agent = Agent(model("sandbox-reasoning"), toolsets=[drive()])
    result, _ = await run(agent, "Who signed the lease?")
    for response in responses(result.all_messages()):
        thoughts = [part for part in response.parts if isinstance(part, ThinkingPart)]
        assert len(thoughts) == 1
        assert "I only quote" in thoughts[0].content
    assert result.usage.requests == 3


async def test_the_loop_runs_into_the_step_limit(model: MakeModel):
    agent = Agent(model("sandbox-loop"), toolsets=[drive()])
    with pytest.raises(UsageLimitExceeded):
        await agent.run("Who signed the lease?", usage_limits=UsageLimits(request_limit=5))


async def test_the_log_names_the_protocol(base: str, protocol: str, model: MakeModel):
    async with httpx.AsyncClient(base_url=base) as plain:
        await plain.delete("/sandbox/model/requests")
        await Agent(model()).run("hello")
        entry = (await plain.get("/sandbox/model/requests")).json()[0]
    names = {"chat": "openai-chat", "responses": "openai-responses", "anthropic": "anthropic"}
    assert entry["protocol"] == names[protocol]
    assert entry["tools"] == []
