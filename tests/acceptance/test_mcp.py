"""Tools of MCP servers in whole runs: who has to be asked, what servers cannot spoil, and what nobody is shown."""

import json
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from leaf.db import Actor
from leaf.services import chats, conversations
from tests import mcp_process
from tests.acceptance.conftest import Ask
from tests.acceptance.outfitted import alone, crew_with
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew, lapse

SECRETS = {"TIDES_TOKEN": "tides" + secrets.token_hex(12), "ALMANAC_KEY": "almanac" + secrets.token_hex(12)}
SCRIPT = "sandbox:sandbox-script"


def script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    return {"text": f"Calling {name}. ", "calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture(scope="module")
def folder(running_stack: Stack) -> Path:
    made = running_stack.folder / "mcp"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def outfitted(running_stack: Stack, folder: Path) -> Iterator[Crew]:
    port, closed = mcp_process.free_port(), mcp_process.free_port()
    file = folder / "mcp.toml"
    file.write_text(mcp_process.STDIO + mcp_process.http("tides", port) + mcp_process.http("nowhere", closed))
    with mcp_process.serving(folder, port):
        crew = crew_with(running_stack, "mcp", {"LEAF_MCP_FILE": str(file), "MCP_FOLDER": str(folder), **SECRETS})
        try:
            yield crew
        finally:
            crew.stop()


@pytest_asyncio.fixture
async def workers(outfitted: Crew, crew: Crew, folder: Path) -> AsyncIterator[Crew]:
    for left in ("written", "go-on"):
        (folder / left).unlink(missing_ok=True)
    async with alone(outfitted, crew):
        yield outfitted


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


async def ended(ada: Actor, run_id: Any) -> Any:
    async with reading(ada, run_id) as reader:
        return await reader.end(), reader


def tool(message: Any, name: str) -> dict[str, Any]:
    return next(part for part in message.parts if part.get("toolName") == name)


WRITES = script(
    calling("almanac_look_up", day="Monday"), calling("almanac_write_down", text="spring tide"), {"text": "Done."}
)


async def test_a_tool_that_writes_waits_for_the_asker_and_is_called_once(
    workers: Crew, ada: Actor, ask: Ask, folder: Path
) -> None:
    """One that only reads is called at once; both are parts of tools that no client has to know. # 001-29, 002-49"""
    chat_id = await chats.new(ada)
    turn = await ask(ada, WRITES, chat_id=chat_id, model=SCRIPT)
    stopped, _ = await ended(ada, turn.assistant.run_id)
    read, waiting = tool(stopped, "almanac_look_up"), tool(stopped, "almanac_write_down")
    assert stopped.status == "waiting"
    assert (read["type"], read["state"]) == ("dynamic-tool", "output-available")
    assert read["output"] == "On Monday the tide is high at noon."
    assert (waiting["type"], waiting["state"]) == ("dynamic-tool", "approval-requested")
    assert "write_down" in waiting["approval"]["requestReason"]
    assert lines(folder / "written") == []
    assert (await conversations.answer(ada, stopped.id, waiting["toolCallId"], {"approved": True})).assistant.unfinished
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    whole, reader = await ended(ada, run_id)
    assert (whole.id, whole.status) == (stopped.id, "completed")
    assert tool(whole, "almanac_write_down")["output"] == "Wrote 'spring tide'."
    assert lines(folder / "written") == ["spring tide"]
    assert reader.parts == whole.parts
    assert whole.details["earlierTraceIds"] == [turn.assistant.run_id.hex]


async def test_what_is_not_allowed_is_not_done(workers: Crew, ada: Actor, ask: Ask, folder: Path) -> None:
    """# 001-29"""
    chat_id = await chats.new(ada)
    turn = await ask(ada, WRITES, chat_id=chat_id, model=SCRIPT)
    stopped, _ = await ended(ada, turn.assistant.run_id)
    await conversations.answer(ada, stopped.id, tool(stopped, "almanac_write_down")["toolCallId"], {"approved": False})
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    whole, _ = await ended(ada, run_id)
    assert whole.status == "completed"
    assert tool(whole, "almanac_write_down")["state"] == "output-denied"
    assert lines(folder / "written") == []


async def test_a_call_that_writes_is_not_made_again_when_its_worker_dies(
    workers: Crew, ada: Actor, ask: Ask, folder: Path
) -> None:
    """Nobody knows whether it was done: the model is told so, and the answer goes on. # 001-29"""
    await workers.of(2)
    chat_id = await chats.new(ada)
    slowly = script(calling("tides_write_slowly", text="neap tide"), {"text": "Over."})
    turn = await ask(ada, slowly, chat_id=chat_id, model=SCRIPT)
    stopped, _ = await ended(ada, turn.assistant.run_id)
    await conversations.answer(ada, stopped.id, tool(stopped, "tides_write_slowly")["toolCallId"], {"approved": True})
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await until(lambda: lines(folder / "written"), what="the call is being made")
        (await workers.writer_of(run_id)).kill()
        await lapse(run_id)
        whole = await reader.end()
    (folder / "go-on").touch()
    assert whole.status == "completed"
    assert "may have been done" in tool(whole, "tides_write_slowly")["errorText"]
    assert lines(folder / "written") == ["neap tide"]


async def test_no_server_fails_an_answer_and_no_secret_leaves(
    workers: Crew, ada: Actor, ask: Ask, stack: Stack, folder: Path
) -> None:
    """One hangs, dies, says too much or is away: the model is told, and goes on. # 001-29"""
    names = ("hang", "die", "fail", "huge", "environment", "look_up")
    steps = [calling(f"almanac_{name}", **({"day": "Friday"} if name == "look_up" else {})) for name in names]
    turn = await ask(ada, script(*steps, calling("tides_headers"), {"text": "All of them."}), model=SCRIPT)
    whole, reader = await ended(ada, turn.assistant.run_id)
    assert whole.status == "completed"
    assert reader.text.endswith("All of them.")
    assert "10 seconds" in tool(whole, "almanac_hang")["errorText"]
    assert "broke off" in tool(whole, "almanac_die")["errorText"]
    assert "failed" in tool(whole, "almanac_fail")["errorText"]
    assert len(tool(whole, "almanac_huge")["output"]) < 20_200
    assert tool(whole, "almanac_look_up")["output"].startswith("On Friday")
    given = json.loads(tool(whole, "almanac_environment")["output"])
    assert not {"LEAF_SECRET", "LEAF_SEAL_KEYS", "DATABASE_URL", "OPENAI_API_KEY", "LEAF_MCP_FILE"} & given.keys()
    assert SECRETS["TIDES_TOKEN"] in (folder / "headers").read_text(), "the server was given its token"
    places = {path.name: path.read_text() for path in [*workers.logs]}
    assert any("MCP server nowhere" in text for text in places.values())
    places |= {"chunks": json.dumps(reader.chunks), "stored": str(whole.parts)}
    places["rows"] = str(stack.execute("SELECT row_to_json(messages)::text FROM messages"))
    found = [(place, name) for place, text in places.items() for name, value in SECRETS.items() if value in text]
    assert found == []
