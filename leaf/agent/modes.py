"""The tools of each mode, as wrappers around the agent's toolsets. The tools themselves do not depend on the mode."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import InstructionPart
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, ToolsetTool, WrapperToolset

from leaf import config
from leaf.agent.deps import Deps
from leaf.config import catalog
from leaf.config.catalog import Mode

QUESTION = "askQuestion"
"""The tool that asks the user. It is defined in every mode, and offered only with LEAF_ASK_QUESTION."""
_BOTH = frozenset({"search", "fetch", "displayTable", "displayCitations", "displayLinkPreview", "displayOptionList"})
_RESEARCH_BY_MODE: dict[Mode, frozenset[str]] = {
    Mode.QUICK: _BOTH | {"displayPlan"},
    Mode.ADAPTIVE: _BOTH | {"todoWrite"},
}
"""The tools that only some modes have, by mode; all other tools are in every mode."""
_RESEARCH_TOOLS = frozenset[str]().union(*_RESEARCH_BY_MODE.values())
_INSTRUCTIONS: dict[Mode, str] = {
    Mode.QUICK: (
        "This is a quick answer: make as few tool calls as the question allows, read only the files that it needs, and "
        "answer as soon as you can support what you say. Offer to look further instead of doing so unasked."
    ),
    Mode.ADAPTIVE: (
        "This is a thorough answer: take the steps that it needs. Look at the question from several sides, read every "
        "file that may matter, compare what they say, and check a doubtful claim against a second source before you "
        "answer."
    ),
}
_FORCED: dict[Mode, dict[str, dict[str, Any]]] = {Mode.QUICK: {"search": {"type": "optimized"}}}
"""Arguments that the mode sets, by tool. They replace the model's values."""


def steps(mode: Mode) -> int:
    """The maximum number of requests to the model in an answer."""
    return catalog.steps(config.current(), mode)


def permits(mode: Mode, tool: str) -> bool:
    """Returns whether a mode has a tool, and LEAF_ALLOWED_TOOLS and LEAF_DISALLOWED_TOOLS permit it."""
    settings = config.current()
    allowed, refused = _names(settings.allowed_tools), _names(settings.disallowed_tools)
    if tool in refused or (allowed and tool not in allowed):
        return False
    return tool not in _RESEARCH_TOOLS or tool in _RESEARCH_BY_MODE[mode]


def is_offered(mode: Mode, tool: str) -> bool:
    return permits(mode, tool) and (tool != QUESTION or config.current().ask_question)


def toolset(toolsets: list[AbstractToolset[Deps]]) -> AbstractToolset[Deps]:
    """Returns all toolsets, limited to the mode of each run."""
    return CombinedToolset([_OfMode(one) for one in toolsets])


def instructions(mode: Mode) -> str:
    """Returns the instructions of a mode. They follow the instructions for all modes."""
    return _INSTRUCTIONS[mode]


@dataclass
class _OfMode(WrapperToolset[Deps]):
    """A toolset limited to the tools of the run's mode and chat. The mode also sets some arguments."""

    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        found = await super().get_tools(ctx)
        chosen, declared = ctx.deps.chat_tools, {tool.name for tool in ctx.deps.client_tools}
        return {
            name: tool
            for name, tool in found.items()
            if permits(ctx.deps.mode, name) and (chosen is None or name in chosen | declared)
        }

    async def get_instructions(
        self, ctx: RunContext[Deps]
    ) -> str | InstructionPart | Sequence[str | InstructionPart] | None:
        # A missing tool needs no instructions.
        offered = [name for name in await self.get_tools(ctx) if is_offered(ctx.deps.mode, name)]
        return await super().get_instructions(ctx) if offered else None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        forced = _FORCED.get(ctx.deps.mode, {}).get(name, {})
        return await super().call_tool(name, tool_args | forced, ctx, tool)


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split(",") if name.strip())
