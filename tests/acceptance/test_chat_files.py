"""The agent works on the files of its chat, and a worker that dies in the middle changes nothing twice."""

import json
from typing import Any

from leaf.db import Actor
from leaf.services import chats
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.workers import Crew


def _script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def _calls(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"text": "Working. ", "calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


async def test_every_file_tool_does_what_it_says(crew: Crew, ada: Actor, ask: Ask) -> None:
    """# 001-04 … 001-09, 001-11"""
    await crew.of(1)
    chat_id = await chats.new(ada)
    script = _script(
        _calls(("write_file", {"path": "notes/plan.md", "content": "one\ntwo\n"}), ("list_files", {})),
        _calls(("edit_file", {"path": "notes/plan.md", "old": "two", "new": "2"})),
        _calls(("read_file", {"path": "notes/plan.md"}), ("grep", {"pattern": "^2$"})),
        _calls(
            ("read_file", {"path": "../../etc/passwd"}),
            ("edit_file", {"path": "notes/plan.md", "old": "nowhere", "new": "x"}),
            ("read_file", {"path": "missing.md"}),
        ),
        _calls(("write_file", {"path": "x.md", "content": ""}), ("delete_file", {"path": "notes/plan.md"})),
        {"text": "Done."},
    )
    turn = await ask(ada, script, chat_id=chat_id, model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    tools = [part for part in stored.parts if part["type"].startswith("tool-")]
    outputs = [part.get("output") for part in tools]
    failed = [part["state"] == "output-error" for part in tools]
    assert failed == [False] * 5 + [True] * 3 + [False] * 2
    assert "+2" in outputs[2]["diff"]
    assert (outputs[3]["text"], outputs[3]["total_lines"]) == ("one\n2", 2)
    assert outputs[4]["hits"] == [{"path": "notes/plan.md", "line": 2, "text": "2"}]
    assert "not the path of a file" in tools[5]["errorText"]
    assert "is not in notes/plan.md" in tools[6]["errorText"]
    assert "list_files shows" in tools[7]["errorText"]
    files = ChatFiles(ada, chat_id)
    assert [row.path for row in await files.listed()] == ["x.md"]
    assert [one.by for one in await files.history("notes/plan.md")] == ["agent"] * 3


async def test_a_worker_that_is_killed_in_the_middle_writes_nothing_twice(crew: Crew, ada: Actor, ask: Ask) -> None:
    """# 001-10"""
    await crew.of(2)
    chat_id = await chats.new(ada)
    script = _script(
        _calls(("write_file", {"path": "log.md", "content": "begun\n"})),
        _calls(("edit_file", {"path": "log.md", "old": "begun\n", "new": "begun\nbegun\n", "replace_all": True})),
        {"text": "This is said slowly. " * 60},
    )
    turn = await ask(ada, script, chat_id=chat_id, model="sandbox:sandbox-script-20")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: len(reader.tools()) == 2 and reader.words > 20)
        await crew.lose_writer_of(turn.assistant.run_id)
        stored = await reader.end()
    assert stored.status == "completed"
    files = ChatFiles(ada, chat_id)
    assert (await files.read("log.md")).content == "begun\nbegun\n"
    assert [one.action for one in await files.history("log.md")] == ["edit", "write"]
