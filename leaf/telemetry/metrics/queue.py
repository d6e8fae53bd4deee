"""The answers that wait for a worker: how many, since when, and a log of the reason."""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any, Final

from arq import constants

from leaf import errors, redis, streams
from leaf.telemetry.metrics import sums

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
_MOST_JOBS: Final = 10_000
"""The largest number of jobs that are counted."""


@dataclass(frozen=True)
class Waiting:
    """The answers that no worker has begun."""

    count: int = 0
    seconds: float = 0
    """The time for which the oldest has waited."""


async def jobs_waiting() -> Waiting:
    """The answers that no worker has begun; arq keeps a job in its queue until it has ended.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    call: Any = redis.client()
    prefix = redis.RESPOND.encode() + b":"
    with redis.guard():
        # arq's score is the time at which a job may begin, in milliseconds.
        queued: list[tuple[bytes, float]] = await call.zrange(
            constants.default_queue_name, 0, _MOST_JOBS - 1, withscores=True
        )
        answers = [(job, score) for job, score in queued if job.startswith(prefix)]
        if not answers:
            return Waiting()
        async with call.pipeline(transaction=False) as pipeline:
            for job, _ in answers:
                pipeline.exists(constants.in_progress_key_prefix.encode() + job)
            begun: list[int] = await pipeline.execute()
    since = [score for (_, score), has_begun in zip(answers, begun, strict=True) if not has_begun]
    return Waiting(len(since), max(0.0, time.time() - min(since) / 1000)) if since else Waiting()


async def watch() -> None:
    """Logs that answers wait for a worker, and once none does any more."""
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
    """The reason why answers wait.

    Args:
        workers: The number of workers that are alive.
    """
    if not workers:
        return "no worker is alive; start one with `make worker`"
    return f"all {workers} workers are busy; start another one, or raise LEAF_WORKER_JOBS"
