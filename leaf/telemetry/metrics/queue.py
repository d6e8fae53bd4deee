"""The answers that wait for a worker: their number, the longest wait, and the log line with the reason."""

import asyncio
import logging
import time
from dataclasses import dataclass

from leaf import errors, queue, streams
from leaf.telemetry.metrics import sums

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0


@dataclass(frozen=True)
class Waiting:
    """The answers that no worker has begun."""

    count: int = 0
    seconds: float = 0
    """The time for which the oldest one has waited."""


async def jobs_waiting() -> Waiting:
    """The answers that no worker has begun."""
    since = await queue.current().waiting(queue.RESPOND)
    return Waiting(len(since), max(0.0, time.time() - min(since))) if since else Waiting()


async def watch() -> None:
    """Logs when answers begin to wait for a worker, and when none waits any more. Runs until it is cancelled."""
    waits = False
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            waiting = await jobs_waiting()
            workers = sum(one.alive and one.role == "worker" for one in await sums.processes())
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
    """The reason why answers wait."""
    if not workers:
        return "no worker is alive; start one with `make worker`"
    return f"all {workers} workers are busy; start another one, or raise LEAF_WORKER_JOBS"
