"""Which calls of an answer are of tools that run at the caller."""

from leaf import parts
from leaf.client_tools.reserved import SERVER_TOOLS


def is_at_caller(part: parts.Part) -> bool:
    """Whether a call is of a tool that runs at the caller: it is none of Leaf's, nor of an MCP server's."""
    return parts.is_tool(part) and part["type"] != "dynamic-tool" and parts.tool_name(part) not in SERVER_TOOLS
