"""MCP servers of both transports, as a worker has them: one connection, which comes back, and tools that change."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from leaf import config
from leaf.agent import mcp
from leaf.agent.deps import Deps
from leaf.agent.mcp import server
from leaf.agent.mcp.toolset import McpTools
from leaf.db import Actor
from leaf.services.files import ChatFiles
from tests import mcp_process
from tests.acceptance.stack import REPOSITORY, until
from tests.integration.drive_google import Kept, NoGrant

TOKEN = "tides-token-0123456789"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    port = mcp_process.free_port()
    with mcp_process.serving(folder, port):
        yield port


@pytest.fixture
async def servers(
    folder: Path, port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[dict[str, server.Server]]:
    monkeypatch.setenv("MCP_FOLDER", str(folder))
    monkeypatch.setenv("TIDES_TOKEN", TOKEN)
    monkeypatch.setenv("ALMANAC_KEY", "almanac-key-0123456789")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    file = tmp_path / "mcp.toml"
    narrow = 'allow = ["look_up", "write_*", "x*"]\ndeny = ["write_slowly"]\nread_only = ["write_down"]\n'
    file.write_text(
        mcp_process.STDIO
        + mcp_process.http("tides", port)
        + mcp_process.http("narrow", port, narrow + 'writing = ["look_up"]')
        + mcp_process.http("nowhere", mcp_process.free_port())
    )
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, mcp_file=file))
    # A process has one configuration for its life; the tests of other files have left theirs.
    mcp._servers.cache_clear()
    made = {one.name: server.Server(one) for one in config.current().mcp_servers}
    yield made
    mcp._servers.cache_clear()
    await asyncio.gather(*(one.close() for one in made.values()))


def context(call_id: str = "call_1", *, approved: bool = False, messages: list[Any] | None = None) -> RunContext[Deps]:
    deps = Deps(uuid4(), uuid4(), NoGrant(), Kept(), ChatFiles(Actor.system(), uuid4()))
    return RunContext(
        deps=deps, model=TestModel(), usage=RunUsage(), tool_call_id=call_id, tool_call_approved=approved,
        messages=messages or [],
    )  # fmt: skip


async def called(one: server.Server, name: str, **arguments: Any) -> str:
    tools = await one.tools()
    return await one.call(tools[f"{one.name}_{name}"], arguments, "call_1")


@pytest.mark.parametrize("name", ["almanac", "tides"])
async def test_tools_of_both_transports_are_called(servers: dict[str, server.Server], name: str) -> None:
    """# 001-29"""
    one = servers[name]
    tools = await one.tools()
    assert not tools[f"{name}_look_up"].writing
    assert tools[f"{name}_write_down"].writing
    assert await called(one, "look_up", day="Monday") == "On Monday the tide is high at noon."
    assert await called(one, "picture") == "The tide:\n\n[image of type image/png, 300 bytes, not shown]"
    many = await asyncio.gather(*(called(one, "look_up", day=str(day)) for day in range(20)))
    assert many == [f"On {day} the tide is high at noon." for day in range(20)], "calls of many runs at a time"
    with pytest.raises(ToolFailed, match="Field required"):
        await called(one, "look_up", nothing="x")


async def test_names_that_collide_stay_apart(servers: dict[str, server.Server]) -> None:
    tools = await servers["tides"].tools()
    strange = {name: tool.own_name for name, tool in tools.items() if tool.own_name[1] in ". x"}
    assert set(strange.values()) == {"a.b", "a b", "x" * 100, "x" * 99 + "y"}
    assert all(len(name) <= 64 and name.replace("_", "").isalnum() for name in strange)
    for name, own_name in strange.items():
        assert await servers["tides"].call(tools[name], {}, "c") == own_name


async def test_only_what_is_permitted_is_offered(servers: dict[str, server.Server]) -> None:
    tools = await servers["narrow"].tools()
    assert {name: tool.writing for name, tool in tools.items() if "x" not in name} == {
        "narrow_look_up": True, "narrow_write_down": False,
    }  # fmt: skip


async def test_a_server_that_hangs_is_told_of_and_serves_others(servers: dict[str, server.Server]) -> None:
    hanging = asyncio.create_task(called(servers["tides"], "hang"))
    await asyncio.sleep(0)
    assert (await called(servers["tides"], "look_up", day="Monday")).startswith("On Monday")
    with pytest.raises(ToolFailed, match="within 3 seconds"):
        await hanging


async def test_what_is_left_out_is_logged_once(
    servers: dict[str, server.Server], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The tools are listed each minute, and there may be thousands. # 001-29"""
    monkeypatch.setattr(server, "TOOLS", 3)
    one = servers["tides"]
    with caplog.at_level(logging.WARNING, "leaf.agent.mcp.server"), _propagating("leaf"):
        for _ in range(2):
            assert len(await one.tools()) == 3
            one._changed()
    (line,) = [record.getMessage() for record in caplog.records if "left out" in record.getMessage()]
    assert line.startswith("MCP server tides: ")


async def test_a_servers_own_schema_of_its_results_is_not_run(servers: dict[str, server.Server]) -> None:
    """A regular expression in it could hold up the process for ever. # 001-29"""
    assert [await called(servers[one], "misshapen") for one in ("almanac", "tides")] == ["As it is."] * 2


async def test_a_call_can_be_stopped(servers: dict[str, server.Server], folder: Path) -> None:
    (folder / "hanging").unlink(missing_ok=True)
    hanging = asyncio.create_task(called(servers["almanac"], "hang"))
    await until((folder / "hanging").exists, what="the call is being made")
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert (await called(servers["almanac"], "look_up", day="Monday")).startswith("On Monday")


async def test_a_server_that_dies_is_started_again(servers: dict[str, server.Server], folder: Path) -> None:
    (folder / "started").unlink(missing_ok=True)
    one = servers["almanac"]
    assert (await called(one, "look_up", day="Monday")).startswith("On Monday")
    with pytest.raises(ToolFailed, match="broke off"):
        await called(one, "die")
    assert (await called(one, "look_up", day="Tuesday")).startswith("On Tuesday")
    assert len((folder / "started").read_text().splitlines()) == 2, "one process for all calls, and one after it died"


async def test_a_list_of_tools_that_changes_is_seen(
    servers: dict[str, server.Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = servers["almanac"]
    monkeypatch.setattr(server, "FRESH_SECONDS", 0.0)
    assert "almanac_moon" not in await one.tools()
    await called(one, "grow")
    tools = await one.tools()
    assert "almanac_moon" in tools
    assert "almanac_huge" not in tools
    assert await called(one, "moon") == "It is full."


async def test_a_server_that_is_away_costs_no_answer_and_is_tried_again_later(
    servers: dict[str, server.Server], caplog: pytest.LogCaptureFixture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is told; the log says it once; nobody waits for it a second time; and it may come back."""
    away = servers["nowhere"]
    tools = McpTools({"nowhere": away, "tides": servers["tides"]})
    with caplog.at_level(logging.WARNING, "leaf.agent.mcp.server"), _propagating("leaf"):
        offered = await tools.get_tools(context())
        assert await away.tools() == {}
        monkeypatch.setattr(server, "PATIENCE_SECONDS", 0.0)
        away._refresh_at = 0
        assert await away.tools() == {}
    assert [record.message for record in caplog.records if "nowhere" in record.message].__len__() == 1
    assert not [name for name in offered if name.startswith("nowhere")]
    said = await tools.get_instructions(context())
    assert said is not None
    assert "nowhere" in said.content
    assert "tides" not in said.content
    with mcp_process.serving(folder, int(away._server.entry.url.split(":")[2].split("/")[0])):
        assert "nowhere_look_up" in await away.tools()
        assert await McpTools({"nowhere": away}).get_instructions(context()) is None


async def test_a_tool_that_is_gone_fails_and_does_not_end_the_answer(servers: dict[str, server.Server]) -> None:
    """A run that goes on may call what the model was offered days ago."""
    tools = McpTools(servers)
    reply = ModelResponse(parts=[ToolCallPart("nowhere_moon", {}), ToolCallPart("tides_gone", {})])
    there = await tools.get_tools(context(messages=[reply]))
    for name in ("nowhere_moon", "tides_gone"):
        with pytest.raises(ToolFailed, match="not offered"):
            await tools.call_tool(name, {}, context(), there[name])


async def test_who_writes_has_to_be_allowed(servers: dict[str, server.Server], folder: Path) -> None:
    """With a reason for the person who is asked. # 001-29"""
    (folder / "written").unlink(missing_ok=True)
    tools = McpTools(servers)
    there = await tools.get_tools(context())
    writing = there["tides_write_down"]
    assert (writing.tool_def.metadata or {})["writing"] is True
    with pytest.raises(ApprovalRequired) as refused:
        await tools.call_tool("tides_write_down", {"text": "x"}, context(), writing)
    assert "write_down" in (refused.value.metadata or {})["reason"]
    assert not (folder / "written").exists()
    await tools.call_tool("tides_write_down", {"text": "x"}, context(approved=True), writing)
    assert (folder / "written").read_text() == "x\n"


async def test_tools_of_servers_are_known_by_name_and_say_whether_they_write(servers: dict[str, server.Server]) -> None:
    """For the rule about private texts and the web."""
    assert mcp.is_mcp("tides_look_up")
    assert not mcp.is_mcp("read_file")
    there = await McpTools(servers).get_tools(context())
    about = {name: there[name].tool_def.metadata or {} for name in ("tides_look_up", "tides_write_down")}
    assert (about["tides_look_up"]["writing"], about["tides_look_up"]["outward"]) == (False, None)
    assert (about["tides_write_down"]["writing"], about["tides_write_down"]["outward"]) == (True, "tides")


async def test_a_program_is_given_little_and_what_it_says_of_it_is_hidden(
    servers: dict[str, server.Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 001-29"""
    monkeypatch.setenv("LEAF_SECRET", "not-for-servers-0123456789")
    given = json.loads(await called(servers["almanac"], "environment"))
    assert set(given) <= {
        "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE", "MCP_FOLDER", "ALMANAC_KEY", "PYTHONPATH",
    }  # fmt: skip
    assert given["ALMANAC_KEY"] == "[hidden]"
    assert TOKEN not in await called(servers["tides"], "headers")


async def test_redirects_are_not_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, port: int) -> None:
    """They would carry the headers to another server."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(f"HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:{port}/mcp\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        monkeypatch.setenv("TIDES_TOKEN", TOKEN)
        file = tmp_path / "mcp.toml"
        file.write_text(mcp_process.http("tides", listening.sockets[0].getsockname()[1]))
        one = server.Server(config.Settings(_env_file=None, mcp_file=file).mcp_servers[0])
        assert await one.tools() == {}
    assert one.down
    assert any(TOKEN in request for request in asked)


def test_nothing_is_loaded_where_no_server_is_configured() -> None:
    """# 001-29"""
    import subprocess

    program = (
        "import sys, leaf.config as c; c._current = c.Settings(_env_file=None); from leaf.agent import agents;"
        "agents.build(); print([n for n in ('mcp', 'fastmcp', 'opentelemetry.sdk') if n in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "[]"


@contextmanager
def _propagating(name: str) -> Iterator[None]:
    """Has a logger's records reach pytest for the length of a block."""
    logger = logging.getLogger(name)
    was, logger.propagate = logger.propagate, True
    try:
        yield
    finally:
        logger.propagate = was
