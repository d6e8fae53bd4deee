"""One question, one run, one answer: what is stored, what is streamed, and how often the database is written."""

import json

import pytest

from leaf import parts, redis, streams
from leaf.db import Actor
from leaf.services import chats
from tests.acceptance.conftest import Ask
from tests.acceptance.outfitted import alone, crew_with
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack, until
from tests.acceptance.workers import Crew

TURN = ["INSERT INTO messages", "INSERT INTO messages", "UPDATE messages SET"]
LEDGER = "WITH chat AS"
"""An entry of the ledger for a request to a model beside the answer's."""
TITLE = ["UPDATE chat_sessions SET", LEDGER]
READ = ["DELETE FROM documents", "INSERT INTO documents"]
"""A file that nobody has read in this version yet."""


async def test_a_question_becomes_exactly_one_run_that_is_stored_before_its_job_runs(
    worker: None, crew: Crew, ada: Actor, ask: Ask
) -> None:
    """000-25, 000-28, 000-29: the pending row has its run id while no worker is there yet; then there is one run."""
    chat_id = await chats.new(ada)
    with crew.away():
        turn = await ask(ada, QUESTION, chat_id=chat_id)
        before = (await chats.open(ada, chat_id)).messages
        statuses = [(message.role, message.status) for message in before]
        assert statuses == [("user", "completed"), ("assistant", "pending")]
        assert [message.run_id for message in before] == [None, turn.assistant.run_id]
        queued = [job.decode() for job in await redis.client().zrange("arq:queue", 0, -1)]
        assert [job for job in queued if str(turn.assistant.run_id) in job] == [f"respond:{turn.assistant.run_id}:1"]
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    after = (await chats.open(ada, chat_id)).messages
    assert [message.run_id for message in after] == [None, turn.assistant.run_id]


@pytest.mark.usefixtures("worker")
async def test_an_answer_takes_several_rounds_of_tools_and_is_stored_as_it_was_streamed(
    ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-26, 000-60, 001-11: search, read, answer; the stored parts are the fold of all chunks, replayed or not."""
    turn = await ask(ada, QUESTION)
    assert turn.assistant.run_id is not None
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    assert stored.parts == reader.parts
    assert [part["type"] for part in reader.tools()][:2] == ["tool-search_files", "tool-read_drive_file"]
    assert [part["type"] for part in stored.parts].count("step-start") == len(sandbox.asked()) >= 3
    assert "Halden" in reader.text
    assert reader.chunks[0]["messageId"] == str(stored.id)
    replayed = await streams.read(turn.assistant.run_id)
    once = parts.fold(replayed)
    assert once["parts"] == parts.fold(replayed, into=once)["parts"] == stored.parts
    assert parts.fold(replayed, into=stored.as_ui_message())["parts"] == stored.parts


@pytest.mark.usefixtures("worker")
async def test_a_turn_costs_three_statements_and_none_while_its_tokens_stream(
    ada: Actor, ask: Ask, stack: Stack
) -> None:
    """000-58: by PostgreSQL's own log: question and answer are inserted, the answer is updated, nothing else."""
    chat_id = await chats.new(ada)
    # What this one reads is kept for the next one.
    first = await ask(ada, QUESTION, chat_id=chat_id)
    async with reading(ada, first.assistant.run_id) as reader:
        await reader.end()
    begun = stack.log_position()
    turn = await ask(ada, QUESTION, model="sandbox:sandbox-slow-4", chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.words > 100)
        streaming = stack.log_position()
        await reader.until(lambda reader: reader.words > 400)
        assert stack.writes_since(streaming) == []
        await reader.end()
    assert [write.split("(")[0].split("SET")[0].split() for write in stack.writes_since(begun)] == [
        ["INSERT", "INTO", "messages"],
        ["INSERT", "INTO", "messages"],
        ["UPDATE", "messages"],
    ]


@pytest.mark.usefixtures("worker")
async def test_text_is_streamed_in_whole_words_where_the_model_sends_parts_of_them(ada: Actor, ask: Ask) -> None:
    """Each piece comes by itself: a pause longer than the time for which a provider's events are merged. # 002-25"""
    told = "Donaudampfschifffahrt, naïveté's 👍🏽 prix: 3,50 € – **voilà** [ici](https://a.example/b)!"
    turn = await ask(ada, json.dumps([{"text": told}]), model="sandbox:sandbox-tokens-70")
    assert turn.assistant.run_id is not None
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.end()
    sent = [chunk["delta"] for chunk in reader.chunks if chunk["type"] == "text-delta"]
    assert "".join(sent) == told
    assert len(sent) > 5, "it was streamed"
    assert [piece for piece in sent[:-1] if not piece.endswith(" ")] == []


async def test_titles_and_related_questions_cost_the_statements_of_the_measured_list(
    crew: Crew, ada: Actor, ask: Ask, stack: Stack
) -> None:
    """000-58: as shipped, by PostgreSQL's own log; the list is in decision 0064."""
    shipped = crew_with(stack, "shipped", {"LEAF_TITLES": "true", "LEAF_RELATED_QUESTIONS": "true"})
    chat_id = await chats.new(ada)

    def written() -> list[str]:
        """Without the texts of files, which an earlier test may have read."""
        kinds = [" ".join(one.split()[:3]) for one in stack.writes_since(begun)]
        return sorted(kind for kind in kinds if kind not in READ)

    try:
        async with alone(shipped, crew):
            for beside in ([LEDGER, *TITLE], [LEDGER]):
                begun, expected = stack.log_position(), sorted([*TURN, *beside])
                turn = await ask(ada, QUESTION, chat_id=chat_id)
                assert turn.assistant.run_id is not None
                async with reading(ada, turn.assistant.run_id) as reader:
                    await reader.end()
                await until(lambda wanted=expected: len(written()) >= len(wanted), what="the ledger's entries")
                assert written() == expected
    finally:
        shipped.stop()
