"""What tools of MCP servers are called: `<server>_<tool>`, in characters that all providers take."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from leaf import config

CHARACTERS = 64
"""The longest name that all providers take."""
_HASH_CHARACTERS = 8
_STRANGE = re.compile(r"[^A-Za-z0-9_-]")


def server_of(tool: str) -> str | None:
    """The server that a tool belongs to; None for Leaf's own tools.

    Names of servers have no underscore and are no beginning of Leaf's own names, so this needs no connection: a worker
    that takes over, or one whose server is down, says the same.
    """
    name, separator, _ = tool.partition("_")
    return name if separator and any(server.name == name for server in config.current().mcp_servers) else None


def named(server: str, tools: Iterable[str]) -> dict[str, str]:
    """The tools of a server by the names that they are offered under.

    A name that had to be changed, or that would be another's, ends in a hash of the tool's own one: so it does not
    depend on the order in which a server lists its tools.

    Args:
        server: The server's name.
        tools: The names that the server has for its tools.
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
