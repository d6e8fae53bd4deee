"""A wrapper around the toolsets that requires an approval for calls that could send something out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from leaf import outbound, texts
from leaf.agent.approval import addresses, disclosure
from leaf.agent.approval.request import required, shown
from leaf.agent.approval.taint import taint
from leaf.agent.deps import Deps
from leaf.citations.origins import texts_in

QUERY_CHARACTERS = 200
"""The length up to which a query needs no approval. A longer query could send a text."""

Ask = Callable[[RunContext[Deps], dict[str, Any], ToolDefinition], texts.Message | None]
"""Makes the request for the asker's approval of a call that would send something out; None for a harmless call."""

SERVER = "outward"
"""Key in a tool's metadata: the recipient of its arguments, such as the name of an MCP server that it writes to."""

MCP = "mcp"
"""Key in the metadata of a tool of an MCP server: the server's name."""


def outgoing_page(ctx: RunContext[Deps], address: str) -> texts.Message | None:
    """The request to open a page; None if opening it sends nothing out, or if no approval is needed in this chat."""
    return _page(ctx, {"url": address}) if _is_tainted(ctx) else None


@dataclass
class Approved(WrapperToolset[Deps]):
    """A toolset, with an approval before each call that could send something out."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        if not ctx.tool_call_approved and _is_tainted(ctx):
            request = OUTWARD.get(name, _other_tool)(ctx, tool_args, tool.tool_def)
            if request is not None and not ctx.deps.audience.approves:
                # A site visitor cannot judge the request, and the widget has no dialog for it.
                raise ToolFailed(texts.advised(texts.english("refusals.not_sent"), "Go on without it."))
            if request is not None:
                raise required(texts.english("approvals.may_mislead", request=request))
        return await super().call_tool(name, tool_args, ctx, tool)


def _is_tainted(ctx: RunContext[Deps]) -> bool:
    return ctx.deps.approvals and taint(ctx.messages, ctx.deps.earlier_tools).both


def _page(
    ctx: RunContext[Deps], arguments: dict[str, Any], _tool: ToolDefinition | None = None
) -> texts.Message | None:
    address = str(arguments.get("url", "")).strip()
    disclosed = disclosure.judge(_call(ctx))(address)
    if not disclosed.host:
        return texts.english("approvals.no_address", address=shown(address))
    if disclosed.is_free:
        return None
    host, target = shown(disclosed.host), outbound.target_of(address)
    if not disclosed.is_known:
        request = texts.english("approvals.unknown_host", host=host)
    elif disclosed.new:
        request = texts.english("approvals.composed_address", host=host)
    else:
        request = texts.english("approvals.many_addresses", host=host)
    return request if target == "/" else texts.english("approvals.with_target", request=request, target=shown(target))


def _call(ctx: RunContext[Deps]) -> disclosure.Call:
    return disclosure.Call(ctx.messages, ctx.tool_call_id, ctx.deps.suggested, ctx.deps.earlier_tools)


def _query(_ctx: RunContext[Deps], arguments: dict[str, Any], _tool: ToolDefinition) -> texts.Message | None:
    query = " ".join(str(arguments.get("query", "")).split())
    if len(query) <= QUERY_CHARACTERS:
        return None
    return texts.english("approvals.long_query", length=len(query), query=shown(query))


def _harmless(_ctx: RunContext[Deps], _arguments: dict[str, Any], _tool: ToolDefinition) -> None:
    return None


def _other_tool(ctx: RunContext[Deps], arguments: dict[str, Any], tool: ToolDefinition) -> texts.Message | None:
    """The request of a tool whose metadata says where its arguments are sent; None if none is needed.

    A tool that only reads may still open the addresses in its arguments. Their hosts must be known, and they must
    contain nothing that the model has added. Arguments that are longer than a query could send a text.
    """
    metadata = tool.metadata or {}
    server, reading_server = metadata.get(SERVER), metadata.get(MCP)
    if not server and reading_server:
        length = sum(map(len, texts_in(arguments)))
        if length > QUERY_CHARACTERS or _has_new_address(ctx, arguments):
            server = reading_server
    if not server:
        return None
    sent = json.dumps(arguments, ensure_ascii=False, default=str)
    return texts.english(
        "approvals.server_tool", tool=shown(tool.name), server=shown(str(server)), arguments=shown(sent)
    )


def _has_new_address(ctx: RunContext[Deps], arguments: dict[str, Any]) -> bool:
    """Whether an address in a tool's arguments discloses something to its host."""
    judge = disclosure.judge(_call(ctx))

    def is_harmless(address: str) -> bool:
        judged = judge(address)
        return judged.is_known and not judged.new

    for text in texts_in(arguments):
        # An address may end before the punctuation that follows it. One harmless reading of an address suffices.
        for readings in addresses.each_in(text):
            if not any(is_harmless(address) for address in readings):
                return True
        if not all(map(is_harmless, addresses.bare_in(text))):
            return True
    return False


OUTWARD: dict[str, Ask] = {
    "fetch": _page,
    "search": _query,
    # The tool itself does not open the page if that would need an approval.
    "displayLinkPreview": _harmless,
}
"""The functions that make requests, by the name of the tool. Other tools name their recipient in their metadata
(`SERVER`)."""
