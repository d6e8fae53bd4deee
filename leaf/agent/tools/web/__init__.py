"""The agent's tools for the web: search it, and read a page."""

from typing import Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.tools import ToolDefinition

from leaf import config
from leaf.agent import web
from leaf.agent.deps import Deps
from leaf.agent.tools.web.fetching import fetch
from leaf.agent.tools.web.searching import search


def toolset() -> Any:
    """The web tools. Where nobody answers searches, `search` is not offered; pages can be read all the same."""
    tools = FunctionToolset[Deps](
        [search, fetch], id="web", max_retries=3, docstring_format="google", require_parameter_descriptions=True
    )
    return tools.filtered(_is_offered)


def _is_offered(_ctx: RunContext[Deps], tool: ToolDefinition) -> bool:
    return tool.name != "search" or web.is_available(config.current())


__all__ = ["fetch", "search", "toolset"]
