"""What the agent may do in each mode, as wrappers around its toolsets: the tools themselves know of no mode."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FilteredToolset, ToolsetTool, WrapperToolset

from leaf import config
from leaf.agent.deps import Deps
from leaf.catalog import Mode

QUESTION = "askQuestion"
"""Defined in every mode and offered in none, as 002 has it: LEAF_ASK_QUESTION offers it."""
_BOTH = frozenset({"search", "fetch", "displayTable", "displayCitations", "displayLinkPreview", "displayOptionList"})
_RESEARCH: dict[Mode, frozenset[str]] = {
    Mode.QUICK: _BOTH | {"displayPlan"},
    Mode.ADAPTIVE: _BOTH | {"todoWrite"},
}
"""The tools that the modes tell apart, each with the mode's own; all others are there in both."""
_TOLD_APART = frozenset[str]().union(*_RESEARCH.values())
STEPS: dict[Mode, int] = {Mode.QUICK: 20, Mode.ADAPTIVE: 50}
"""Requests to the model in one answer, at most; LEAF_STEP_LIMIT may be less."""
_FORCED: dict[Mode, dict[str, dict[str, Any]]] = {Mode.QUICK: {"search": {"type": "optimized"}}}
"""Arguments that are the mode's to choose, whatever the model passes."""


def steps(mode: Mode) -> int:
    """How many requests to the model an answer may take."""
    return min(STEPS[mode], config.current().step_limit)


def permits(mode: Mode, tool: str) -> bool:
    """Whether a tool may be used in a mode: by the table above, LEAF_ALLOWED_TOOLS and LEAF_DISALLOWED_TOOLS."""
    settings = config.current()
    allowed, refused = _names(settings.allowed_tools), _names(settings.disallowed_tools)
    if tool in refused or (allowed and tool not in allowed):
        return False
    return tool not in _TOLD_APART or tool in _RESEARCH[mode]


def is_offered(mode: Mode, tool: str) -> bool:
    """Whether the model is told of a tool."""
    return permits(mode, tool) and (tool != QUESTION or config.current().ask_question)


def toolset(toolsets: list[AbstractToolset[Deps]]) -> AbstractToolset[Deps]:
    """All toolsets as the mode of each run has them."""

    def permitted(ctx: RunContext[Deps], tool: ToolDefinition) -> bool:
        return permits(ctx.deps.mode, tool.name)

    return FilteredToolset(_Forced(CombinedToolset(toolsets)), permitted)


def offered(mode: Mode, parameters: ModelRequestParameters) -> ModelRequestParameters:
    """The parameters of a request, without the tools that the model is not told of."""
    tools = [tool for tool in parameters.function_tools if is_offered(mode, tool.name)]
    return replace(parameters, function_tools=tools)


@dataclass
class _Forced(WrapperToolset[Deps]):
    """Has some arguments set by the mode of the run."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        forced = _FORCED.get(ctx.deps.mode, {}).get(name, {})
        return await super().call_tool(name, tool_args | forced, ctx, tool)


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(",") if name.strip())
