"""Names of the tools of MCP servers: `<server>_<tool>`, in characters that all providers accept."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from leaf import config

CHARACTERS = 64
"""Largest length of a name that all providers accept."""
_HASH_CHARACTERS = 8
_STRANGE = re.compile(r"[^A-Za-z0-9_-]")


def server_of(tool: str) -> str | None:
    """Return the server of a tool; `None` for Leaf's own tools.

    Names of servers have no underscore and do not begin names of Leaf's own tools, so the result needs no connection: a
    worker that takes over, or one whose server is down, gets the same.
    """
    name, separator, _ = tool.partition("_")
    return name if separator and any(server.name == name for server in config.current().mcp_servers) else None


def named(server: str, tools: Iterable[str]) -> dict[str, str]:
    """Return the tools of a server by the names that the model sees.

    A name that had to be changed, or that another tool would have, ends in a hash of the tool's own name. It therefore
    does not depend on the order in which a server lists its tools.

    Args:
        server: The server's name.
        tools: The server's own names of its tools.
    """
    tools = list(dict.fromkeys(tools))
    plain = {tool: f"{server}_{_STRANGE.sub('_', tool)}" for tool in tools}
    taken = Counter(name[:CHARACTERS] for name in plain.values())
    return {_unique(name, tool, f"{server}_{tool}", taken): tool for tool, name in plain.items()}


def _unique(name: str, tool: str, wanted: str, taken: Counter[str]) -> str:
    if name == wanted and len(name) <= CHARACTERS:
        return name
    if len(name) <= CHARACTERS and taken[name] == 1:
        return name
    mark = hashlib.sha256(tool.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: CHARACTERS - _HASH_CHARACTERS - 1]}_{mark}"
