"""A chat that has outgrown its model, through a worker of its own: every question is answered."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from leaf.db import Actor
from leaf.services import chats, conversations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew, Worker
from tests.summaries import stored_summaries

SCRIPT = "sandbox:sandbox-script-0"
CONTEXT_TOKENS = 12_000


@pytest_asyncio.fixture
async def narrow_worker(stack: Stack, crew: Crew, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Worker]:
    """The only worker that is awake; requests of its models may have few tokens."""
    await crew.of(1)
    with crew.away():
        with monkeypatch.context() as patched:
            patched.setattr(stack, "settings", stack.settings.model_copy(update={"context_tokens": CONTEXT_TOKENS}))
            narrow = Crew(stack, prefix="narrow")
            await narrow.of(1)
        try:
            yield narrow.alive[0]
        finally:
            narrow.stop()


async def test_a_chat_that_outgrows_its_model_goes_on(
    narrow_worker: Worker, stack: Stack, ada: Actor, ask: Ask
) -> None:
    """Turn after turn, and the last one once more. # 001-18, 002-29"""
    chat_id = await chats.new(ada)
    for number in range(8):
        said = f"Answer {number}. " + "The cold store is in Riverbend. " * 160
        script = f"```json\n{json.dumps([{'text': said}])}\n```"
        turn = await ask(ada, script, chat_id=chat_id, model=SCRIPT)
        async with reading(ada, turn.assistant.run_id) as reader:
            stored = await reader.end()
        assert (stored.status, stored.error_text) == ("completed", None)
        assert stored.parts[-1]["text"] == said
    chat = await chats.open(ada, chat_id)
    assert chat.summary is not None
    assert chat.summary.message_id in {message.id for message in chat.messages[:-2]}
    spent = await stored_summaries(ada, chat_id)
    assert spent[-1].message_id == chat.summary.message_id
    assert all(one.model == SCRIPT and one.output_tokens for one in spent)
    with stack.model(SCRIPT):
        again = await conversations.retry(ada, chat.messages[-1].id)
    async with reading(ada, again.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    assert (await chats.open(ada, chat_id)).summary == chat.summary
