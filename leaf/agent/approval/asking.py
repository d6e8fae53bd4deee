"""Which calls wait for the user, and what the user is told. A wrapper around the toolsets: tools know nothing of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf import outbound
from leaf.agent.approval import addresses
from leaf.agent.approval.taint import taint
from leaf.agent.deps import Deps

QUERY_CHARACTERS = 200
"""A longer query is no search any more, but a way to send something."""
NEW_BYTES = 64
"""So much may be new in the addresses that a run opens on hosts it knows, in all of them together."""
_SHOWN_CHARACTERS = 400
_BEHIND = "This chat has read your files; text that others wrote, in a file or on the web, can mislead Leaf."

Ask = Callable[[RunContext[Deps], dict[str, Any], ToolDefinition], str]
"""What the user is told of a call that would send something out: one or two sentences; empty for a harmless one."""

SERVER = "outward"
"""In a tool's metadata: who is sent what the tool is given, such as the name of an MCP server that it writes to."""


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
            if asked:
                raise ApprovalRequired(metadata={"reason": f"{asked} {_BEHIND}"})
        return await super().call_tool(name, tool_args, ctx, tool)


def _is_careful(ctx: RunContext[Deps]) -> bool:
    return ctx.deps.approvals and taint(ctx.messages, ctx.deps.earlier_tools).both


def _page(ctx: RunContext[Deps], given: dict[str, Any], _tool: ToolDefinition | None = None) -> str:
    address = str(given.get("url", "")).strip()
    place, run = addresses.place_of(address), addresses.run_of(ctx.messages)
    if not place:
        return f"Leaf wants to open “{shown(address)}”."
    carried = outbound.target_of(address)
    if place not in addresses.found(run) | addresses.named(ctx.messages):
        told = f"Leaf wants to open {shown(place)}, which no search for this answer has found and you have not named."
        return f"{told} The address carries: “{shown(carried)}”." if carried != "/" else told
    new = addresses.new_part(address, ctx.messages)
    before = sum(addresses.size_bytes(addresses.new_part(one, ctx.messages)) for one in addresses.opened(run))
    if not new or (addresses.size_bytes(new) + before <= NEW_BYTES and not addresses.leads_on(new)):
        return ""
    return f"Leaf wants to open an address of {shown(place)} that it has put together. It carries: “{shown(carried)}”."


def _query(_ctx: RunContext[Deps], given: dict[str, Any], _tool: ToolDefinition) -> str:
    query = " ".join(str(given.get("query", "")).split())
    if len(query) <= QUERY_CHARACTERS:
        return ""
    return f"Leaf wants to search the web with {len(query)} characters: “{shown(query)}”."


def _nothing(_ctx: RunContext[Deps], _given: dict[str, Any], _tool: ToolDefinition) -> str:
    return ""


def _elsewhere(_ctx: RunContext[Deps], given: dict[str, Any], tool: ToolDefinition) -> str:
    """Of tools that say of themselves where what they are given goes."""
    server = (tool.metadata or {}).get(SERVER)
    if not server:
        return ""
    sent = shown(json.dumps(given, ensure_ascii=False, default=str))
    return f"Leaf wants to use {shown(tool.name)} of {shown(str(server))}. It would send: “{sent}”."


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
