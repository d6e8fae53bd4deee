"""A session in which a server does not say how its own results are checked. Loads MCP's libraries."""

from typing import Any

from fastmcp.client.transports.base import VersionAwareClientSession
from mcp.types import ListToolsResult


class Session(VersionAwareClientSession):
    """Tools are listed without the schemas of their results.

    The libraries would check each result by its schema, both of them the server's: a regular expression in it may take
    for ever, and would hold up all answers of the process. Results are text for the model, whatever their shape.
    """

    async def send_request(self, *args: Any, **options: Any) -> Any:
        """As the library does."""
        result = await super().send_request(*args, **options)
        if isinstance(result, ListToolsResult):
            for tool in result.tools:
                tool.output_schema = None
        return result
