"""A conversation that uses every tool once, in both modes, whose workers are killed in its middle."""

import json
from typing import Any
from uuid import UUID

import pytest

from leaf import parts
from leaf.agent import modes
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from sandbox import corpus
from tests import tools_doc
from tests.acceptance.readers import Reader, reading
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew

SENTENCE, TIMES = "This is said slowly, so that somebody can die in the middle of it. ", 12
SLOW = {"text": SENTENCE * TIMES}
QUESTION = {"question": "Which quarter?", "options": [{"value": "q1", "label": "The first"}]}
PLAN = {"title": "Plant", "steps": [{"label": "Dig"}]}
TABLE = {"title": "T", "columns": [{"key": "a", "label": "A"}], "rows": [{"a": "x"}]}
OPTIONS = {"question": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def script(mode: Mode, sandbox_url: str) -> str:
    """Every tool of a mode, once; in the middle the model asks its reader something."""
    page = f"{sandbox_url}/web/weather-book/how-hail-forms"
    own = call("displayPlan", **PLAN) if mode is Mode.QUICK else call("todoWrite", todos=[_todo("Read")])
    steps: list[dict[str, Any]] = [
        {"text": "First. ", "calls": [own, call("list_drive_folder", folder="root")]},
        {"text": "Files. ", "calls": [call("write_file", path="log.md", content="begun\n"),
                                      call("write_file", path="scratch.md", content="x\n")]},
        {"text": "Drive. ", "calls": [call("search_files", queries=["packing list"]),
                                      call("search", query="hail", max_results=2)]},
        {**SLOW, "calls": [call("edit_file", path="log.md", old="begun\n", new="begun\nbegun\n")]},
        {"text": "One thing. ", "calls": [call("askQuestion", **QUESTION)]},
        {"text": "Web. ", "calls": [call("fetch", url=page), call("displayLinkPreview", url=page, title="Hail")]},
        {"text": "Show. ", "calls": [call("displayTable", **TABLE), call("displayOptionList", **OPTIONS),
                                     call("displayCitations", items=[{"title": "Hail", "url": page}])]},
        {**SLOW, "calls": [call("delete_file", path="scratch.md")]},
        {"text": "Look. ", "calls": [call("read_file", path="log.md"), call("grep", pattern="begun")]},
        {"text": "Read. ", "calls": [call("list_files"), call("read_drive_file", file="{packing}"),
                                     call("compute", files=["{packing}"], query=SUM),
                                     call("compare_files", files=["{packing}"])]},
        {"text": "Done."},
    ]  # fmt: skip
    return f"```json\n{json.dumps(steps)}\n```"


SUM = "SELECT sum(count) AS pieces FROM packing_list"


def _todo(content: str) -> dict[str, str]:
    return {"content": content, "status": "pending"}


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_conversation_with_every_tool_survives_the_death_of_its_workers(
    mode: Mode, stack: Stack, crew: Crew, ada: Actor
) -> None:
    """Killed before the question and after it: the right files, and no change made twice. # 001-10, 002-17, 002-24"""
    await crew.of(2)
    chat_id = await chats.new(ada)
    question = script(mode, stack.sandbox.url).replace("{packing}", packing(stack))
    with stack.model("sandbox:sandbox-script-20"):
        turn = await conversations.ask(ada, chat_id, question, mode=mode)
    async with reading(ada, turn.assistant.run_id) as reader:
        await _kill(crew, reader, 2)
        waiting = await reader.end()
    assert waiting.status == "waiting"
    asked = next(part for part in waiting.parts if part["type"] == "tool-askQuestion")
    assert (
        await conversations.answer(ada, waiting.id, asked["toolCallId"], {"selectedOptions": ["q1"]})
    ).assistant.unfinished
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    async with reading(ada, run_id) as reader:
        await _kill(crew, reader, TIMES + 2)
        whole = await reader.end()
    assert (whole.id, whole.status) == (waiting.id, "completed"), whole.error_text
    tools = [part for part in whole.parts if parts.is_tool(part)]
    assert [part["toolCallId"] for part in tools if part["state"] != "output-available"] == [], tools
    used = [parts.tool_name(part) for part in tools]
    expected = {tool.name for tool in await tools_doc.in_mode(mode)}
    assert set(used) == expected
    assert sorted(used) == sorted([*expected, "write_file"]), "two files are written, all else is done once"
    assert whole.details["searchMode"] == mode.value
    await _files_are_right(ada, chat_id)
    assert modes.permits(mode, "todoWrite") is (mode is Mode.ADAPTIVE)


def packing(stack: Stack) -> str:
    return f"{stack.sandbox.url}/file/d/{corpus.opaque_id('folder Packing list.txt')}/view"


async def _kill(crew: Crew, reader: Reader, said: int) -> None:
    """Kills the writer in the middle of what it says slowly, with the call that changes a file still ahead of it.

    Args:
        said: How often the slow sentence has to stand there.
    """
    await reader.until(lambda reader: reader.text.count(SENTENCE) >= said)
    await crew.lose_writer_of(reader.run_id)


async def _files_are_right(ada: Actor, chat_id: UUID) -> None:
    files = ChatFiles(ada, chat_id)
    assert [row.path for row in await files.listed()] == ["log.md"]
    assert (await files.read("log.md")).content == "begun\nbegun\n"
    assert [one.action for one in await files.history("log.md")] == ["edit", "write"]
    assert [one.action for one in await files.history("scratch.md")] == ["delete", "write"]
