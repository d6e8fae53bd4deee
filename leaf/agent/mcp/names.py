"""Names of the tools of MCP servers: `<server>_<tool>`, in characters that all providers accept."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from leaf import config

CHARACTERS = 64
"""The maximum length of a name that all providers accept."""
_HASH_CHARACTERS = 8
_NOT_ACCEPTED = re.compile(r"[^A-Za-z0-9_-]")


def server_of(tool: str) -> str | None:
    """Returns the name of a tool's server; None for Leaf's own tools.

    Names of servers have no underscore, and no name of Leaf's own tools begins with such a name. The result needs no
    connection, so a worker that takes over, or whose server is down, gets the same result.
    """
    name, separator, _ = tool.partition("_")
    return name if separator and any(server.name == name for server in config.current().mcp_servers) else None


def named(server: str, tools: Iterable[str]) -> dict[str, str]:
    """Returns the server's own names of its tools, by the names that the model sees.

    If a name is too long, or a changed name equals another, it ends in a hash of the tool's own name. Names therefore
    do not depend on the order in which a server lists its tools.
    """
    tools = list(dict.fromkeys(tools))
    plain = {tool: f"{server}_{_NOT_ACCEPTED.sub('_', tool)}" for tool in tools}
    taken = Counter(name[:CHARACTERS] for name in plain.values())
    return {_unique(name, tool, f"{server}_{tool}", taken): tool for tool, name in plain.items()}


def _unique(name: str, tool: str, wanted: str, taken: Counter[str]) -> str:
    if len(name) <= CHARACTERS and (name == wanted or taken[name] == 1):
        return name
    mark = hashlib.sha256(tool.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: CHARACTERS - _HASH_CHARACTERS - 1]}_{mark}"
