"""`python -m tests.hostile.tools PORT`: an MCP server whose tool returns hostile texts."""

import sys

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from tests.hostile import text_of

server = MCPServer("quarry")


@server.tool(annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
def dig(name: str, characters: int) -> str:
    """Returns a hostile text."""
    return text_of(name, characters)


if __name__ == "__main__":
    server.run("streamable-http", port=int(sys.argv[1]))
