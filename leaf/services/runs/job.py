"""The job that writes a run: checks whether it can start, and enqueues it."""

import logging

from leaf import errors, queue, redis
from leaf.db import models

log = logging.getLogger(__name__)


async def outage() -> errors.RedisUnavailable | None:
    """The reason why no run can begin; None while Redis answers."""
    try:
        with redis.guard():
            await redis.client().execute_command("PING")
    except errors.RedisUnavailable as error:
        return error
    return None


async def enqueue(answer: models.Message) -> None:
    """Enqueues the job of an answer. If Redis does not answer, a worker finds the pending row later."""
    try:
        await queue.enqueue_respond(str(answer.workflow_run_id), 1)
    except errors.RedisUnavailable:
        log.warning("run %s was stored and could not be enqueued; a worker will find it", answer.workflow_run_id)
