"""A chat that is deleted while its answer is being written."""

from datetime import timedelta

import pytest

from jobs import registry
from leaf import errors, redis
from leaf.db import Actor
from leaf.services import chats, conversations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack, until


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("model", ["sandbox:sandbox-slow-30", "sandbox:sandbox-silent"])
async def test_a_chat_deleted_in_mid_answer_leaves_no_rows_and_no_keys(
    ada: Actor, ask: Ask, stack: Stack, sandbox: Sandbox, model: str
) -> None:
    """000-44: the model is cut off, too."""
    chat_id = await chats.new(ada)
    turn = await ask(ada, QUESTION, model=model, chat_id=chat_id)
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await until(lambda: reader.words > 60 or (reader.chunks and model.endswith("silent") and sandbox.asked()))
        await chats.delete(ada, chat_id)
        with pytest.raises(errors.NotFound):
            await reader.end()
        await until(lambda: all(entry["finish"] for entry in sandbox.asked()))
        assert sandbox.asked()[-1]["finish"] == "disconnected"
        with pytest.raises(errors.NotFound):
            await conversations.result(ada, run_id)

    async def nothing_left() -> bool:
        return not [key async for key in redis.client().scan_iter(f"*{run_id}*")] and not await registry.attempts()

    await until(nothing_left)
    assert await chats.purge(timedelta(0)) == 1
    assert stack.execute("SELECT id FROM chat_sessions WHERE id = %s", chat_id) == []
    assert stack.execute("SELECT id FROM messages WHERE chat_session_id = %s", chat_id) == []
    assert stack.execute("SELECT user_id FROM chat_participants WHERE chat_session_id = %s", chat_id) == []
