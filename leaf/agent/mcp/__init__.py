"""Tools of MCP servers (decision 0017). If no server is configured, the libraries for MCP are not loaded.

Names, descriptions and results come from the servers. Like web pages, they are untrusted data.
"""

import asyncio
from functools import cache

from pydantic_ai.toolsets import AbstractToolset

from leaf import config
from leaf.agent.deps import Deps
from leaf.agent.mcp.names import server_of
from leaf.agent.mcp.server import Server
from leaf.agent.mcp.toolset import McpTools
from leaf.telemetry import logs


def toolsets() -> list[AbstractToolset[Deps]]:
    """Returns the tools of the configured servers."""
    return [McpTools(_servers())] if _servers() else []


def is_mcp(tool: str) -> bool:
    return server_of(tool) is not None


async def start() -> None:
    """Connects to all servers, so that the first answer does not wait for them."""
    await asyncio.gather(*(server.tools() for server in _servers().values()))


async def close() -> None:
    """Ends all connections within a few seconds."""
    await asyncio.gather(*(server.close() for server in _servers().values()))
    _servers.cache_clear()


@cache
def _servers() -> dict[str, Server]:
    configured = config.current().mcp_servers
    logs.hide(secret for server in configured for secret in server.secrets)
    return {server.name: Server(server) for server in configured}
