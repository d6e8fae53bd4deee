"""The npm package `ai`, versions 5, 6 and 7, drives a running Leaf: two web processes and a worker."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from leaf import streams
from leaf.db import Actor
from leaf.services import api_keys, conversations
from tests.acceptance.stack import REPOSITORY, Stack, until
from tests.acceptance.web import Web
from tests.acceptance.workers import Crew
from tests.golden_streams import NAMES

AISDK = REPOSITORY / "tests" / "aisdk"
GENERATIONS = ("ai5", "ai6", "ai7")
_SECONDS = 120
_LONGEST_LINE = 2**26
SLOW = "This is said slowly. " * 20

Drive = Callable[..., Awaitable[dict[str, Any]]]


class Drivers:
    """A process of Node.js for each generation, with its package loaded: it drives one scenario after the other."""

    def __init__(self) -> None:
        self._nodes: dict[str, asyncio.subprocess.Process] = {}

    async def drive(self, generation: str, **order: Any) -> dict[str, Any]:
        """Runs a scenario of `drive.mjs`; returns what it has seen."""
        node = self._nodes.pop(generation, None) or await self._start(generation)
        try:
            assert node.stdin is not None
            assert node.stdout is not None
            node.stdin.write(json.dumps(order).encode() + b"\n")
            async with asyncio.timeout(_SECONDS):
                line = await node.stdout.readline()
            result = json.loads(line or b'{"error": "it has ended"}')
        except BaseException:
            node.kill()
            await node.wait()
            raise
        self._nodes[generation] = node
        assert "error" not in result, result["error"]
        return result["seen"]

    async def _start(self, generation: str) -> asyncio.subprocess.Process:
        assert (AISDK / "node_modules" / "ai7").is_dir(), "install the packages: make aisdk"
        return await asyncio.create_subprocess_exec(
            str(Path(sys.executable).parent / "node"), "drive.mjs", generation,
            cwd=AISDK, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LONGEST_LINE,
        )  # fmt: skip

    async def close(self) -> None:
        """Ends all processes."""
        for node in self._nodes.values():
            assert node.stdin is not None
            # Python 3.11 closes it only when there is something to write.
            node.stdin.close()
            await node.communicate()


@pytest_asyncio.fixture(scope="session")
async def drivers() -> AsyncIterator[Drivers]:
    running = Drivers()
    yield running
    await running.close()


@pytest.fixture
async def drive(drivers: Drivers, webs: list[Web], worker: None, ada: Actor) -> Drive:
    """Runs a scenario of `drive.mjs`; gives what it has seen."""
    _, key = await api_keys.create(ada, "AI SDK", ["read", "write"], lasts_days=30)

    async def drive(generation: str, scenario: str, *steps: Any, **given: Any) -> dict[str, Any]:
        text = f"```json\n{json.dumps(steps)}\n```"
        told = {"id": f"page-{uuid4().hex[:8]}", "text": text, "other": webs[1].url, **given}
        return await drivers.drive(generation, scenario=scenario, url=webs[0].url, key=key, input=told)

    return drive


def texts(messages: list[dict[str, Any]], role: str = "assistant") -> list[str]:
    return [
        "".join(part["text"] for part in one["parts"] if part["type"] == "text")
        for one in messages
        if one["role"] == role
    ]


def ids(messages: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in messages if one["role"] == "assistant"]


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_questions_are_sent_and_answers_hold_tools_and_thinking(drive: Drive, generation: str) -> None:
    """# 000-28, 001-12, 002-01"""
    steps = [
        {"reasoning": "I should write it down.", "text": "Working. ",
         "calls": [{"name": "write_file", "arguments": {"path": "plan.md", "content": "one\n"}}]},
        {"text": "It is written."},
    ]  # fmt: skip
    seen = await drive(generation, "send", *steps)
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert [one["role"] for one in seen["messages"]] == ["user", "assistant"] * 2
    first = seen["messages"][1]
    kinds = [part["type"] for part in first["parts"]]
    assert [kind for kind in kinds if kind in {"reasoning", "tool-write_file", "text"}] == [
        "reasoning", "text", "tool-write_file", "text"
    ]  # fmt: skip
    (tool,) = [part for part in first["parts"] if part["type"] == "tool-write_file"]
    assert (tool["state"], tool["input"]["path"]) == ("output-available", "plan.md")
    assert texts(seen["messages"]) == ["Working. It is written.", "This is the end of the script."]
    history = seen["history"]["messages"]
    assert texts(history) == texts(seen["messages"])
    assert ids(history) == ids(seen["messages"]), "the client has the server's ids"
    assert first["metadata"]["status"] == "completed"


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_an_open_stream_shows_no_text_twice_when_its_worker_is_killed(
    drive: Drive, crew: Crew, generation: str
) -> None:
    """Without any header: the next worker continues after the shown text. # 000-24, 000-30"""
    await crew.of(2)
    text = " ".join(f"word{number}" for number in range(150))
    steps = [
        {"text": "I write it down. ", "calls": [
            {"name": "write_file", "arguments": {"path": "plan.md", "content": "one\n"}}]},
        {"text": text},
    ]  # fmt: skip
    watching = asyncio.create_task(drive(generation, "watch", *steps))
    await crew.lose_writer_of(await _run_with("word40 "))
    seen = await watching
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert texts(seen["messages"]) == texts(seen["history"]["messages"]) == [f"I write it down. {text}"]
    for before, after in pairwise(seen["shown"]):
        assert after.startswith(before), "nothing that was shown is taken back"
    tools = [part for part in seen["messages"][1]["parts"] if part["type"].startswith("tool-")]
    assert [part["state"] for part in tools] == ["output-available"]


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_each_generation_resumes_the_golden_streams_at_every_chunk(generation: str) -> None:
    """The prefix and what is resumed show what the whole run shows, and no text twice. # 000-24, 000-30"""
    node = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).parent / "node"), "golden.mjs", generation,
        cwd=AISDK, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(_SECONDS):
        seen, said = await node.communicate()
    assert node.returncode == 0, said.decode()
    found = json.loads(seen)
    assert {Path(name).stem for name in found} == {*NAMES}
    for name, one in found.items():
        for cut, page in enumerate(one["cuts"]):
            assert page["parts"] == one["whole"]["parts"], (name, cut)
            assert one["whole"]["text"].startswith(page["shown"]), (name, cut)


async def _run_with(text: str) -> UUID:
    """The run whose answer has come to these words."""

    async def found() -> UUID | None:
        for run_id in await conversations.unfinished(timedelta(0)):
            chunks = await streams.read(run_id)
            if text in "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta"):
                return run_id
        return None

    return await until(found, what=f"an answer with {text!r}")


async def test_the_transport_for_runs_reads_on_where_it_was_cut(drive: Drive) -> None:
    """`WorkflowChatTransport`, by its own addresses, with `startIndex`. # 000-28, 000-30"""
    seen = await drive("ai7", "workflow", {"text": SLOW})
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert texts(seen["messages"]) == texts(seen["history"]["messages"]) == [SLOW]
    (asking, reading, ending) = seen["asked"]
    assert asking == ["POST", "/api/chat"]
    found = re.fullmatch(r"/api/chat/([0-9a-f-]{36})/stream\?startIndex=(\d+)", reading[1])
    assert found is not None, reading
    assert int(found[2]) > 12
    assert ending == ["GET", f"/api/chat/{found[1]}/stream?startIndex=-3"]
    assert seen["kinds"][-1] == "finish"
    assert len(seen["kinds"]) <= 3


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_a_page_that_is_loaded_anew_goes_on_where_the_answer_is(drive: Drive, generation: str) -> None:
    """At another web process than the one that was asked. # 000-30"""
    seen = await drive(generation, "reload", {"text": SLOW})
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert texts(seen["messages"]) == texts(seen["first"]) == texts(seen["history"]["messages"]) == [SLOW]
    assert ids(seen["messages"]) == ids(seen["first"])
    assert seen["idle"]["status"] == "ready"
    assert len(seen["idle"]["messages"]) == 2


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_a_connection_that_is_cut_is_resumed_in_the_same_page(drive: Drive, generation: str) -> None:
    """Closing it stops nothing. # 000-30"""
    seen = await drive(generation, "resume", {"text": SLOW})
    assert seen["status"] == "ready"
    assert texts(seen["messages"]) == [SLOW]
    assert 0 < len(seen["cut"]) < len(SLOW)


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_an_answer_that_ends_while_a_page_is_cut_off_is_whole_on_it(drive: Drive, generation: str) -> None:
    """A page that has a half, one loaded in mid-answer, and one that has all show it once. # 000-30"""
    seen = await drive(generation, "late", {"text": SLOW})
    assert 0 < len(seen["cut"]) < len(SLOW)
    assert SLOW not in texts(seen["before"])
    assert texts(seen["loaded"]["messages"]) == texts(seen["whole"]["messages"]) == [SLOW]
    assert texts(seen["messages"]) == [SLOW]
    assert ids(seen["messages"]) == ids(seen["whole"]["messages"]) == ids(seen["history"]["messages"])


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_answers_are_written_again_beside_the_old_ones(drive: Drive, generation: str) -> None:
    seen = await drive(generation, "regenerate", {"text": "Once."})
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert seen["answer"] != seen["again"]
    versions = seen["history"]["versions"]
    assert len(seen["messages"]) == len(seen["history"]["messages"]) == 2
    (last,) = ids(seen["history"]["messages"])
    assert versions[last] == [seen["answer"], seen["again"], last]
    assert ids(seen["messages"]) == [last]


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_a_question_is_edited_by_the_id_that_the_page_gave_it(drive: Drive, generation: str) -> None:
    seen = await drive(generation, "edit", {"text": "Once."})
    assert (seen["status"], seen["error"]) == ("ready", None)
    history = seen["history"]["messages"]
    assert texts(history, "user")[1:] == texts(seen["messages"], "user")[1:] == ["The second, edited?"]
    assert len(history) == 4
    assert [len(several) for several in seen["history"]["versions"].values()] == [2]


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_an_answer_is_stopped_and_says_so(drive: Drive, generation: str) -> None:
    seen = await drive(generation, "stop", {"text": SLOW})
    last = seen["messages"][-1]
    assert (seen["status"], last["metadata"]["status"]) == ("ready", "stopped")
    assert 0 < len(texts(seen["messages"])[0]) < len(SLOW)
    assert seen["history"]["messages"][-1]["metadata"]["status"] == "stopped"
    assert texts(seen["history"]["messages"]) == texts(seen["messages"])


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_what_goes_wrong_is_told(drive: Drive, stack: Stack, generation: str) -> None:
    stack.sandbox.fault("chat/completions", 400, times=20)
    seen = await drive(generation, "errors", {"text": "Never."})
    assert json.loads(seen["stranger"]["error"])["error"]["code"] == "unauthenticated"
    assert json.loads(seen["empty"]["error"])["error"]["field"] == "message"
    assert seen["failing"]["status"] == "error"
    assert seen["failing"]["error"]
    assert "Traceback" not in seen["failing"]["error"]


async def test_fifty_chats_are_answered_at_once(drive: Drive) -> None:
    seen = await drive("ai6", "crowd", {"text": "All of us."}, count=50)
    assert {*seen["errors"]} == {None}
    assert seen["texts"] == ["All of us."] * 50


TOOLS = [
    {"name": "readDocument", "version": 2, "description": "The document as it is now.",
     "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
     "outputSchema": {"type": "string"}},
    {"name": "replaceText", "inputSchema": {
        "type": "object", "required": ["old", "new"],
        "properties": {"old": {"type": "string"}, "new": {"type": "string"}}}},
]  # fmt: skip


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_tools_run_in_the_page_as_often_as_the_model_asks(drive: Drive, generation: str) -> None:
    """Three of them in one answer, one with an error, in one message with one id. # 004-14, 002-01"""
    steps = [
        {"text": "I look. ", "calls": [{"name": "readDocument", "arguments": {}}]},
        {"text": "I change. ", "calls": [{"name": "replaceText", "arguments": {"old": "a", "new": "b"}}]},
        {"text": "I look again. ", "calls": [{"name": "readDocument", "arguments": {}}]},
        {"text": "Done."},
    ]  # fmt: skip
    results = {"readDocument": {"output": "a text"}, "replaceText": {"error": "It is locked."}}
    seen = await drive(generation, "clientTools", *steps, tools=TOOLS, results=results)
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert seen["ran"] == [["readDocument", {}], ["replaceText", {"old": "a", "new": "b"}], ["readDocument", {}]]
    assert len(seen["messages"]) == 2
    assert texts(seen["messages"]) == ["I look. I change. I look again. Done."]
    states = [part["state"] for part in seen["messages"][1]["parts"] if part["type"].startswith("tool-")]
    assert states == ["output-available", "output-error", "output-available"]
    history = seen["history"]["messages"]
    assert (ids(history), texts(history)) == (ids(seen["messages"]), texts(seen["messages"]))
    (failed,) = [part for part in history[1]["parts"] if part["type"] == "tool-replaceText"]
    assert failed["errorText"] == "It is locked."


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("slow", ["neither", "readDocument", "replaceText", "both"])
async def test_several_calls_of_one_step_go_on_with_all_of_their_results(
    drive: Drive, generation: str, slow: str
) -> None:
    """Beside a tool of the server's; whichever is ready first, and before or after the end of the stream. # 004-09"""
    steps = [
        {"text": "I look. ", "calls": [
            {"name": "readDocument", "arguments": {}},
            {"name": "write_file", "arguments": {"path": "plan.md", "content": "one\n"}},
            {"name": "replaceText", "arguments": {"old": "a", "new": "b"}}]},
        {"text": "I change. ", "calls": [
            {"name": "replaceText", "arguments": {"old": "b", "new": "c"}},
            {"name": "replaceText", "arguments": {"old": "c", "new": "d"}}]},
        {"text": "Done."},
    ]  # fmt: skip
    results: dict[str, Any] = {"readDocument": {"output": "a text"}, "replaceText": {"error": "It is locked."}}
    for name, result in results.items():
        result["afterMs"] = 1500 if slow in {name, "both"} else 0
    seen = await drive(generation, "clientTools", *steps, tools=TOOLS, results=results)
    assert (seen["status"], seen["error"]) == ("ready", None)
    assert [name for name, _ in seen["ran"]] == ["readDocument", *["replaceText"] * 3], "each is run once"
    assert len(seen["messages"]) == 2
    assert texts(seen["messages"]) == ["I look. I change. Done."]
    history = seen["history"]["messages"]
    for messages in (seen["messages"], history):
        tools = {part["toolCallId"]: part for part in messages[1]["parts"] if part["type"].startswith("tool-")}
        assert sorted(part["state"] for part in tools.values()) == ["output-available"] * 2 + ["output-error"] * 3
    assert (ids(history), texts(history)) == (ids(seen["messages"]), texts(seen["messages"]))


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_a_page_that_is_loaded_anew_does_not_run_a_tool_once_more(drive: Drive, generation: str) -> None:
    """The replay begins with the message as it waited, whose calls are told without running them. # 004-28, 000-30"""
    steps = [{"text": "I look. ", "calls": [{"name": "readDocument", "arguments": {}}]}, {"text": SLOW}]
    seen = await drive(generation, "clientToolsReload", *steps, tools=TOOLS)
    assert (seen["status"], seen["error"], seen["ran"]) == ("ready", None, [])
    assert seen["waiting"]["messages"][-1]["metadata"]["status"] == "waiting"
    assert texts(seen["messages"]) == texts(seen["first"]) == texts(seen["history"]["messages"]) == [f"I look. {SLOW}"]
    assert ids(seen["messages"]) == ids(seen["first"])
