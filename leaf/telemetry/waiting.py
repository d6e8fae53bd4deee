"""The log of answers that wait for a worker: since when, and why."""

import asyncio
import logging

from leaf import errors, streams
from leaf.telemetry import metrics

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0


async def watch() -> None:
    """Logs that answers wait for a worker, and once none does any more."""
    waits = False
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            waiting = await metrics.jobs_waiting()
            workers = sum(one.alive and one.role == "worker" for one in await metrics.processes())
        except errors.RedisUnavailable:
            continue
        before, waits = waits, waiting.seconds >= streams.UNTAKEN_SECONDS
        if waits and not before:
            log.warning(
                "%d answers wait for a worker, %.0f s by now: %s", waiting.count, waiting.seconds, reason(workers)
            )
        elif before and not waits:
            log.info("no answer waits for a worker any more")


def reason(workers: int) -> str:
    """The reason why answers wait.

    Args:
        workers: The number of workers that are alive.
    """
    if not workers:
        return "no worker is alive; start one with `make worker`"
    return f"all {workers} workers are busy; start another one, or raise LEAF_WORKER_JOBS"
