"""Workers that die, are told to end, or hang in the middle of an answer: another one goes on, and only one writes."""

import asyncio
import logging
import os
import signal
import time
from uuid import UUID

from jobs import reaper, registry
from leaf import queue, redis, streams
from leaf.db import Actor
from tests.acceptance.conftest import Ask, WholeText
from tests.acceptance.readers import QUESTION, SLOW, Reader, reading
from tests.acceptance.stack import START_SECONDS, Sandbox, until
from tests.acceptance.workers import Crew, lapse

log = logging.getLogger(__name__)


async def _taken_over(reader: Reader, since: int) -> None:
    """Waits until a worker has taken over: its first chunk says so."""
    await reader.until(lambda reader: any(chunk["type"] == "data-taken-over" for chunk in reader.chunks[since:]))


async def _nothing_is_active() -> bool:
    return not await registry.attempts()


async def test_another_worker_goes_on_when_one_is_killed_in_mid_answer(
    crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText, sandbox: Sandbox
) -> None:
    """000-24, 000-32, 000-43: within about 15 s; no gap, no repetition, and finished tool calls are not made again."""
    await crew.of(2)
    whole = await whole_text(ada, QUESTION)
    sandbox.forget()
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        (await crew.writer_of(turn.assistant.run_id)).kill()
        crew.hire()  # for the next test: it has time to start
        killed, calls, seen = time.monotonic(), sandbox.drive_calls(), len(reader.chunks)
        await _taken_over(reader, seen)
        log.info("taken over %.1f s after the kill", time.monotonic() - killed)
        assert reader.words > 0
        stored = await reader.end()
    assert stored.status == "completed"
    assert reader.text == whole
    assert stored.parts == reader.parts
    assert reader.beginnings == 1
    assert sandbox.drive_calls() == calls


async def test_a_worker_that_comes_later_goes_on_when_the_only_one_was_killed(
    crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText, sandbox: Sandbox
) -> None:
    """000-24: nobody is there for a while; the reader waits, and the answer goes on with the next worker."""
    await crew.of(1)
    whole = await whole_text(ada, QUESTION)
    sandbox.forget()
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        writer = await crew.writer_of(turn.assistant.run_id)
        with crew.away():
            writer.kill()
            calls = sandbox.drive_calls()
            crew.hire()
            stored = await reader.end(seconds=START_SECONDS)
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert sandbox.drive_calls() == calls


async def test_an_answer_survives_two_kills(crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText) -> None:
    """000-24: each worker that takes over counts as an attempt, and goes on from where the text stood."""
    await crew.of(2)
    whole = await whole_text(ada, QUESTION)
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        for _ in range(2):
            await reader.until(lambda reader: reader.in_mid_answer)
            (await crew.writer_of(turn.assistant.run_id)).kill()
            crew.hire()
            seen = len(reader.chunks)
            await lapse(turn.assistant.run_id)
            await _taken_over(reader, seen)
        assert (await registry.attempts())[reader.run_id] == 3
        stored = await reader.end()
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    await until(_nothing_is_active)


async def test_a_run_that_has_lost_five_workers_ends_in_an_error_that_says_so(crew: Crew, ada: Actor, ask: Ask) -> None:
    """000-43: nothing streams for ever; the text so far stays, and the reader is told."""
    await crew.of(2)
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        await registry.add(reader.run_id, reaper.ATTEMPTS)  # as if this worker were the fifth
        (await crew.writer_of(turn.assistant.run_id)).kill()
        crew.hire()
        kept = reader.words
        await lapse(turn.assistant.run_id)
        stored = await reader.end()
    assert (stored.status, stored.error_code) == ("error", "worker_died")
    assert "interrupted" in (stored.error_text or "")
    assert [chunk["type"] for chunk in reader.chunks[-3:]] == ["error", "finish-step", "finish"]
    assert reader.words >= kept
    assert stored.parts == reader.parts
    await until(_nothing_is_active)


async def test_a_worker_that_is_told_to_end_hands_its_run_back_at_once(
    crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText, sandbox: Sandbox
) -> None:
    """000-24: a deploy costs a reader about a second, and no attempt."""
    await crew.of(2)
    whole = await whole_text(ada, QUESTION)
    sandbox.forget()
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        writer = await crew.writer_of(turn.assistant.run_id)
        calls, seen, told = sandbox.drive_calls(), len(reader.chunks), time.monotonic()
        writer.terminate()
        crew.hire()
        await _taken_over(reader, seen)
        handed_over_seconds = time.monotonic() - told
        log.info("handed over %.2f s after SIGTERM", handed_over_seconds)
        assert handed_over_seconds < 15
        assert (await registry.attempts())[reader.run_id] == 1
        stored = await reader.end()
        assert await until(lambda: not writer.alive)
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert sandbox.drive_calls() == calls


async def test_a_run_that_two_workers_are_given_is_written_by_one(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-25: the second worker finds the lease taken; the model is asked once per step."""
    await crew.of(2)
    turn = await ask(ada, QUESTION, model="sandbox:sandbox-slow-2")
    run_id = turn.assistant.run_id
    assert run_id is not None
    await asyncio.gather(*(queue.enqueue_respond(run_id, attempt) for attempt in (2, 3, 4)))
    async with reading(ada, run_id) as reader:
        stored = await reader.end()
    assert (stored.status, stored.parts) == ("completed", reader.parts)
    assert len(await _writers(run_id)) == 1
    assert len(sandbox.asked()) == [part["type"] for part in stored.parts].count("step-start")


async def test_a_worker_that_hung_and_comes_back_writes_nothing_more(
    crew: Crew, ada: Actor, ask: Ask, whole_text: WholeText
) -> None:
    """000-24, 000-30: it was replaced meanwhile, and learns so from Redis before its first chunk."""
    await crew.of(2)
    whole = await whole_text(ada, QUESTION)
    turn = await ask(ada, QUESTION, model=SLOW)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        hung = await crew.writer_of(turn.assistant.run_id)
        os.kill(hung.process.pid, signal.SIGSTOP)
        try:
            seen = len(reader.chunks)
            await lapse(turn.assistant.run_id)
            await _taken_over(reader, seen)
        finally:
            os.kill(hung.process.pid, signal.SIGCONT)
        stored = await reader.end()
        await until(lambda: "trying again" in hung.log.read_text())
    assert stored.status == "completed"
    assert (reader.text, stored.parts) == (whole, reader.parts)
    assert len(await _writers(reader.run_id)) == 2


async def _writers(run_id: UUID) -> list[str]:
    """The workers that wrote the chunks of a run, in order; successive chunks of one worker count once."""
    entries = await redis.client().xrange(streams.keys(run_id).chunks)
    names = [fields[b"w"].decode().partition(":")[0] for _, fields in entries]
    return [name for name, before in zip(names, [None, *names], strict=False) if name != before]
