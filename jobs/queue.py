"""arq's worker with three changes.

A worker is woken when a job is enqueued, survives a restart of Redis, and connects to Redis like the rest of Leaf,
including Sentinel. arq only polls, and polling often enough for a quick first word would cost much CPU time. Here the
bell of `leaf.queue.arq_queue` wakes one worker. The queue is also read twice a second, in case a wake-up is lost.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import arq.worker
import uvloop
from arq import cron, func
from arq.cron import CronJob
from arq.worker import Function
from redis import exceptions

from leaf import queue, redis
from leaf.config import embedded
from leaf.queue import arq_queue
from leaf.telemetry import logs

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
FULL_SECONDS = 0.03
"""The interval at which a full worker checks whether one of its jobs has ended."""
AWAY_SECONDS = 0.5
STARTS = 20
"""The maximum number of jobs that are started at the same time."""

Hooks = tuple[Callable[[dict[str, Any]], Awaitable[None]], Callable[[dict[str, Any]], Awaitable[None]]]
"""The functions that are called with the context of a worker when it begins, and when it ends."""


class Worker(arq.worker.Worker):
    """arq's worker with the changes of this module, run by `arq jobs.worker.WorkerSettings`."""

    _bell: arq_queue.Bell | None = None

    async def main(self) -> None:
        """Works until it gets a signal to end."""
        # arq's command line has already configured a logger of its own.
        logs.adopt("arq")
        # arq logs two lines for each cron job.
        logging.getLogger("arq.worker").setLevel(logging.WARNING)
        self._pool = self._pool or arq_queue.client(redis.patient_pool())
        await super().main()

    async def _poll_iteration(self) -> None:
        try:
            await super()._poll_iteration()
            await self._wait()
        except exceptions.RedisError as error:
            # Without this, arq would end, for instance while Redis restarts.
            log.warning("Redis is unavailable: %s", type(error).__name__)
            await asyncio.sleep(AWAY_SECONDS)

    async def start_jobs(self, job_ids: list[bytes]) -> None:
        """Starts jobs concurrently. arq would start one after the other, with several round trips for each."""
        for start in range(0, len(job_ids), STARTS):
            starting = [super(Worker, self).start_jobs([one]) for one in job_ids[start : start + STARTS]]
            failures = [one for one in await asyncio.gather(*starting, return_exceptions=True) if one is not None]
            for _ in failures:
                # arq counts the job as running before it starts it, and does not undo this after a failure.
                self._release_sem_dec_counter_on_complete()
            if failures:
                raise failures[0]

    async def _wait(self) -> None:
        if self.burst:
            return
        if self.job_counter >= self.max_jobs:
            await asyncio.sleep(FULL_SECONDS)
            return
        if self._bell is None:
            self._bell = arq_queue.Bell()
        await self._bell.wait(LOOK_SECONDS)

    async def close(self) -> None:
        """Closes its connections."""
        if self._bell is not None:
            await self._bell.close()
        await super().close()


def settings(
    services: embedded.Services,
    functions: Sequence[queue.Function],
    schedule: Sequence[queue.Scheduled],
    hooks: Hooks,
) -> dict[str, Any]:
    """The attributes of arq's `WorkerSettings`."""
    started, stopping = hooks
    return {
        "functions": [_function(one) for one in functions],
        "cron_jobs": [_cron_job(one) for one in schedule],
        "job_serializer": queue.job_serializer,
        "job_deserializer": queue.job_deserializer,
        "poll_delay": 0,  # the worker itself waits
        "max_jobs": services.settings.worker_jobs,
        "job_timeout": queue.JOB_SECONDS,
        "keep_result": 0,
        "max_tries": 100,
        "allow_abort_jobs": False,
        "health_check_interval": 30,
        "on_startup": started,
        "on_shutdown": stopping,
        "ctx": {"services": services},
    }


def _function(job: queue.Function) -> Function:
    run: Any = job.run
    return func(run, name=job.name, keep_result=job.result_seconds, timeout=job.seconds, max_tries=job.tries)


def _cron_job(job: queue.Scheduled) -> CronJob:
    run: Any = job.run
    minute = None if job.minute is None else set(job.minute)
    times: dict[str, Any] = {"second": set(job.second), "minute": minute, "run_at_startup": job.at_start}
    return cron(run, name=job.name, **times, keep_result=0, max_tries=1)


def install() -> None:
    """Makes arq's command line run this worker on uvloop.

    arq instantiates the class `arq.worker.Worker`, so that name is replaced.
    """
    # arq uses the event loop of the main thread.
    asyncio.set_event_loop(uvloop.new_event_loop())
    arq.worker.Worker = Worker
