"""Differences of Leaf's agent between audiences: wrappers around its toolsets, and further instructions."""

from dataclasses import dataclass

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf.agent.deps import Deps

_INSTRUCTIONS = {
    "guest": """
The asker is a guest without an account. There is no Google Drive and there are no files in this chat, whatever is said
above: you have no tools for either. When a question needs the asker's files, say that they can sign in with the button
above the chat, which keeps this chat, and then connect their Drive. Answer all else from what you know and from the
web.
""".strip(),
}
"""Instructions by the name of the audience."""


def instructions(ctx: RunContext[Deps]) -> str | None:
    """Return further instructions for the asker's audience, if there are any."""
    return _INSTRUCTIONS.get(ctx.deps.audience.name)


def toolsets(all_of_them: list[AbstractToolset[Deps]]) -> list[AbstractToolset[Deps]]:
    """Return the toolsets without the ones that are withheld from the asker's audience."""
    return [_Offered(one) for one in all_of_them]


@dataclass
class _Offered(WrapperToolset[Deps]):
    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        return {} if self.wrapped.id in ctx.deps.audience.withheld_toolsets else await super().get_tools(ctx)
