"""An account that is deleted while its answer is being written."""

import pytest

from jobs import registry
from leaf import errors, redis
from leaf.services import account_deletion, chats
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.people import sign_in
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack, until

EMAIL = "ben@sandbox.leaf.example"


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("model", ["sandbox:sandbox-slow-30", "sandbox:sandbox-silent"])
async def test_a_run_ends_with_its_person_and_writes_nothing_more(
    ask: Ask, stack: Stack, sandbox: Sandbox, model: str
) -> None:
    """000-44: the model is cut off; no row and no key names the person or the run."""
    ben = await sign_in("ben")
    chat_id = await chats.new(ben)
    await ChatFiles(ben, chat_id).write("plan.md", "first")
    turn = await ask(ben, QUESTION, model=model, chat_id=chat_id)
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ben, run_id) as reader:
        await until(lambda: reader.words > 60 or (reader.chunks and model.endswith("silent") and sandbox.asked()))
        assert await account_deletion.delete(ben, EMAIL)
        with pytest.raises(errors.NotFound):
            await reader.end()
    await until(lambda: all(entry["finish"] for entry in sandbox.asked()))
    assert sandbox.asked()[-1]["finish"] == "disconnected"

    async def nothing_left() -> bool:
        named = [key async for key in redis.client().scan_iter(f"*{ben.user_id}*")]
        named += [key async for key in redis.client().scan_iter(f"*{run_id}*")]
        return not named and not await registry.attempts()

    await until(nothing_left)
    for statement in (
        "SELECT id FROM users WHERE id = %s",
        "SELECT user_id FROM usage_entries WHERE user_id = %s",
        "SELECT user_id FROM documents WHERE user_id = %s",
        "SELECT user_id FROM messages WHERE user_id = %s",
    ):
        assert stack.execute(statement, ben.user_id) == []
    assert stack.execute("SELECT id FROM messages WHERE chat_session_id = %s", chat_id) == []
