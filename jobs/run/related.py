"""Related questions: a model writes some after each answer, and they are sent as chunks of the message.

They never fail the answer, and delay its end by at most their time limit.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from pydantic_ai.messages import ModelResponse

from jobs.run import usage
from leaf import config, parts
from leaf.agent import models, side_texts
from leaf.config import catalog
from leaf.parts import Chunk
from leaf.services import runs

log = logging.getLogger(__name__)

RELATED_SECONDS = 8.0


async def questions(
    task: runs.Assignment, answer: str, stopped: asyncio.Event, *, has_files: bool
) -> AsyncGenerator[Chunk]:
    """Related questions as chunks.

    The first chunk has the status `loading`. Further chunks have the status `streaming` and the questions so far. The
    last chunk has the status `success`, or `error` if there are no questions.

    Args:
        task: The assignment of the run.
        answer: The text of the answer.
        stopped: Set when nobody waits for the answer any longer.
        has_files: Whether the asker has files that could answer a question.
    """
    yield _chunk("loading", [])
    written: list[str] = []
    found: asyncio.Queue[list[str] | None] = asyncio.Queue()
    writing = asyncio.create_task(_write(task, answer, found.put_nowait, has_files=has_files))
    writing.add_done_callback(lambda _: found.put_nowait(None))
    stopping = asyncio.create_task(stopped.wait())
    stopping.add_done_callback(lambda _: writing.cancel())
    try:
        while (more := await found.get()) is not None:
            written = more
            yield _chunk("streaming", written)
    finally:
        stopping.cancel()
        await asyncio.gather(writing, stopping, return_exceptions=True)
    yield _chunk("success" if written else "error", written)


async def _write(task: runs.Assignment, answer: str, put: Callable[[list[str]], None], *, has_files: bool) -> None:
    model = catalog.side_model(config.current(), "related")
    response: ModelResponse | None = None
    known = 0
    try:
        async with (
            asyncio.timeout(RELATED_SECONDS),
            aclosing(side_texts.related(models.build(model), task.question, answer, has_files=has_files)) as written,
        ):
            async for questions, so_far in written:
                response = so_far
                if len(questions) > known:
                    known = len(questions)
                    put(questions)
    except Exception as error:  # noqa: BLE001 - an answer never fails by its related questions
        log.warning("run %s: related questions broke off (%s)", task.run_id, type(error).__name__)
    finally:
        # The provider charges for the received part of a reply that was cut off.
        if response is not None:
            await usage.enter(task, "related", model, response)


def _chunk(status: str, questions: list[str]) -> Chunk:
    return {"type": parts.RELATED, "id": "related", "data": {"status": status, "questions": questions}}
