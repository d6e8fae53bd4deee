"""What happens to runs whose worker died: another one takes over, or after too many attempts the reader is told."""

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

from arq import constants

from jobs import keeping
from jobs import metrics as measuring
from jobs import registry as active
from jobs.run import checks as checking
from jobs.run import endings as ending
from jobs.run import journal, turns
from jobs.run import resumption as resuming
from leaf import errors, parts, redis, streams
from leaf.agent.translate import Failure
from leaf.services import chats, runs, security

log = logging.getLogger(__name__)

ATTEMPTS = 5
ORPHAN_AGE = timedelta(seconds=20)
"""A row that is unfinished for so long without a trace in Redis belongs to a run that Redis has lost."""

_GIVEN_UP = Failure(
    "worker_died",
    f"The answer was interrupted {ATTEMPTS} times, so Leaf has given up on it. Try again.",
)


async def reap(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Looks for begun runs without a lease, and enqueues their next attempt."""
    begun = await active.attempts()
    alive = await streams.leased(begun)
    for run_id, attempt in begun.items():
        if run_id in alive:
            continue
        await forget_jobs(redis.RESPOND, run_id, attempt)
        if attempt >= ATTEMPTS:
            await _give_up(run_id)
        elif await redis.enqueue_respond(run_id, attempt + 1):
            log.warning("run %s has lost its worker: attempt %d", run_id, attempt + 1)


async def compare(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Looks for unfinished rows that Redis knows nothing of, as after a loss of Redis, and enqueues their runs."""
    unfinished = await keeping.unfinished(ORPHAN_AGE)
    begun = await active.attempts()
    alive = await streams.leased(unfinished)
    for run_id in unfinished:
        if run_id in begun or run_id in alive:
            continue
        # A job that is still queued loses its place by this, and one whose worker died at once is not in the way.
        await forget_jobs(redis.RESPOND, run_id, 1)
        if await redis.enqueue_respond(run_id, 1):
            log.warning("run %s is waiting without a worker: enqueued", run_id)


async def expire(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Has answers end that have waited too long for a tool at their caller."""
    try:
        for late in await runs.overdue():
            if await runs.expire(late):
                log.info("the caller of answer %s has not run its tool in time", late.message_id)
    except errors.Unavailable as error:
        log.warning("answers that wait too long are ended later: %s", error.message)


async def purge(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Removes for good what was deleted so long ago that nobody can take it back."""
    try:
        count = await chats.purge()
    except errors.Unavailable as error:
        log.warning("deleted chats are removed later: %s", error.message)
        return
    if count:
        log.info("removed %d deleted chats for good", count)


async def forget(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Removes security events that are older than the settings have them kept."""
    try:
        count = await security.purge()
    except errors.Unavailable as error:
        log.warning("old security events are removed later: %s", error.message)
        return
    if count:
        log.info("removed %d old security events", count)


async def forget_jobs(name: str, subject: UUID, attempts: int) -> None:
    """Takes the jobs of dead workers out of the queue, where arq would look at them in vain for a day.

    Args:
        name: Of the jobs.
        subject: What they are about: a run, or an import.
        attempts: They are numbered from 1 to this.
    """
    jobs = [f"{name}:{subject}:{attempt}" for attempt in range(1, attempts + 1)]
    prefixes = (constants.in_progress_key_prefix, constants.retry_key_prefix, constants.job_key_prefix)
    with redis.guard():
        async with redis.client().pipeline(transaction=True) as pipe:
            pipe.zrem(constants.default_queue_name, *jobs)
            pipe.delete(*(prefix + job for prefix in prefixes for job in jobs))
            await pipe.execute()


async def _give_up(run_id: UUID) -> None:
    task = await keeping.assignment(run_id)
    if task is None:
        await active.remove(run_id)
        return
    chunks = await streams.read(run_id)
    resumption = resuming.resumption(task.waited)
    # A run that goes on and has come to nothing yet begins with the message as it waited.
    told = resumption.chunks if resumption is not None and not chunks else []
    fold = parts.Fold()
    for chunk in (*chunks, *told):
        fold.apply(chunk)
    checks = await checking.checked(task, fold.parts, turns.history(task.history))
    closing = ending.failed(fold, _GIVEN_UP)
    tail = [*told, *checks, *closing.chunks]
    for chunk in (*checks, *closing.chunks):
        fold.apply(chunk)
    message = fold.message
    checkpoint = await streams.read_checkpoint(run_id)
    begun = turns.from_json(checkpoint.messages_json) if checkpoint is not None else []
    used = resuming.usage(task, begun, journal.given_up(checkpoint) if checkpoint is not None else ())
    known = resumption.messages if resumption is not None else turns.asked(task.question)
    outcome = runs.Outcome(
        status=closing.status,
        parts=message["parts"],
        details=message["metadata"],
        model_messages=turns.to_python(turns.closed(known)),
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_write_tokens=used.cache_write_tokens,
        thinking_tokens=used.thinking_tokens,
        requests=used.requests,
        cost_usd=used.cost_usd,
        error_code=_GIVEN_UP.code,
        error_text=_GIVEN_UP.text,
    )
    if await keeping.of(task).finish(task, outcome):
        measuring.ended(task.model, outcome)
        await streams.append_tail(run_id, tail, index=len(chunks))
        log.error("run %s was given up after %d attempts", run_id, ATTEMPTS)
    await active.remove(run_id)
    await keeping.of(task).announce(task)
