"""The next question: it knows what was said, also after everything was restarted, and fetches nothing twice."""

import pytest

from leaf import citations, redis
from leaf.db import Actor, session
from leaf.services import chats
from leaf.services.files import ChatFiles
from leaf.services.library import progress
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack, until
from tests.acceptance.workers import Crew

ADA = "ada@sandbox.leaf.example"


@pytest.mark.usefixtures("worker", "indexing")
async def test_a_second_question_on_an_unchanged_file_downloads_nothing(
    stack: Stack, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-57: Google is asked whether it is the same file still, and the text comes from the database.

    The index has read the file once, before it was asked for.
    """
    stack.execute("DELETE FROM documents")

    async def is_quiet() -> bool:
        """Everything is read, and no answer that an earlier test left unfinished reads on."""
        unfinished = stack.execute("SELECT FROM messages WHERE status IN ('pending', 'streaming')")
        return not unfinished and (await progress.of(ada)).complete

    await until(is_quiet, seconds=120)
    for _ in range(2):
        sandbox.forget()
        turn = await ask(ada, QUESTION)
        async with reading(ada, turn.assistant.run_id) as reader:
            stored = await reader.end()
        assert stored.status == "completed"
        assert reader.tools()
        (cited,) = [part["data"] for part in stored.parts if part["type"] == citations.CITATIONS]
        files = {one["file_id"] for one in cited}
        assert files
        # The index may read what earlier tests have connected or changed.
        downloads = [path for path in sandbox.downloads(ADA) if any(file in path for file in files)]
        read = "SELECT file_id, revision, state, attempts, updated_at, now() FROM drive_texts WHERE file_id = ANY(%s)"
        assert downloads == [], stack.execute(read, list(files))
        assert sandbox.drive_calls(ADA)


async def test_after_a_restart_of_everything_the_next_question_has_the_whole_context(
    crew: Crew, stack: Stack, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """001-03, 001-16: workers, Redis, PostgreSQL and this process's connections are new; the model is sent it all."""
    await crew.of(1)
    chat_id = await chats.new(ada)
    turn = await ask(ada, QUESTION, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.end()
    said = sandbox.asked()[-1]["messages"] + 1
    files = ChatFiles(ada, chat_id)
    await files.write("notes/lease.md", "Halden, ten years")
    crew.stop()
    await session.dispose()
    await redis.close()
    stack.stop_redis()
    stack.stop_postgres()
    stack.start_postgres()
    stack.start_redis()
    crew.hire()
    await crew.of(2)
    sandbox.forget()
    turn = await ask(ada, "And when does it end?", chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    assert sandbox.asked()[0]["messages"] == said + 1
    assert "Halden" in reader.text
    rows = stack.execute(
        "SELECT jsonb_array_length(model_messages) FROM messages WHERE chat_session_id = %s AND role = 'assistant' "
        "ORDER BY position",
        chat_id,
    )
    assert all(count > 0 for (count,) in rows)
    assert [(row.path, row.version) for row in await files.listed()] == [("notes/lease.md", 1)]
    assert (await files.read("notes/lease.md")).content == "Halden, ten years"
