"""The tools of all MCP servers, for the agent."""

from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import InstructionPart, ModelResponse
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from leaf import texts
from leaf.agent.approval import outgoing, required
from leaf.agent.deps import Deps
from leaf.agent.mcp import names
from leaf.agent.mcp.server import Server, Tool
from leaf.agent.tools import strict

_STARTED = ":begun"


class McpTools(AbstractToolset[Deps]):
    """The tools of all servers that can be reached. An unavailable server does not make an answer fail."""

    def __init__(self, servers: dict[str, Server]) -> None:
        self._servers = servers

    @property
    def id(self) -> str:
        return "mcp"

    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        """Returns the tools of this step. Tools that the last reply calls are included even if they no longer exist."""
        found = {name: tool for server in self._servers.values() for name, tool in (await server.tools()).items()}
        for name in _called_tools(ctx):
            if name not in found and names.server_of(name) is not None:
                found[name] = Tool(name, "", "No longer there.", {"type": "object"}, writing=False)
        return {name: self._tool(tool) for name, tool in found.items()}

    async def get_instructions(self, ctx: RunContext[Deps]) -> InstructionPart | None:  # noqa: ARG002
        """Returns a note about servers that cannot be reached, so that the model can mention them; None if all can."""
        for server in self._servers.values():
            await server.tools()
        down = [server.name for server in self._servers.values() if server.down]
        if not down:
            return None
        text = (
            f"The tools of these servers cannot be reached at the moment: {', '.join(down)}. If the question needs "
            "them, say so once and answer as well as you can without them."
        )
        return InstructionPart(content=text, dynamic=True)

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[Deps],
        tool: ToolsetTool[Deps],  # noqa: ARG002
    ) -> str:
        """Calls a tool. A tool that may change something is called only with the asker's approval, and only once.

        Raises:
            ApprovalRequired: The asker has to approve the call.
            ToolFailed: The call failed.
        """
        server = self._servers[names.server_of(name) or ""]
        called = server.known(name)
        if called is None:
            await server.tools()
            called = server.known(name)
        if called is None:
            shown = texts.english("refusals.mcp_gone", tool=name, name=server.name)
            raise ToolFailed(texts.advised(shown, "Go on without it."))
        call_id = ctx.tool_call_id or ""
        if called.writing:
            if not ctx.tool_call_approved:
                raise required(texts.english("approvals.server_change", tool=called.own_name, server=server.name))
            await _record_start(ctx, call_id, called)
        return await server.call(called, tool_args, call_id)

    def _tool(self, tool: Tool) -> ToolsetTool[Deps]:
        server = names.server_of(tool.name)
        definition = ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=tool.schema,
            metadata={
                outgoing.MCP: server, "writing": tool.writing, outgoing.SERVER: server if tool.writing else None,
            },
        )  # fmt: skip
        # The server validates the arguments. Its error text reaches the model without using up pydantic-ai's retries.
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=1, args_validator=strict.ANY_ARGUMENTS)


async def _record_start(ctx: RunContext[Deps], call_id: str, tool: Tool) -> None:
    """Records that a call starts.

    A worker that takes over does not know the result of the call and must not repeat it.

    Raises:
        ToolFailed: An earlier worker has started this call.
    """
    journal = ctx.deps.journal
    if journal is None:
        return
    if journal.result(call_id + _STARTED) is not None:
        raise ToolFailed(texts.english("refusals.mcp_unsure", tool=tool.name))
    await journal.keep_result(call_id + _STARTED, b"true")


def _called_tools(ctx: RunContext[Deps]) -> list[str]:
    """The names of the tools that the last reply calls."""
    last = ctx.messages[-1] if ctx.messages else None
    return [call.tool_name for call in last.tool_calls] if isinstance(last, ModelResponse) else []
