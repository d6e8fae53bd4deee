"""An MCP server whose answers never end: the worker keeps neither its memory nor a core busy with it.

# 001-29
"""

import asyncio
import json
import resource
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic_ai.exceptions import ToolFailed

from leaf import config
from leaf.agent.mcp import connection, server
from tests.integration.redis_fixtures import until

CALL_SECONDS = 1
SOCKET_BYTES = 16_000_000
"""What the buffers of two sockets hold, at most."""
NOTICE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 100}}
FLOODS = {
    "json": ("application/json", b'{"jsonrpc": "2.0", "id": 1, "result": "', b"x" * 65_536, ""),
    "line": ("text/event-stream", b"data: ", b"x" * 65_536, ""),
    "notices": ("text/event-stream", b": \n\n", b"data: " + json.dumps(NOTICE).encode() + b"\n\n", ""),
    "packed": ("application/json", b"", b"\x1f\x8b" + b"x" * 65_536, "content-encoding: gzip\r\n"),
}
"""Bodies by tool: type, beginning, a piece that is repeated, and a further header."""


@dataclass
class Flood:
    """A server that answers a call with a body without an end."""

    port: int = 0
    sent: int = 0
    ended: list[str] = field(default_factory=list[str])
    """The tools whose body nobody reads any more."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tool = ""
        try:
            while True:
                tool = ""
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next((line for line in head.splitlines() if line.startswith("content-length:")), ":0")
                body = await reader.readexactly(int(length.partition(":")[2]))
                if not head.startswith("post"):
                    writer.write(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n")
                    continue
                sent = json.loads(body)
                if sent["method"] == "tools/call" and sent["params"]["name"] in FLOODS:
                    tool = sent["params"]["name"]
                    await self._flood(writer, *FLOODS[tool])
                writer.write(_answer(sent))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.ended += [tool] if tool else []
        finally:
            writer.close()

    async def _flood(self, writer: asyncio.StreamWriter, kind: str, first: bytes, piece: bytes, further: str) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{further}transfer-encoding: chunked\r\n\r\n"
        writer.write(head.encode() + b"%x\r\n%s\r\n" % (len(first), first) if first else head.encode())
        while True:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.sent += len(piece)
            await writer.drain()
            await asyncio.sleep(0)


def _answer(sent: dict[str, Any]) -> bytes:
    if "id" not in sent:
        return b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"
    results: dict[str, Any] = {
        "initialize": {
            "protocolVersion": sent.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}},
            "serverInfo": {"name": "flood", "version": "1"},
        },
        "tools/list": {"tools": [
            {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
            for name in (*FLOODS, "fine")
        ]},
        "tools/call": {"content": [{"type": "text", "text": "It is fine."}]},
    }  # fmt: skip
    body = json.dumps({"jsonrpc": "2.0", "id": sent["id"], "result": results.get(sent["method"], {})}).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


@pytest_asyncio.fixture
async def flood() -> AsyncIterator[Flood]:
    made = Flood()
    async with await asyncio.start_server(made.handle, "127.0.0.1", 0) as listening:
        made.port = listening.sockets[0].getsockname()[1]
        yield made


@pytest_asyncio.fixture
async def client(flood: Flood, tmp_path: Path) -> AsyncIterator[server.Server]:
    file = tmp_path / "mcp.toml"
    file.write_text(f'[servers.flood]\nurl = "http://127.0.0.1:{flood.port}/mcp"\ncall_seconds = {CALL_SECONDS}\n')
    (named,) = config.Settings.model_validate({"LEAF_MCP_FILE": file}).mcp_servers
    made = server.Server(named)
    yield made
    await made.close()


@pytest.mark.parametrize("tool", FLOODS)
async def test_an_answer_without_an_end_is_read_no_further(flood: Flood, client: server.Server, tool: str) -> None:
    """The call fails, the connection to its body is closed, and other tools go on."""
    found = await client.tools()
    with pytest.raises(ToolFailed):
        await client.call(found[f"flood_{tool}"], {}, "call-1")

    async def is_closed() -> bool:
        return tool in flood.ended

    await until(is_closed, seconds=connection.CLOSING_SECONDS + 15)
    assert flood.sent < connection.RESPONSE_BYTES + SOCKET_BYTES
    assert await client.call(found["flood_fine"], {}, "call-2") == "It is fine."


PROGRAM_BYTES = 100_000_000
PROGRAM = """
import json, os, sys
taken = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for line in sys.stdin:
    sent = json.loads(line)
    if "id" not in sent:
        continue
    tools = [{"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
             for name in ("line", "fine")]
    results = {
        "initialize": {"protocolVersion": sent.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}},
                       "serverInfo": {"name": "flood", "version": "1"}},
        "tools/list": {"tools": tools},
        "tools/call": {"content": [{"type": "text", "text": "It is fine."}]},
    }
    if sent["method"] == "tools/call" and sent["params"]["name"] == "line":
        for written in range(0, int(sys.argv[2]), 50_000):
            os.write(1, b"x" * 50_000)
            os.write(taken, b".")
    answer = {"jsonrpc": "2.0", "id": sent["id"], "result": results.get(sent["method"], {})}
    os.write(1, json.dumps(answer).encode() + b"\\n")
"""
"""A server over its output, which answers a call with a line of many bytes, and notes how much of it was taken."""


@pytest.mark.parametrize(("written", "is_read"), [(PROGRAM_BYTES, False), (connection.RESPONSE_BYTES // 2, True)])
async def test_a_line_of_a_program_is_read_up_to_a_limit(tmp_path: Path, written: int, *, is_read: bool) -> None:
    """The call fails, the program is ended, and a new one answers the next call. A shorter line is bad JSON alone."""
    program, taken, file = tmp_path / "flood.py", tmp_path / "taken", tmp_path / "mcp.toml"
    program.write_text(PROGRAM)
    arguments = json.dumps([str(program), str(taken), str(written)])
    command = json.dumps(sys.executable)
    file.write_text(f"[servers.flood]\ncommand = {command}\nargs = {arguments}\ncall_seconds = 30\n")
    (named,) = config.Settings.model_validate({"LEAF_MCP_FILE": file}).mcp_servers
    made = server.Server(named)
    try:
        found = await made.tools()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        call = asyncio.create_task(made.call(found["flood_line"], {}, "call-1"))
        if not is_read:
            with pytest.raises(ToolFailed):
                await call
            assert taken.stat().st_size * 50_000 < connection.RESPONSE_BYTES + 2_000_000
            assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 3 * connection.RESPONSE_BYTES
        else:

            async def is_written() -> bool:
                return taken.stat().st_size * 50_000 == written

            await until(is_written, seconds=30)
            call.cancel()
        assert await made.call(found["flood_fine"], {}, "call-2") == "It is fine."
    finally:
        await made.close()
