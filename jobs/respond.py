"""The job that writes the answer of a run.

Any worker may start the job at any time, also repeatedly. The lease lets only one worker write, and the checkpoint says
where to continue. A run that has ended is not changed. If a worker dies, at most the work since its last request to the
model is lost.
"""

import asyncio
import logging
import os
import socket
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from jobs import metrics, registry, titles, tracing
from jobs.run import conclude, prepare, store, usage, write
from jobs.run.stop import unless
from leaf import errors, streams
from leaf.services import conversations, runs
from leaf.streams import hub

log = logging.getLogger(__name__)

NOTICE_SECONDS = hub.SILENCE_SECONDS + 1
"""The pause before a run that Redis has lost begins again. In this time, followers notice that the old stream is gone.
Otherwise they would continue at their old position in the new stream, and miss or mix chunks."""
BEGINNINGS = 2
"""The number of runs that may load their assignment at the same time, so that running answers are not delayed."""
WORKER_ID = f"{socket.gethostname()}:{os.getpid()}"


async def respond(ctx: dict[str, Any], run_id: str, attempt: int) -> str:
    """Writes the answer of a run, from its beginning or from where an earlier worker left it.

    Args:
        ctx: arq's context.
        run_id: The run.
        attempt: The number of the attempt, from 1.

    Returns:
        The outcome for arq's log.
    """
    with tracing.of_run(UUID(run_id), attempt), metrics.Timing.of_job(ctx, attempt) as timing:
        return await _until_over(UUID(run_id), attempt, timing)


async def _until_over(run: UUID, attempt: int, timing: metrics.Timing) -> str:
    refused = False
    while True:
        lease = await streams.acquire(run, WORKER_ID)
        if lease is None:
            return "taken"
        try:
            if refused and await streams.length(run) == 0:
                await asyncio.sleep(NOTICE_SECONDS)
            return await _respond(run, attempt, lease, timing)
        except streams.Replaced as error:
            # Another worker has the lease, Redis has lost the run, or its chat was deleted.
            log.info("%s; trying again", str(error))
            refused = True
        finally:
            # A worker that gets SIGTERM releases its runs at once; arq gives the job to the next worker.
            with suppress(errors.RedisUnavailable):
                await asyncio.shield(lease.release())


def _beginnings() -> asyncio.Semaphore:
    """The semaphore that limits how many runs load their assignment at the same time."""
    return _all_beginnings.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(BEGINNINGS))


_all_beginnings: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def _respond(run: UUID, attempt: int, lease: streams.Lease, timing: metrics.Timing) -> str:
    # This comes first: from here on the reaper watches the run.
    await registry.add(run, attempt)
    # The lease is renewed before the first wait, so that no other worker takes a run that waits to begin.
    async with streams.renewing(lease):
        task = await store.when_database_answers(partial(_assignment, run), lease)
        if lease.lost.is_set():
            raise streams.Replaced(f"run {run}: the lease is lost")
        with tracing.joined(task):
            outcome = await unless(lease.lost, _answer(task, lease, timing)) if task is not None else "over"
    if outcome is None:
        raise streams.Replaced(f"run {run}: the lease is lost")
    await registry.remove(run)
    return outcome


async def _assignment(run: UUID) -> runs.Assignment | None:
    async with _beginnings():
        return await conversations.assignment(run)


async def _answer(task: runs.Assignment, lease: streams.Lease, timing: metrics.Timing) -> str:
    """Takes a run through its stages, and writes the title of a new chat meanwhile; returns the stored status."""
    titling = asyncio.create_task(titles.give_title(task))
    try:
        async with store.site_records(task):
            run = await prepare.open_run(task, lease, timing)
            async with run.stop.watching(task.run_id, usage.ends_at(task, run.journal.began)):
                result = await write.answer(run)
                conclusion = await conclude.conclude(run, result)
            status = await store.store(run, conclusion)
        # The answer is stored and readable; the title has a time limit of its own.
        await titling
    finally:
        titling.cancel()
        await asyncio.gather(titling, return_exceptions=True)
    return status
