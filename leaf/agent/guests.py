"""What the agent may do for guests, as wrappers around its toolsets: the tools themselves know of no guest."""

from dataclasses import dataclass

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf.agent.deps import Deps

_MEMBERS_ONLY = frozenset({"drive", "files", "mcp"})
_INSTRUCTIONS = """
The asker is a guest without an account. There is no Google Drive and there are no files in this chat, whatever is said
above: you have no tools for either. When a question needs the asker's files, say that they can sign in with the button
above the chat, which keeps this chat, and then connect their Drive. Answer all else from what you know and from the
web.
""".strip()


def instructions(ctx: RunContext[Deps]) -> str | None:
    """What is different for a guest; nothing for members."""
    return _INSTRUCTIONS if ctx.deps.guest else None


def toolsets(all_of_them: list[AbstractToolset[Deps]]) -> list[AbstractToolset[Deps]]:
    """The toolsets, of which those are not there for guests that work with what an account keeps, or its owners."""
    return [_MembersOnly(one) if one.id in _MEMBERS_ONLY else one for one in all_of_them]


@dataclass
class _MembersOnly(WrapperToolset[Deps]):
    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        return {} if ctx.deps.guest else await super().get_tools(ctx)
