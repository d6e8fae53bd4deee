"""An MCP server in a worker process. All runs share one connection, which is opened again after it breaks."""

import asyncio
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from pydantic_ai import InlineDefsJsonSchemaTransformer
from pydantic_ai.exceptions import ToolFailed, UserError
from pydantic_core import to_json

from leaf import texts
from leaf.agent.mcp import names
from leaf.agent.mcp.connection import Connection, Refused, Unreachable
from leaf.config.mcp import McpServer
from leaf.parts.client_tools import schemas

log = logging.getLogger(__name__)

FRESH_SECONDS = 60.0
"""The time after which the tools of a server are listed again, in case it does not report changes."""
PATIENCE_SECONDS = 15.0
"""The pause after a failed connection, so that answers do not wait for the server again."""
TOOLS = 64
"""The maximum number of tools of one server."""
HIDDEN = "[hidden]"
_LOGGED = 5
"""The maximum number of omitted tools that the log names."""
DESCRIPTION_CHARACTERS = 2000
EXPANDED_BYTES = 100_000
"""The maximum size of a schema after its definitions are expanded. A small schema may use a definition many times."""


@dataclass(frozen=True)
class Tool:
    name: str
    """The name that the model sees."""
    own_name: str
    """The name that the server uses."""
    description: str
    schema: dict[str, Any]
    writing: bool
    """Whether the tool may change something, according to the server and the configuration."""


class Server:
    """The connection to a server, and the tools of its last list."""

    def __init__(self, server: McpServer) -> None:
        self.name = server.name
        self.down = False
        """Whether the last attempt to connect failed."""
        self._server = server
        self._tools: dict[str, Tool] = {}
        self._connection: Connection | None = None
        self._refresh_at = 0.0
        self._refreshing: asyncio.Task[None] | None = None
        self._left_out: list[str] = []

    async def tools(self) -> dict[str, Tool]:
        """Returns the current tools by name; empty if the server cannot be reached."""
        is_dead = self._connection is not None and not self._connection.alive
        is_refreshing = self._refreshing is not None and not self._refreshing.done()
        if not is_refreshing and (is_dead or time.monotonic() >= self._refresh_at):
            self._refreshing = asyncio.create_task(self._refresh(), name=f"tools of {self.name}")
        if self._refreshing is not None:
            # All runs share this task, so a run that is stopped must not cancel it.
            await asyncio.shield(self._refreshing)
        return self._tools

    def known(self, name: str) -> Tool | None:
        """Returns a tool of the last list; None if it is not in the list."""
        return self._tools.get(name)

    async def call(self, tool: Tool, arguments: dict[str, Any], call_id: str) -> str:
        """Calls a tool and returns its result as text of limited length.

        Raises:
            ToolFailed: The call failed; the text is for the model.
        """
        await self.tools()
        connection = self._connection
        if connection is None or not connection.alive:
            shown = texts.english("refusals.mcp_unreachable", name=self.name)
            raise ToolFailed(texts.advised(shown, "Go on without it."))
        try:
            result = await connection.call(tool.own_name, arguments, call_id)
        except TimeoutError:
            if not await connection.answers():
                self._drop(connection)
            seconds = f"{self._server.entry.call_seconds:g}"
            key = "refusals.mcp_slow_perhaps" if tool.writing else "refusals.mcp_slow"
            raise ToolFailed(texts.english(key, name=tool.name, seconds=seconds)) from None
        except Unreachable:
            self._drop(connection)
            key = "refusals.mcp_broke_perhaps" if tool.writing else "refusals.mcp_broke"
            raise ToolFailed(texts.english(key, name=self.name)) from None
        except Refused as error:
            reason = self._safe(str(error))
            raise ToolFailed(texts.english("refusals.mcp_refused", tool=tool.name, reason=reason)) from None
        text = text_of(result, self._server.entry.result_characters, self._server.secrets)
        if result.is_error:
            reason = self._safe(text) or texts.english("refusals.mcp_no_reason")
            raise ToolFailed(texts.english("refusals.mcp_failed", tool=tool.name, reason=reason))
        return text

    async def close(self) -> None:
        """Ends the connection."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _safe(self, text: str) -> str:
        return bounded(without(text, self._server.secrets), 2000)

    def _changed(self) -> None:
        self._refresh_at = 0.0

    def _drop(self, connection: Connection) -> None:
        """Closes a connection in the background, so that the next call opens a new one."""
        if self._connection is connection:
            self._connection, self._refresh_at = None, 0.0
        closing = asyncio.create_task(connection.close())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)

    async def _refresh(self) -> None:
        """Connects if there is no open connection, and lists the tools."""
        self._refresh_at = time.monotonic() + FRESH_SECONDS
        connection = self._connection
        if connection is not None and not connection.alive:
            self._drop(connection)
            self._refresh_at = time.monotonic() + FRESH_SECONDS
            connection = None
        try:
            if connection is None:
                connection = Connection(self._server, self._changed)
                await connection.open()
            listed = await connection.tools()
        except (Unreachable, Refused) as error:
            if connection is not None:
                self._drop(connection)
            if not self.down:
                # The text of a refusal is the server's own and may contain anything.
                reason = str(error) if isinstance(error, Unreachable) else "it refuses to list its tools"
                log.warning("MCP server %s: %s; its tools are missing", self.name, reason)
            self._connection, self._tools, self.down = None, {}, True
            self._refresh_at = time.monotonic() + PATIENCE_SECONDS
            return
        except BaseException:
            if connection is not None and connection is not self._connection:
                await connection.close()
            raise
        if self.down:
            log.info("MCP server %s can be reached again", self.name)
        # This runs in a thread, because a server may send thousands of tools with large schemas.
        chosen = await asyncio.to_thread(self._chosen, listed)
        self._connection, self._tools, self.down = connection, chosen, False

    def _chosen(self, listed: dict[str, Any]) -> dict[str, Tool]:
        """Returns the tools that the configuration permits and that models can use."""
        entry = self._server.entry
        permitted = [one for one in listed if matches(one, entry.allow) and not matches(one, entry.deny)]
        chosen: dict[str, Tool] = {}
        left_out: list[str] = []
        for name, own_name in names.named(self.name, permitted).items():
            tool = listed[own_name]
            if len(chosen) >= TOOLS or not is_usable(tool.input_schema):
                left_out.append(own_name)
                continue
            is_read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
            is_writing = matches(own_name, entry.writing) or not (is_read_only or matches(own_name, entry.read_only))
            description = without(tool.description or tool.title or "", self._server.secrets)
            description = bounded(description, DESCRIPTION_CHARACTERS)
            chosen[name] = Tool(name, own_name, description, tool.input_schema, is_writing)
        self._log_left_out(left_out)
        return chosen

    def _log_left_out(self, left_out: list[str]) -> None:
        """Logs the omitted tools if they have changed, because the list is read every minute."""
        if left_out and left_out != self._left_out:
            named = ", ".join(repr(name[: names.CHARACTERS]) for name in left_out[:_LOGGED])
            log.warning(
                "MCP server %s: %d tools are left out, for their schemas or because there are too many: %s%s",
                self.name, len(left_out), named, ", …" if len(left_out) > _LOGGED else "",
            )  # fmt: skip
        self._left_out = left_out


def is_usable(schema: Any) -> bool:
    """Returns whether models accept a tool's schema.

    Providers refuse invalid schemas, so that every request would fail. For some models, the definitions of a schema are
    expanded at each use, which may make it very large.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object" or schemas.problem_of(schema):
        return False
    try:
        return len(to_json(InlineDefsJsonSchemaTransformer(schema).walk())) <= EXPANDED_BYTES
    except (UserError, RecursionError):
        return False


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def text_of(result: Any, characters: int, secrets: Iterable[str]) -> str:
    """Returns the text of a result for the model.

    Args:
        result: MCP's result of a call, with `content` and `structured_content`.
        characters: Maximum length of the text, without the note about a cut.
        secrets: Secrets that Leaf sends to the server. They are replaced in the text.
    """
    blocks = [_described(block) for block in result.content]
    text = "\n\n".join(block for block in blocks if block)
    if not text and result.structured_content is not None:
        text = to_json(result.structured_content).decode()
    return bounded(without(text, secrets), characters)


def _described(block: Any) -> str:
    """Returns the text of a block of content, or a description of a block that is not text."""
    if block.type == "text":
        return str(block.text)
    if block.type in {"image", "audio"}:
        return f"[{block.type} of type {block.mime_type}, {len(block.data) * 3 // 4:,} bytes, not shown]"
    if block.type == "resource_link":
        return f"[link to {block.name}: {block.uri}]"
    if block.type == "resource":
        text = getattr(block.resource, "text", None)
        return str(text) if text is not None else f"[file {block.resource.uri}, not shown]"
    return f"[{block.type}, not shown]"


def bounded(text: str, characters: int) -> str:
    """Returns a text cut to a number of characters, followed by a note about the missing part."""
    if len(text) <= characters:
        return text
    return f"{text[:characters]}\n\n[cut here: {len(text) - characters:,} of {len(text):,} characters are not shown]"


def without(text: str, secrets: Iterable[str]) -> str:
    """Returns a text in which secrets are replaced, the longest secret first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


_closing: set[asyncio.Task[None]] = set()
"""Connections that are being closed."""
