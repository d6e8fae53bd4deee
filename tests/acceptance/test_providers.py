"""The protocols of OpenAI and Anthropic, each with its own client library, against the sandbox."""

import pytest

from leaf.db import Actor
from leaf.services import chats
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox

pytestmark = pytest.mark.usefixtures("worker")


@pytest.mark.parametrize(
    ("model", "protocol"),
    [
        ("openai:sandbox", "openai-responses"),
        ("openai-chat:sandbox", "openai-chat"),
        ("anthropic:sandbox", "anthropic"),
    ],
)
async def test_every_provider_calls_tools_answers_and_takes_the_history_back(
    ada: Actor, ask: Ask, sandbox: Sandbox, model: str, protocol: str
) -> None:
    """000-26, 001-11: the main job and a follow-up question work with each protocol of models."""
    chat_id = await chats.new(ada)
    turn = await ask(ada, QUESTION, model=model, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert (stored.status, stored.error_text) == ("completed", None)
    assert stored.parts == reader.parts
    assert {"tool-search_files", "tool-read_drive_file"} == {part["type"] for part in reader.tools()}
    assert {entry["protocol"] for entry in sandbox.asked()} == {protocol}
    assert "Halden" in reader.text
    turn = await ask(ada, "And when does it end?", model=model, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
