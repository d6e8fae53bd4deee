"""The events of a run's stream, as a reader sees them happen."""

import json

from leaf.db import Actor
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.workers import Crew

SCRIPT = [
    {"reasoning": "Let me see. ", "text": "Looking. ", "calls": [{"name": "list_files", "arguments": {}}]},
    {"text": "There is nothing."},
]


async def test_text_thinking_calls_results_ends_and_errors_are_told_apart(crew: Crew, ada: Actor, ask: Ask) -> None:
    """Each result names its call, and what is stored keeps the order. # 001-12, 001-25"""
    await crew.of(1)
    turn = await ask(ada, f"```json\n{json.dumps(SCRIPT)}\n```", model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    kinds = list(dict.fromkeys(chunk["type"] for chunk in reader.chunks))
    told = ["text-delta", "tool-input-start", "tool-input-available", "tool-output-available", "finish"]
    assert [kind for kind in kinds if kind in told] == told
    calls = {chunk["type"]: chunk["toolCallId"] for chunk in reader.chunks if "toolCallId" in chunk}
    assert len(set(calls.values())) == 1
    shapes = [part["type"] for part in stored.parts if part["type"] in {"text", "tool-list_files"}]
    assert shapes == ["text", "tool-list_files", "text"]
    thinking = await ask(ada, "What is the weather?", model="sandbox:sandbox-reasoning")
    async with reading(ada, thinking.assistant.run_id) as reader:
        await reader.end()
    assert "reasoning-delta" in {chunk["type"] for chunk in reader.chunks}
    failing = await ask(ada, "What is the weather?", model="sandbox:sandbox-fail")
    async with reading(ada, failing.assistant.run_id) as reader:
        failed = await reader.end()
    assert "error" in {chunk["type"] for chunk in reader.chunks}
    # The question stays, and can be asked again in its place.
    assert failed.status == "error"
