"""Cron jobs for runs without a worker: another worker takes over, or the answer fails after too many attempts.

The next worker continues the answer from its last checkpoint (`jobs.run.prepare.open_run`).
"""

import dataclasses
import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic_ai.messages import ModelMessage

from jobs import metrics, registry
from jobs.run import checks, endings, journal, resumption, turns, usage
from leaf import errors, parts, queue, streams, texts
from leaf.agent.translate import Failure
from leaf.services import conversations, runs

log = logging.getLogger(__name__)

ATTEMPTS = 5
ORPHAN_AGE = timedelta(seconds=20)
"""The age from which an unfinished answer without a run in Redis counts as lost."""


def given_up() -> Failure:
    """The failure of a run whose workers have died too often."""
    return Failure("worker_died", texts.english("failures.given_up", attempts=ATTEMPTS))


async def reap(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Enqueues the next attempt of runs that have begun and have no lease; gives up runs with too many attempts."""
    begun = await registry.attempts()
    alive = await streams.leased(begun)
    for run_id, attempt in begun.items():
        if run_id in alive:
            continue
        await queue.forget_attempts(queue.RESPOND, run_id, attempt)
        if attempt >= ATTEMPTS:
            await _give_up(run_id)
        elif await queue.enqueue_respond(run_id, attempt + 1):
            log.warning("run %s has lost its worker: attempt %d", run_id, attempt + 1)


async def compare(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Enqueues the runs of unfinished answers that Redis does not know, for example after Redis has lost its data."""
    unfinished = await conversations.unfinished(ORPHAN_AGE)
    begun = await registry.attempts()
    alive = await streams.leased(unfinished)
    for run_id in unfinished:
        if run_id in begun or run_id in alive:
            continue
        # This also removes a job whose worker died before it registered the run. A queued job moves to the end.
        await queue.forget_attempts(queue.RESPOND, run_id, 1)
        if await queue.enqueue_respond(run_id, 1):
            log.warning("run %s is waiting without a worker: enqueued", run_id)


async def expire(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Ends answers whose caller has not run a client tool in time."""
    try:
        for late in await runs.overdue():
            if await runs.expire(late):
                log.info("answer %s was ended: its caller did not run the tool in time", late.message_id)
    except errors.Unavailable as error:
        log.warning("overdue answers are ended later: %s", error.message)


def _responses(fold: parts.Fold, turn: list[ModelMessage]) -> list[dict[str, Any]]:
    """The responses of a run whose worker died. The id of the response that it was receiving is not known."""
    found = turns.responses(turn)
    steps = sum(part["type"] == "step-start" for part in fold.parts)
    return [*found, *({"id": None, "at": None} for _ in range(steps - len(found)))]


async def _give_up(run_id: UUID) -> None:
    task = await conversations.assignment(run_id)
    if task is None:
        await registry.remove(run_id)
        return
    chunks = await streams.read(run_id)
    resumed = resumption.resumption(task.waited)
    # The stream of a resumed run is empty until its worker has written the message so far.
    replayed = resumed.chunks if resumed is not None and not chunks else []
    fold = parts.Fold()
    for chunk in (*chunks, *replayed):
        fold.apply(chunk)
    found = await checks.checked(task, fold.parts, turns.history(task.history))
    closing = endings.failed(fold, given_up())
    for chunk in (*found, *closing.chunks):
        fold.apply(chunk)
    checkpoint = await streams.read_checkpoint(run_id)
    turn = turns.from_json(checkpoint.messages_json) if checkpoint is not None else []
    used = usage.of_answer(task, turn, journal.dropped(checkpoint) if checkpoint is not None else ())
    known = resumed.messages if resumed is not None else turns.question_messages(task.question)
    outcome = dataclasses.replace(
        endings.outcome(closing, fold.message, turns.to_python(turns.closed(known)), used),
        responses=_responses(fold, turn or known),
    )
    if await conversations.finish(task, outcome):
        metrics.count_outcome(task.model, outcome)
        await streams.append_tail(run_id, [*replayed, *found, *closing.chunks], index=len(chunks))
        log.error("run %s was given up after %d attempts", run_id, ATTEMPTS)
    await registry.remove(run_id)
    await conversations.announce(task)
