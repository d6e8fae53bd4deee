"""Leaf's worker for the queue of streaq: the same jobs, at the same times."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import uvloop
from streaq import Worker

from jobs import functions, worker
from leaf import queue
from leaf.config import embedded
from tests import streaq_queue

log = logging.getLogger(__name__)

AWAY_SECONDS = 0.5


def main() -> None:
    """Works until it gets a signal to end."""
    uvloop.run(_work(worker.open_services()))


async def _work(services: embedded.Services) -> None:
    context: dict[str, Any] = {"services": services}
    await worker.started(context)
    try:
        while True:
            if await _ended(services):
                return
            await asyncio.sleep(AWAY_SECONDS)
    finally:
        await worker.stopping(context)


async def _ended(services: embedded.Services) -> bool:
    """Runs streaq's worker, which ends in order, or with Redis."""
    ended = False
    try:
        await _listing(services.settings.worker_jobs).run_async()
        ended = True
    except* streaq_queue.AWAY as group:
        log.warning("Redis is away: %s", type(group.exceptions[0]).__name__)
    return ended


def _listing(concurrency: int) -> Worker[Any]:
    """A worker of streaq that knows Leaf's jobs."""
    made = streaq_queue.made(concurrency)
    for one in functions.functions():
        made.task(
            name=one.name, ttl=one.result_seconds, timeout=int(one.seconds), max_tries=one.tries, silent=True
        )(_enqueued(one))  # fmt: skip
    for one in functions.schedule():
        seconds, minutes = (",".join(map(str, sorted(times))) for times in (one.second, one.minute or ()))
        made.cron(f"{seconds} {minutes or '*'} * * * * *", name=one.name, ttl=0, max_tries=1, silent=True)(_timed(one))
    return made


def _enqueued(job: queue.Function) -> Callable[..., Awaitable[Any]]:
    async def run(*arguments: Any) -> Any:
        return await job.run({}, *arguments)

    return run


def _timed(job: queue.Scheduled) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        await job.run({})

    return run
