"""The to-do list and what is displayed outlive the worker that made them."""

import json
from typing import Any

from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.services import chats
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.workers import Crew


def _todos(**statuses: str) -> dict[str, Any]:
    todos = [{"content": name, "status": status} for name, status in statuses.items()]
    return {"text": "On with it. ", "calls": [{"name": "todoWrite", "arguments": {"todos": todos}}]}


async def test_a_list_goes_on_under_another_worker(crew: Crew, ada: Actor, ask: Ask) -> None:
    """# 002-18"""
    await crew.of(2)
    chat_id = await chats.new(ada)
    table = {"title": "T", "columns": [{"key": "a", "label": "A"}], "rows": [{"a": "x"}]}
    script = [
        _todos(Read="in_progress", Write="pending"),
        {"text": "This is said slowly. " * 60, "calls": [{"name": "displayTable", "arguments": table}]},
        _todos(read="completed", Check="pending"),
        {"text": "Done."},
    ]
    turn = await ask(
        ada,
        f"```json\n{json.dumps(script)}\n```",
        chat_id=chat_id,
        model="sandbox:sandbox-script-20",
        mode=Mode.ADAPTIVE,
    )
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: len(reader.tools()) == 1 and reader.words > 20)
        await crew.lose_writer_of(turn.assistant.run_id)
        stored = await reader.end()
    assert stored.status == "completed"
    tools = [part for part in stored.parts if part["type"].startswith("tool-")]
    assert [part["type"] for part in tools] == ["tool-todoWrite", "tool-displayTable", "tool-todoWrite"]
    assert tools[1]["output"] == {**table, "columns": [{"key": "a", "label": "A", "type": "text"}]}
    assert tools[2]["output"] == {
        "todos": [
            {"content": "read", "status": "completed"},
            {"content": "Write", "status": "pending"},
            {"content": "Check", "status": "pending"},
        ],
        "completedCount": 1,
        "totalCount": 3,
    }
