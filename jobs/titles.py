"""What is written beside an answer: a new chat's title, at the same time, and related questions, after it.

Neither can fail the answer, or hold it up for longer than its time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Literal

from pydantic_ai.messages import ModelResponse

from jobs import keeping
from jobs.run import turns
from leaf import catalog, config, errors
from leaf.agent import beside, models
from leaf.parts import Chunk
from leaf.services import chats, runs, usage

log = logging.getLogger(__name__)

TITLE_SECONDS = 15.0
RELATED_SECONDS = 8.0
UNTITLED = "Untitled"
RELATED_QUESTIONS = "data-relatedQuestions"


async def entitle(task: runs.Assignment) -> None:
    """Gives a new chat its title; "Untitled" where no model writes one. A name that a person gives wins at any time."""
    if not task.untitled or not config.current().titles:
        return
    found = ""
    try:
        async with asyncio.timeout(TITLE_SECONDS):
            model = catalog.beside(config.current(), "title")
            found, response = await beside.title(models.build(model), task.question)
            await _enter(task, "title", model, response)
    except Exception as error:  # noqa: BLE001 - whatever was raised, an answer does not fail by its chat's title
        log.warning("run %s: no title was written (%s)", task.run_id, type(error).__name__)
    try:
        await chats.entitle(task.actor, task.chat_id, found or UNTITLED)
    except errors.DatabaseUnavailable:
        log.warning("run %s: the title waits for the next answer of its chat", task.run_id)


async def related(task: runs.Assignment, answer: str, stopped: asyncio.Event) -> AsyncGenerator[Chunk]:
    """Questions that could follow, as chunks: loading, streaming as they come, and success, or error where none came.

    Args:
        task: What was asked.
        answer: What was answered.
        stopped: Set when the reader does not want to wait any longer.
    """
    yield _chunk("loading", [])
    questions: list[str] = []
    found: asyncio.Queue[list[str] | None] = asyncio.Queue()
    writing = asyncio.create_task(_write_related(task, answer, found.put_nowait))
    writing.add_done_callback(lambda _: found.put_nowait(None))
    stopping = asyncio.create_task(stopped.wait())
    stopping.add_done_callback(lambda _: writing.cancel())
    try:
        while (more := await found.get()) is not None:
            questions = more
            yield _chunk("streaming", questions)
    finally:
        stopping.cancel()
        await asyncio.gather(writing, stopping, return_exceptions=True)
    yield _chunk("success" if questions else "error", questions)


async def _write_related(task: runs.Assignment, answer: str, put: Callable[[list[str]], None]) -> None:
    model = catalog.beside(config.current(), "related")
    response: ModelResponse | None = None
    known = 0
    try:
        async with (
            asyncio.timeout(RELATED_SECONDS),
            aclosing(beside.related(models.build(model), task.question, answer)) as written,
        ):
            async for questions, so_far in written:
                response = so_far
                if len(questions) > known:
                    known = len(questions)
                    put(questions)
    except Exception as error:  # noqa: BLE001 - whatever was raised, an answer does not fail by what could be asked next
        log.warning("run %s: related questions broke off (%s)", task.run_id, type(error).__name__)
    finally:
        # Also of a reply that nobody waited for any longer: it was asked for, and is paid for as far as it came.
        if response is not None:
            await _enter(task, "related", model, response)


def _chunk(status: str, questions: list[str]) -> Chunk:
    return {"type": RELATED_QUESTIONS, "id": "related", "data": {"status": status, "questions": questions}}


async def _enter(
    task: runs.Assignment, purpose: Literal["title", "related"], model: str, response: ModelResponse
) -> None:
    """Enters what was used into the ledger."""
    used = turns.usage([response], model)
    entry = usage.Entry(
        task.run_id,
        purpose,
        model,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_write_tokens=used.cache_write_tokens,
        thinking_tokens=used.thinking_tokens,
        cost_usd=used.cost_usd,
    )
    await keeping.enter(task, entry)
