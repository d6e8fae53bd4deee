"""Which calls wait for the user, and what the user is told. A wrapper around the toolsets: tools know nothing of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf import outbound
from leaf.agent.approval import addresses, carrying
from leaf.agent.approval.taint import taint
from leaf.agent.deps import Deps

QUERY_CHARACTERS = 200
"""A longer query is no search any more, but a way to send something."""
_SHOWN_CHARACTERS = 400
_BEHIND = "This chat has read your files; text that others wrote, in a file or on the web, can mislead Leaf."

Ask = Callable[[RunContext[Deps], dict[str, Any], ToolDefinition], str]
"""What the user is told of a call that would send something out: one or two sentences; empty for a harmless one."""

SERVER = "outward"
"""In a tool's metadata: who is sent what the tool is given, such as the name of an MCP server that it writes to."""

MCP = "mcp"
"""In the metadata of a tool of an MCP server: the server's name."""


def outgoing_page(ctx: RunContext[Deps], address: str) -> str:
    """What would leave if a page were opened, in words; empty where nothing would, or nobody has to be asked."""
    return _page(ctx, {"url": address}) if _is_careful(ctx) else ""


def toolset(wrapped: AbstractToolset[Deps]) -> AbstractToolset[Deps]:
    """The toolset, with calls that wait for the user where something could leave."""
    return _Approved(wrapped)


@dataclass
class _Approved(WrapperToolset[Deps]):
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        if not ctx.tool_call_approved and _is_careful(ctx):
            asked = OUTWARD.get(name, _elsewhere)(ctx, tool_args, tool.tool_def)
            if asked and ctx.deps.visit is not None:
                # A visitor of a site is not to judge that, and its widget could not ask.
                raise ToolFailed("This could send something out, which is not done here. Go on without it.")
            if asked:
                raise ApprovalRequired(metadata={"reason": f"{asked} {_BEHIND}"})
        return await super().call_tool(name, tool_args, ctx, tool)


def _is_careful(ctx: RunContext[Deps]) -> bool:
    return ctx.deps.approvals and taint(ctx.messages, ctx.deps.earlier_tools).both


def _page(ctx: RunContext[Deps], given: dict[str, Any], _tool: ToolDefinition | None = None) -> str:
    address = str(given.get("url", "")).strip()
    told = carrying.carried(_call(ctx), address)
    if not told.place:
        return f"Leaf wants to open “{shown(address)}”."
    if told.is_free:
        return ""
    place, target = shown(told.place), outbound.target_of(address)
    carries = f" The address carries: “{shown(target)}”." if target != "/" else ""
    if not told.is_known:
        return f"Leaf wants to open {place}, which no search for this answer has found and you have not named.{carries}"
    if told.new:
        return f"Leaf wants to open an address of {place} that it has put together.{carries}"
    return f"Leaf wants to open one more address of {place}, after many others in this answer.{carries}"


def _call(ctx: RunContext[Deps]) -> carrying.Call:
    return carrying.Call(ctx.messages, ctx.tool_call_id, ctx.deps.clicked, ctx.deps.earlier_tools)


def _query(_ctx: RunContext[Deps], given: dict[str, Any], _tool: ToolDefinition) -> str:
    query = " ".join(str(given.get("query", "")).split())
    if len(query) <= QUERY_CHARACTERS:
        return ""
    return f"Leaf wants to search the web with {len(query)} characters: “{shown(query)}”."


def _nothing(_ctx: RunContext[Deps], _given: dict[str, Any], _tool: ToolDefinition) -> str:
    return ""


def _elsewhere(ctx: RunContext[Deps], given: dict[str, Any], tool: ToolDefinition) -> str:
    """Of tools that say of themselves where what they are given goes.

    One that only reads may still open the addresses that it is given: these have to be of hosts that are known, and to
    carry nothing of the model's own. What is longer than a query is no question any more.
    """
    metadata = tool.metadata or {}
    sent = json.dumps(given, ensure_ascii=False, default=str)
    tells = metadata.get(MCP) and (sum(map(len, _texts(given))) > QUERY_CHARACTERS or _tells(ctx, given))
    server = metadata.get(SERVER) or (metadata[MCP] if tells else None)
    if not server:
        return ""
    return f"Leaf wants to use {shown(tool.name)} of {shown(str(server))}. It would send: “{shown(sent)}”."


def _tells(ctx: RunContext[Deps], given: dict[str, Any]) -> bool:
    """Whether addresses in a tool's arguments tell their hosts something."""
    judge = carrying.judge(_call(ctx))

    def is_given(address: str) -> bool:
        judged = judge(address)
        return judged.is_known and not judged.new

    for text in _texts(given):
        # Of one with a mark behind it the shorter ones are there, too: any of them may be the one that is meant.
        for match in addresses.each_in(text):
            if not any(is_given(address) for address in match):
                return True
        if not all(map(is_given, addresses.bare_in(text))):
            return True
    return False


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def shown(text: str) -> str:
    """A text on one line, as it may be shown: nothing that cannot be seen or that turns its direction, and not all."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(plain) <= _SHOWN_CHARACTERS:
        return plain
    return f"{plain[:_SHOWN_CHARACTERS]}… ({len(plain) - _SHOWN_CHARACTERS:,} more characters)"


OUTWARD: dict[str, Ask] = {
    "fetch": _page,
    "search": _query,
    # Its look at the page is left out where opening the page would have to be asked for.
    "displayLinkPreview": _nothing,
}
"""By the tool's name; a tool that is not in here says so in its metadata (`SERVER`)."""
