"""What the agent may do in each mode, as wrappers around its toolsets: the tools themselves know of no mode."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset

from leaf import catalog, config
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
_FORCED: dict[Mode, dict[str, dict[str, Any]]] = {Mode.QUICK: {"search": {"type": "optimized"}}}
"""Arguments that are the mode's to choose, whatever the model passes."""


def steps(mode: Mode) -> int:
    """How many requests to the model an answer may take."""
    return catalog.steps(config.current(), mode)


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
    return CombinedToolset([_OfMode(one) for one in toolsets])


def offered(mode: Mode, parameters: ModelRequestParameters) -> ModelRequestParameters:
    """The parameters of a request, without the tools that the model is not told of."""
    tools = [tool for tool in parameters.function_tools if is_offered(mode, tool.name)]
    return replace(parameters, function_tools=tools)


@dataclass
class _OfMode(WrapperToolset[Deps]):
    """A toolset as the mode of the run has it: some tools are not there, some arguments are the mode's to choose."""

    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        found = await super().get_tools(ctx)
        return {name: tool for name, tool in found.items() if permits(ctx.deps.mode, name)}

    async def get_instructions(
        self, ctx: RunContext[Deps]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        # Nobody is told how to use what is not there.
        offered = [name for name in await self.get_tools(ctx) if is_offered(ctx.deps.mode, name)]
        return await super().get_instructions(ctx) if offered else None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        forced = _FORCED.get(ctx.deps.mode, {}).get(name, {})
        return await super().call_tool(name, tool_args | forced, ctx, tool)


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(",") if name.strip())
