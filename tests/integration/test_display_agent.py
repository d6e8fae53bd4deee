"""The display tools and the to-do list as the agent uses them, with a model that follows a script."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import openai
import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from leaf import config, errors
from leaf.agent import agents
from leaf.agent.deps import Deps, PagePreviews
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.services.files import ChatFiles
from tests.integration.drive_google import Kept, NoGrant
from tests.integration.test_sandbox_model_wire import serve

ADDRESS = "https://orchard.example/apples"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


@dataclass
class Scripted:
    """Leaf's agent with a model that does what the question says."""

    model: OpenAIChatModel

    async def run(
        self,
        *steps: Any,
        preview: PagePreviews | None = None,
        history: list[ModelMessage] | None = None,
        mode: Mode = Mode.QUICK,
    ) -> list[ToolReturnPart]:
        """The outputs of the tools."""
        deps = Deps(uuid4(), uuid4(), NoGrant(), Kept(), ChatFiles(Actor.system(), uuid4()), mode=mode, preview=preview)
        result = await agents.build().run(
            f"```json\n{json.dumps(steps)}\n```",
            model=self.model,
            deps=deps,
            message_history=history,
            usage_limits=UsageLimits(request_limit=20),
        )
        requests = [message for message in result.new_messages() if isinstance(message, ModelRequest)]
        return [part for request in requests for part in request.parts if isinstance(part, ToolReturnPart)]


@pytest.fixture
async def scripted(base: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scripted]:
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    async with openai.AsyncOpenAI(base_url=f"{base}/openai/v1", api_key="any", max_retries=0) as client:
        yield Scripted(OpenAIChatModel("sandbox-script", provider=OpenAIProvider(openai_client=client)))


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


async def test_every_display_tool_gives_back_what_it_was_given(scripted: Scripted):
    """# 002-19 002-20 002-21 002-22 002-23"""
    plan = {"title": "Plant", "steps": [{"label": "Dig", "status": "completed"}, {"label": "Water"}]}
    columns = [{"key": "sort", "label": "Sort"}, {"key": "kg", "label": "kg", "type": "number", "align": "right"}]
    table = {"title": "Apples", "columns": columns, "rows": [{"sort": "Boskoop", "kg": 12.5}]}
    source = {"title": "Apples", "url": ADDRESS}
    options = [{"id": "a", "label": "Apples"}, {"id": "b", "label": "Pears"}]
    given = [
        ("displayPlan", plan),
        ("displayTable", table),
        ("displayCitations", {"items": [source]}),
        ("displayLinkPreview", source),
        ("displayOptionList", {"question": "Which?", "options": options}),
    ]
    gave = await scripted.run(*(call(name, **arguments) for name, arguments in given))
    assert [part.outcome for part in gave] == ["success"] * 5
    contents: list[Any] = [part.content for part in gave]
    assert contents[0]["steps"] == [{"label": "Dig", "status": "completed"}, {"label": "Water", "status": "pending"}]
    assert contents[1]["rows"] == table["rows"]
    assert contents[2] == {"items": [{**source, "domain": "orchard.example"}]}
    assert contents[3] == {**source, "domain": "orchard.example"}
    assert contents[4] == {"question": "Which?", "options": options, "multiple": False}


async def test_bad_input_is_sent_back_to_be_mended_and_never_ends_the_answer(scripted: Scripted):
    """Three times with the place; then the model is told to do without. # 002-20"""
    columns = [{"key": "kg", "label": "kg", "type": "number"}]
    bad = call("displayTable", title="Apples", columns=columns, rows=[{"kg": "12"}])
    good = call("displayTable", title="Apples", columns=columns, rows=[{"kg": 12}])
    gave = await scripted.run(bad, bad, bad, bad, bad, good)
    assert [part.outcome for part in gave] == ["retried"] * 3 + ["failed"] * 2 + ["success"]
    assert str(gave[0].content).partition("\n")[2].startswith("rows[0].kg: must be a number")
    assert "say it in Markdown" in str(gave[3].content)


@dataclass
class Page:
    title: str
    description: str


async def test_what_the_model_leaves_out_of_a_card_the_page_may_say(scripted: Scripted):
    """# 002-22"""
    asked: list[str] = []

    async def preview(url: str) -> Page:
        asked.append(url)
        if "missing" in url:
            raise errors.NotFound("page")
        return Page(" Apples\x00 and\npears ", "")

    gave = await scripted.run(
        call("displayLinkPreview", url=ADDRESS),
        call("displayLinkPreview", url=ADDRESS, title="Mine", description="Also mine"),
        call("displayLinkPreview", url=f"{ADDRESS}/missing"),
        preview=preview,
    )
    contents: list[Any] = [part.content for part in gave]
    assert [content["title"] for content in contents] == ["Apples and pears", "Mine", "orchard.example"]
    assert asked == [ADDRESS, f"{ADDRESS}/missing"]


async def test_todos_are_merged_by_content_over_the_calls_of_an_answer(scripted: Scripted):
    """Calls of one reply, too; and the next question begins a new list. # 002-18"""

    def write(**todos: str) -> dict[str, Any]:
        return {"name": "todoWrite", "arguments": {"todos": [{"content": k, "status": v} for k, v in todos.items()]}}

    steps = (
        {"calls": [write(Read="in_progress", Write="pending")]},
        {"calls": [write(read="completed"), write(Check="pending")]},
        {"calls": [write(Write="completed")]},
    )
    gave = await scripted.run(*steps, mode=Mode.ADAPTIVE)
    contents: list[Any] = [part.content for part in gave]
    assert [(content["completedCount"], content["totalCount"]) for content in contents] == [
        (0, 2), (1, 2), (1, 3), (2, 3)
    ]  # fmt: skip
    assert contents[-1]["todos"] == [
        {"content": "read", "status": "completed"},
        {"content": "Write", "status": "completed"},
        {"content": "Check", "status": "pending"},
    ]


async def test_a_list_that_grows_too_long_is_sent_back(scripted: Scripted):
    """# 002-18"""
    many = [{"content": f"Thing {number}", "status": "pending"} for number in range(100)]
    gave = await scripted.run(
        call("todoWrite", todos=many),
        call("todoWrite", todos=[{"content": "More", "status": "pending"}]),
        mode=Mode.ADAPTIVE,
    )
    assert [part.outcome for part in gave] == ["success", "retried"]
    assert "100 are the most" in str(gave[1].content)
