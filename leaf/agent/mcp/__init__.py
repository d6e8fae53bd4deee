"""Tools of MCP servers (decision 0017). Where none is configured, nothing of it is loaded.

Their names, descriptions and results are the servers': data from outside, like that of the web.
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

__all__ = ["close", "is_mcp", "is_writing", "server_of", "start", "toolsets"]


def toolsets() -> list[AbstractToolset[Deps]]:
    """The tools of the configured servers."""
    return [McpTools(_servers())] if _servers() else []


def is_mcp(tool: str) -> bool:
    """Whether a tool is one of an MCP server."""
    return server_of(tool) is not None


def is_writing(tool: str) -> bool:
    """Whether a tool of an MCP server may change something; one that this process has not met is taken for such."""
    name = server_of(tool)
    if name is None:
        return False
    server = _servers().get(name)
    known = server.known(tool) if server is not None else None
    return known is None or known.writing


async def start() -> None:
    """Connects to all servers, so that the first answer does not wait for them."""
    await asyncio.gather(*(server.tools() for server in _servers().values()))


async def close() -> None:
    """Ends all connections, within a few seconds."""
    await asyncio.gather(*(server.close() for server in _servers().values()))
    _servers.cache_clear()


@cache
def _servers() -> dict[str, Server]:
    configured = config.current().mcp_servers
    logs.hide(secret for server in configured for secret in server.secrets)
    return {server.name: Server(server) for server in configured}
