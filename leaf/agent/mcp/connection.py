"""One session with an MCP server, which a task of its own holds open."""

import asyncio
import logging
import math
import os
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaf.agent.responses import Limited
from leaf.config.mcp import McpServer

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.mcp import MCPToolset

log = logging.getLogger(__name__)

CLOSING_SECONDS = 5.0
PING_SECONDS = 3.0
RESPONSE_BYTES = 20_000_000
"""The maximum size of a server's response over HTTP, including all events before the result, and of a line that a
program writes."""


class Unreachable(Exception):
    """The session with the server is missing or broken."""


class Refused(Exception):
    """The server answered a call with a protocol error. The message of the exception is the server's text."""


class Connection:
    """A session with a server, in which many calls may run concurrently."""

    def __init__(self, server: McpServer, changed: Callable[[], None]) -> None:
        self._server = server
        self._changed = changed
        self._closing = asyncio.Event()
        self._opened = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._toolset: MCPToolset[Any] | None = None

    @property
    def alive(self) -> bool:
        """Whether the session seems to be open."""
        if self._task is None or self._task.done() or self._closing.is_set():
            return False
        return self._toolset is not None and self._toolset.client.is_connected()

    async def open(self) -> None:
        """Connects to the server.

        Raises:
            Unreachable: The connection failed, or took too long.
        """
        self._task = asyncio.create_task(self._run(), name=f"MCP server {self._server.name}")
        opening = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait(
                {self._task, opening},
                timeout=self._server.entry.start_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            opening.cancel()
        if not self._opened.is_set() or self._task.done():
            reason = self._reason() if self._task.done() else "it did not answer in time"
            await self.close()
            raise Unreachable(reason)

    async def tools(self) -> dict[str, Any]:
        """Returns the current tools (`mcp.types.Tool`) by the server's own names.

        Raises:
            Unreachable: The server does not answer in time.
        """
        listed = await self._send(lambda client: client.list_tools(), self._server.entry.start_seconds)
        return {tool.name: tool for tool in listed}

    async def call(self, tool: str, arguments: dict[str, Any], call_id: str) -> Any:
        """Calls a tool and returns MCP's result.

        Args:
            tool: The server's own name of the tool.
            arguments: Arguments that follow the server's schema.
            call_id: An id that a repeated call keeps, so that the server can recognise it.

        Raises:
            TimeoutError: The call took too long; the server may still be working on it.
            Unreachable: The connection broke off.
            Refused: The server refuses the call.
        """
        meta = {"leaf/callId": call_id}
        async with asyncio.timeout(self._server.entry.call_seconds):
            return await self._send(
                lambda client: client.call_tool(tool, arguments, meta=meta, raise_on_error=False), None
            )

    async def answers(self) -> bool:
        """Returns whether the server responds to a short request in time."""
        try:
            await self._send(lambda client: client.list_tools(), PING_SECONDS)
        except (Unreachable, Refused):
            return False
        return True

    async def close(self) -> None:
        """Ends the session within a few seconds."""
        self._closing.set()
        if self._task is None:
            return
        await asyncio.wait({self._task}, timeout=CLOSING_SECONDS)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _send(self, request: Callable[[Any], Any], seconds: float | None) -> Any:
        from fastmcp.exceptions import McpError
        from mcp.types import CONNECTION_CLOSED

        if self._toolset is None:
            raise Unreachable("it is not connected")
        try:
            async with asyncio.timeout(seconds):
                return await request(self._toolset.client)
        except McpError as error:
            if error.error.code == CONNECTION_CLOSED or not self.alive:
                raise Unreachable("the connection was closed") from None
            raise Refused(error.error.message) from None
        except TimeoutError:
            if seconds is None:
                raise
            raise Unreachable("it did not answer in time") from None
        except _library_errors() as error:
            raise Unreachable(type(error).__name__) from None

    async def _run(self) -> None:
        """Opens the session, waits, and closes it. Opening and closing must happen in the same task."""
        async with AsyncExitStack() as stack:
            toolset = await asyncio.to_thread(self._client_toolset, stack)
            await stack.enter_async_context(toolset)
            self._toolset = toolset
            self._opened.set()
            await self._closing.wait()

    def _client_toolset(self, stack: AsyncExitStack) -> "MCPToolset[Any]":
        # The import runs in a thread because the libraries take seconds to load.
        import httpx2
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset

        for name in ("fastmcp", "mcp"):
            # The logs of these libraries would contain arguments, results and the output of servers.
            logging.getLogger(name).setLevel(logging.CRITICAL)
        entry = self._server.entry
        options: dict[str, Any] = {
            "id": self._server.name,
            "message_handler": self._on_message,
            "init_timeout": entry.start_seconds,
            "read_timeout": entry.call_seconds + 5,
        }
        if entry.command:
            _limit_lines()
            # The output of the program is discarded, because it may contain anything.
            transport = StdioTransport(
                entry.command, list(entry.args), env=dict(self._server.environment), keep_alive=False,
                log_file=Path(os.devnull),
            )  # fmt: skip
            return _without_result_schemas(MCPToolset(transport, **options))
        # Redirects are refused, because they would send the headers to another host.
        http = httpx2.AsyncClient(
            headers={"Accept-Encoding": "identity", **self._server.headers},
            event_hooks={"response": [partial(_limit_response, max(entry.call_seconds, entry.start_seconds))]},
            follow_redirects=False,
            timeout=httpx2.Timeout(entry.call_seconds + 5, connect=entry.start_seconds),
        )
        stack.push_async_callback(http.aclose)
        return _without_result_schemas(MCPToolset(entry.url, http_client=http, **options))

    async def _on_message(self, message: Any) -> None:
        from mcp import types

        if isinstance(getattr(message, "root", message), types.ToolListChangedNotification):
            self._changed()

    def _reason(self) -> str:
        """Returns the reason why the session ended.

        The server's own words are left out, because they could contain secrets that Leaf has sent.
        """
        if self._task is None or self._task.cancelled():
            return "it was closed"
        error = self._task.exception()
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if error is not None and not isinstance(error, _library_errors()):
            log.error("MCP server %s", self._server.name, exc_info=error)
        cause = (error.__cause__ or error) if error is not None else None
        return f"it cannot be connected ({type(cause).__name__})"


async def _limit_response(seconds: float, response: "httpx2.Response") -> None:
    """Makes a response fail if it is larger or slower than any list of tools or result.

    The libraries would keep JSON of any size in memory, and would go on reading the events of a call after its caller
    has given up. Only responses to POST requests have a time limit.

    Args:
        seconds: The time limit of the response to a call.
        response: A response whose body has not been read.

    Raises:
        httpx2.ReadError: The response is compressed, although Leaf does not accept that. A few bytes could expand to
            any size.
    """
    import httpx2

    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise httpx2.ReadError("the response is compressed")
    until = time.monotonic() + seconds if response.request.method == "POST" else math.inf
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = Limited(response.stream, RESPONSE_BYTES, until)


@cache
def _limit_lines() -> None:
    """Makes the client of local programs end a connection when a line is longer than any result.

    The client would otherwise keep the growing line in memory, and copy all of it for each piece that arrives.
    """
    import anyio
    from anyio.abc import ByteReceiveStream
    from mcp.client import stdio

    start: Any = stdio._create_platform_compatible_process  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    class Lines(ByteReceiveStream):
        """The output of a program, in whole lines."""

        def __init__(self, stream: ByteReceiveStream) -> None:
            self._stream = stream
            self._is_broken = False

        async def receive(self, max_bytes: int = 65_536) -> bytes:
            pieces: list[bytes] = []
            left = RESPONSE_BYTES
            while not self._is_broken:
                pieces.append(await self._stream.receive(max_bytes))
                if b"\n" in pieces[-1]:
                    return b"".join(pieces)
                left -= len(pieces[-1])
                self._is_broken = left < 0
            raise anyio.BrokenResourceError

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def started(*args: Any, **options: Any) -> Any:
        process = await start(*args, **options)
        process._stdout = Lines(process.stdout)  # noqa: SLF001 - there is no public access to the pipe
        return process

    stdio._create_platform_compatible_process = started  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _without_result_schemas(toolset: "MCPToolset[Any]") -> "MCPToolset[Any]":
    """Makes the sessions of a client ignore the server's schemas of results, and returns the client.

    The libraries would check each result against its schema, and the server controls both. A regular expression in the
    schema may run forever and block all answers of the process. Leaf needs no schema, because the model gets results of
    any shape as text.
    """
    from fastmcp.client.transports.base import TransportOptions, VersionAwareClientSession
    from mcp.types import ListToolsResult

    class Session(VersionAwareClientSession):
        async def send_request(self, *args: Any, **options: Any) -> Any:
            result = await super().send_request(*args, **options)
            if isinstance(result, ListToolsResult):
                for tool in result.tools:
                    tool.output_schema = None
            return result

    transport: Any = toolset.client.transport
    transport.connect_session = partial(
        transport.connect_session, transport_options=TransportOptions(session_class=Session)
    )
    return toolset


def _library_errors() -> tuple[type[BaseException], ...]:
    """The exceptions of the libraries for a server that is unavailable, ends, or sends invalid data."""
    import anyio
    import httpx2
    from fastmcp.exceptions import FastMCPError, McpError

    return (
        McpError, FastMCPError, httpx2.HTTPError, anyio.ClosedResourceError, anyio.BrokenResourceError,
        anyio.EndOfStream, OSError, RuntimeError, ValueError, TimeoutError, ExceptionGroup,
        LookupError, TypeError, AttributeError,
    )  # fmt: skip
