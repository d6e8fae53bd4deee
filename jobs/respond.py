"""The one job: write the answer of a run.

It may be run at any time, by any worker, again and again: the lease lets one worker write, the checkpoint says where to
go on, and a run that has ended is left alone. Whoever kills a worker loses at most what came after its last request to
the model.
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

from jobs import keeping, tracing
from jobs import metrics as measuring
from jobs import registry as active
from jobs.run import store as patience
from jobs.run.write import Answer
from leaf import errors, streams
from leaf.services import runs
from leaf.streams import hub

log = logging.getLogger(__name__)

NOTICE_SECONDS = hub.SILENCE_SECONDS + 1
"""A stream that Redis has lost stays away for so long, until its followers have seen that it is gone: with a new one
already at the place where they read, they would take its chunks for those that they wait for."""
BEGINNINGS = 2
WORKER_ID = f"{socket.gethostname()}:{os.getpid()}"


async def respond(ctx: dict[str, Any], run_id: str, attempt: int) -> str:
    """Writes the answer of a run, from its beginning or from where an earlier worker left it.

    Args:
        ctx: arq's context.
        run_id: The run.
        attempt: 1 for the first worker, one more for each that takes over after a death.

    Returns:
        What happened, for arq's log.
    """
    with tracing.of_run(UUID(run_id), attempt), measuring.Timing.of_job(ctx, attempt) as timing:
        return await _until_over(UUID(run_id), attempt, timing)


async def _until_over(run: UUID, attempt: int, timing: measuring.Timing) -> str:
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
            # By another worker, which has the lease now; or Redis has lost the run, which then begins anew; or its chat
            # is deleted, and nothing is left to do.
            log.info("%s; looking again", str(error))
            refused = True
        finally:
            # A worker that is told to end hands its runs back at once; arq gives the job to the next worker.
            with suppress(errors.RedisUnavailable):
                await asyncio.shield(lease.release())


def _beginnings() -> asyncio.Semaphore:
    """What few runs at a time may hold while they begin, so that a hundred that do leave room for those that write."""
    return _all_beginnings.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(BEGINNINGS))


_all_beginnings: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def _respond(run: UUID, attempt: int, lease: streams.Lease, timing: measuring.Timing) -> str:
    # Before anything that may take its time: from here on the reaper watches over the run.
    await active.add(run, attempt)
    # The lease is renewed from the first wait on: a run that waits for its beginning is nobody else's.
    async with streams.renewing(lease):
        task = await patience.with_database(partial(_assignment, run), lease)
        if lease.lost.is_set():
            raise streams.Replaced(f"run {run}: the lease is lost")
        with tracing.joined(task):
            outcome = await _write(Answer(task, lease, timing), lease) if task is not None else "over"
    await active.remove(run)
    return outcome


async def _assignment(run: UUID) -> runs.Assignment | None:
    async with _beginnings():
        return await keeping.assignment(run)


async def _write(answer: Answer, lease: streams.Lease) -> str:
    """Writes until the answer ends or the lease is lost, whichever comes first."""
    writing = asyncio.create_task(answer.write(), name=f"run {lease.run_id}")
    losing = asyncio.create_task(lease.lost.wait())
    try:
        await asyncio.wait({writing, losing}, return_when=asyncio.FIRST_COMPLETED)
        if writing.done():
            return writing.result()
        raise streams.Replaced(f"run {lease.run_id}: the lease is lost")
    finally:
        for task in (writing, losing):
            task.cancel()
        await asyncio.gather(writing, losing, return_exceptions=True)
