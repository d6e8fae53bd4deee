"""How many answers wait for a worker, by arq's own keys."""

from typing import Any, Final

from arq import constants

from leaf import redis

_MOST: Final = 10_000
"""So many jobs are looked at; more are not told apart from so many."""


async def waiting() -> int:
    """The number of answers that no worker has begun. A job stays in arq's queue until it has ended.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    call: Any = redis.client()
    prefix = redis.RESPOND.encode() + b":"
    with redis.guard():
        queued: list[bytes] = await call.zrange(constants.default_queue_name, 0, _MOST - 1)
        answers = [job for job in queued if job.startswith(prefix)]
        if not answers:
            return 0
        async with call.pipeline(transaction=False) as pipeline:
            for job in answers:
                pipeline.exists(constants.in_progress_key_prefix.encode() + job)
            begun: list[int] = await pipeline.execute()
    return len(answers) - sum(begun)
