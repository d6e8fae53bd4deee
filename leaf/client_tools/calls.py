"""Which calls of an answer are of tools that run at the caller."""

from leaf import parts
from leaf.client_tools.reserved import SERVER_TOOLS


def is_at_caller(part: parts.Part) -> bool:
    """Whether a call is for a tool at the caller, rather than one of Leaf's or of an MCP server."""
    return parts.is_tool(part) and part["type"] != "dynamic-tool" and parts.tool_name(part) not in SERVER_TOOLS
