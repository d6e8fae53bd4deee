"""The agent's rights in each mode: the table of tools, what a mode forces, and how many steps an answer has."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from jobs import respond
from leaf import audiences
from leaf.agent import agents, modes
from leaf.agent import models as agent_models
from leaf.agent.deps import Deps
from leaf.config.catalog import STEPS, Mode
from leaf.db.models import Message
from leaf.parts import is_tool, tool_name
from leaf.services import chats, conversations
from tests.integration.people import person
from tests.integration.test_web_tools import deps
from tests.integration.web_fixtures import World

TABLE = {
    "search": (True, True),
    "fetch": (True, True),
    "askQuestion": (False, False),
    "displayPlan": (True, False),
    "displayTable": (True, True),
    "displayCitations": (True, True),
    "displayLinkPreview": (True, True),
    "displayOptionList": (True, True),
    "todoWrite": (False, True),
}
"""The table of the second source document: offered in quick mode, in adaptive mode."""
ALWAYS = {
    "list_drive_folder", "search_files", "read_drive_file", "compute", "compare_files",
    "list_files", "read_file", "grep", "write_file", "edit_file", "delete_file",
}  # fmt: skip
"""The models that Leaf has beside it."""
SEARCH = {"name": "search", "arguments": {"query": "hail", "type": "general"}}


def given(mode: Mode) -> Deps:
    made = deps()
    made.mode = mode
    return made


class Asked:
    """A run with a model that makes these calls, one in each step, and remembers what it was offered."""

    def __init__(self, mode: Mode, *calls: dict[str, Any], for_ever: bool = False, guest: bool = False) -> None:
        self.mode, self.calls, self.for_ever, self.guest = mode, calls, for_ever, guest
        self.offered: set[str] = set()
        self.steps = 0

    async def run(self, *, steps: int = 50) -> list[ToolReturnPart]:
        def model(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.offered = {tool.name for tool in info.function_tools}
            at, self.steps = self.steps, self.steps + 1
            if at >= len(self.calls) and not self.for_ever:
                return ModelResponse([TextPart("Done.")])
            call = self.calls[at % len(self.calls)]
            return ModelResponse([ToolCallPart(call["name"], call["arguments"])])

        result = await agents.build().run(
            "Go.",
            model=FunctionModel(model),
            deps=replace(given(self.mode), audience=audiences.GUEST if self.guest else audiences.MEMBER),
            usage_limits=UsageLimits(request_limit=steps),
        )
        return [part for message in result.new_messages() for part in message.parts if isinstance(part, ToolReturnPart)]


@pytest.mark.parametrize("mode", list(Mode))
async def test_the_tools_that_are_offered_are_those_of_the_table(world: World, mode: Mode) -> None:
    """# 002-24"""
    run = Asked(mode)
    await run.run()
    column = list(Mode).index(mode)
    assert [one.value for one in Mode] == ["quick", "adaptive"]
    assert run.offered == {tool for tool, offered in TABLE.items() if offered[column]} | ALWAYS


async def test_a_guest_is_offered_what_needs_no_account(world: World) -> None:
    """Nothing of Drive and no files: a tool that could only refuse is not offered. # 002-32"""
    run = Asked(Mode.QUICK, guest=True)
    await run.run()
    assert run.offered == {tool for tool, offered in TABLE.items() if offered[0]}


@pytest.mark.parametrize(("mode", "searched"), [(Mode.QUICK, "optimized"), (Mode.ADAPTIVE, "general")])
async def test_quick_mode_searches_optimized_whatever_the_model_passes(world: World, mode: Mode, searched: str) -> None:
    """# 002-09, 002-10"""
    gave = await Asked(mode, SEARCH).run()
    content: Any = gave[0].content
    assert (content["state"], content["type"]) == ("complete", searched)


@pytest.mark.parametrize(("mode", "tool"), [(Mode.QUICK, "todoWrite"), (Mode.ADAPTIVE, "displayPlan")])
async def test_a_tool_of_the_other_mode_does_not_run(world: World, mode: Mode, tool: str) -> None:
    """# 002-24"""
    arguments = {"todos": [{"content": "Read", "status": "pending"}], "title": "T", "steps": [{"label": "Dig"}]}
    run = Asked(mode, {"name": tool, "arguments": arguments})
    gave = await run.run()
    assert [(part.tool_name, part.outcome) for part in gave] == [(tool, "retried")]
    assert str(gave[0].content).startswith("Unknown tool name")


@pytest.mark.parametrize("mode", list(Mode))
async def test_the_step_after_the_last_one_never_starts(world: World, mode: Mode) -> None:
    """20 and 50. # 002-09, 002-10"""
    options = [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]
    show = {"name": "displayOptionList", "arguments": {"question": "Which?", "options": options}}
    run = Asked(mode, show, for_ever=True)
    with pytest.raises(UsageLimitExceeded):
        await run.run(steps=modes.steps(mode))
    assert run.steps == {Mode.QUICK: 20, Mode.ADAPTIVE: 50}[mode]


@pytest.mark.parametrize("mode", list(Mode))
async def test_what_is_kept_of_a_run_says_its_mode_its_steps_and_its_tools(world: World, mode: Mode) -> None:
    """# 002-09, 002-10, 002-31"""
    world.change(model="sandbox:sandbox-loop-0")
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Search for ever", mode=mode)
    try:
        await respond.respond({}, str(turn.assistant.run_id), 1)
    finally:
        await agent_models.close()
    answer = await conversations.result(ada, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]
    steps = STEPS[mode]
    assert (answer.details["searchMode"], answer.details["limit"]) == (mode.value, "steps")
    assert f"limit of {steps} steps" in answer.parts[-1]["text"]
    called = [tool_name(part) for part in answer.parts if is_tool(part)]
    assert called == ["search_files"] * len(called)
    assert len([part for part in answer.parts if part["type"] == "step-start"]) == steps
    assert world.sql(f"SELECT requests FROM {Message.__tablename__} WHERE requests IS NOT NULL") == [(steps,)]  # noqa: S608
