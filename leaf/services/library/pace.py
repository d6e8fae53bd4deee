"""The pace of the index: it slows before Google limits the project, so that answers are not slowed.

The calls of all processes to Drive are counted by the minute in Redis. Where Redis does not answer, nothing is slowed.
"""

import time
from typing import Final

from leaf import config, errors, redis

SHARE: Final = 0.8
"""The part of the project's calls in a minute from which on the index waits for the next minute."""
LIMITED_SECONDS: Final = 30
"""The pause of the index after a refusal of Google's for too many calls."""
_LIMITED: Final = "leaf:drive:limited"
_MINUTE: Final = 60


def _calls(now: float) -> str:
    return f"leaf:drive:calls:{int(now // _MINUTE)}"


async def count() -> None:
    """Counts a call to Drive."""
    key = _calls(time.time())
    try:
        with redis.guard():
            async with redis.client().pipeline(transaction=False) as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, 2 * _MINUTE)
                await pipeline.execute()
    except errors.RedisUnavailable:
        return


async def note_limited() -> None:
    """Notes that Google has refused a call because there were too many."""
    try:
        with redis.guard():
            await redis.client().set(_LIMITED, "1", ex=LIMITED_SECONDS)
    except errors.RedisUnavailable:
        return


async def wait_seconds() -> float:
    """The time for which the index makes no calls; 0 if it may go on."""
    now = time.time()
    try:
        with redis.guard():
            limited, calls = await redis.client().pttl(_LIMITED), int(await redis.client().get(_calls(now)) or 0)
    except errors.RedisUnavailable:
        return 0.0
    until_next = _MINUTE - now % _MINUTE if calls >= SHARE * config.current().drive_calls_per_minute else 0.0
    return max(limited / 1000, until_next, 0.0)
