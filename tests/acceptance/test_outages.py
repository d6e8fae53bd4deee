"""Redis and PostgreSQL that restart, lose everything, or are away: the answer is written, or the reader is told."""

import pytest

from leaf import errors, redis, streams
from leaf.db import Actor
from leaf.services import chats, conversations, readers
from tests.acceptance.conftest import Ask, WholeText
from tests.acceptance.readers import QUESTION, SLOW, reading
from tests.acceptance.stack import Sandbox, Stack, until
from tests.acceptance.workers import Crew
from tests.run_reader import batches


@pytest.mark.usefixtures("worker")
async def test_an_answer_completes_when_redis_is_killed_and_comes_back(
    ada: Actor, ask: Ask, whole_text: WholeText, stack: Stack
) -> None:
    """000-24, 000-32: Redis keeps its streams on disk; writer and reader wait for it, and nothing is told twice."""
    whole = await whole_text(ada, QUESTION)
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        stack.kill_redis()
        stack.start_redis()
        stored = await reader.end()
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert reader.beginnings == 1


@pytest.mark.usefixtures("worker")
async def test_an_answer_starts_over_when_redis_has_lost_everything(
    ada: Actor, ask: Ask, whole_text: WholeText
) -> None:
    """000-24, 001-16: the question is in the database, so the answer is written anew, and its reader begins anew."""
    whole = await whole_text(ada, QUESTION)
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        await redis.client().flushall()
        stored = await reader.end()
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert reader.beginnings == 2


async def test_a_question_that_waits_is_answered_although_redis_has_lost_its_job(
    crew: Crew, ada: Actor, ask: Ask, stack: Stack
) -> None:
    """000-24, 000-43: workers compare the database's unfinished answers with what Redis knows of."""
    await crew.of(1)
    with crew.away():
        turn = await ask(ada, QUESTION)
        await redis.client().flushall()
    age = "UPDATE messages SET run_at = run_at - interval '1 minute' WHERE id = %s"
    stack.execute(age, turn.assistant.id)
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"


@pytest.mark.usefixtures("worker")
async def test_finished_chats_open_complete_without_redis_and_new_questions_are_refused(
    ada: Actor, ask: Ask, stack: Stack
) -> None:
    """000-34, 000-59: the database alone has the answer; what cannot be answered is not stored."""
    chat_id = await chats.new(ada)
    turn = await ask(ada, QUESTION, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    before = await chats.open(ada, chat_id)
    await redis.client().flushall()
    assert await chats.open(ada, chat_id) == before
    assert before.messages[-1].parts == stored.parts == reader.parts
    stack.stop_redis()
    assert await chats.open(ada, chat_id) == before
    assert before.id in {row.id for row in (await chats.page(ada)).rows}
    with pytest.raises(errors.RedisUnavailable):
        await conversations.ask(ada, chat_id, "And who signed it?")
    assert await chats.open(ada, chat_id) == before
    stack.start_redis()
    turn = await ask(ada, "And who signed it?", chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"


async def test_an_answer_is_stored_when_the_database_is_away_at_its_end(
    crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText, stack: Stack
) -> None:
    """000-43, 000-59, 002-31: the text streams on, the last write waits, and the reader sees one whole answer."""
    await crew.of(1)
    whole = await whole_text(ada, QUESTION)
    turn = await ask(ada, QUESTION, model="sandbox:sandbox-slow-4")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        worker = await crew.writer_of(turn.assistant.run_id)
        stack.stop_postgres()
        await until(lambda: "waits for the database" in worker.log.read_text())
        await reader.until(lambda reader: reader.text == whole)
        assert not reader.ended.is_set()
        stack.start_postgres()
        stored = await reader.end()
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert reader.beginnings == 1


@pytest.mark.usefixtures("worker")
async def test_a_run_is_followed_from_any_chunk_on(ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """000-30: the chunks from N to the end come once and in order, while it is written and afterwards."""
    turn = await ask(ada, QUESTION, model="sandbox:sandbox-slow-2")
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        start = len(reader.chunks) - 20
        late = [chunk async for batch in batches(run_id, readers.member(ada), start) for chunk in batch]
        await reader.end()
    assert late == reader.chunks[start:]
    for start in (0, 7, len(reader.chunks) - 1):
        assert [
            chunk async for batch in batches(run_id, readers.member(ada), start) for chunk in batch
        ] == reader.chunks[start:]
    assert await streams.length(run_id) == len(reader.chunks)
