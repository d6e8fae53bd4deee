"""A session that ignores the servers' schemas of their results. This module loads MCP's libraries."""

from typing import Any

from fastmcp.client.transports.base import VersionAwareClientSession
from mcp.types import ListToolsResult


class Session(VersionAwareClientSession):
    """Lists tools without the schemas of their results.

    The libraries would check each result against its schema, and the server controls both: a regular expression in the
    schema may run forever and block all answers of the process. Results are text for the model, whatever their shape.
    """

    async def send_request(self, *args: Any, **options: Any) -> Any:
        """Send a request and remove the output schemas from a list of tools."""
        result = await super().send_request(*args, **options)
        if isinstance(result, ListToolsResult):
            for tool in result.tools:
                tool.output_schema = None
        return result
