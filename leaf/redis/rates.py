"""Rate limits in sliding windows, counted in Redis."""

import logging
import math
from collections.abc import Iterable, Mapping

from leaf import errors, redis

log = logging.getLogger(__name__)


async def take(key: str, most: int, *, seconds: float) -> int:
    """Takes one turn of a limit within a sliding window. A refused turn does not count.

    If Redis does not answer, every turn is allowed, because members are trusted (decision 0028). A warning is logged.

    Args:
        key: The caller and the action, such as `ask:<user id>`.
        most: Maximum number of turns, 1 or more.
        seconds: The length of the window.

    Returns:
        0 if the turn was taken; otherwise the whole seconds after which the next turn is free.
    """
    try:
        return await take_each({key: most}, seconds=seconds)
    except errors.RedisUnavailable:
        log.warning("Redis does not answer; the rate of %s is not limited", key)
        return 0


_TAKE_EACH = redis.Script("""
local milliseconds, count = tonumber(ARGV[1]), #KEYS / 2
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local longest = 0
for i = 1, count do
  local key, most = KEYS[2 * i - 1], tonumber(ARGV[i + 1])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - milliseconds)
  local taken = redis.call('ZCARD', key)
  if taken >= most then
    local first = redis.call('ZRANGE', key, taken - most, taken - most, 'WITHSCORES')
    longest = math.max(longest, 1, tonumber(first[2]) + milliseconds - now)
  end
end
if longest > 0 then return longest end
for i = 1, count do
  local key, turns = KEYS[2 * i - 1], KEYS[2 * i]
  redis.call('ZADD', key, now, redis.call('INCR', turns))
  redis.call('PEXPIRE', key, milliseconds)
  redis.call('PEXPIRE', turns, milliseconds)
end
return 0
""")


async def take_each(limits: Mapping[str, int], *, seconds: float) -> int:
    """Takes one turn of each of several limits, or none at all. Used for callers without an account (decision 0028).

    Args:
        limits: Maximum numbers of turns, 1 or more, by caller and action, such as `guest:<id>`.
        seconds: The length of the window.

    Returns:
        0 if the turns were taken; otherwise the whole seconds after which a turn of each limit is free.

    Raises:
        errors.RedisUnavailable: Redis does not answer; the turn is not allowed.
    """
    names = [name for key in limits for name in (f"leaf:rate:{{{key}}}", f"leaf:rate:{{{key}}}:turns")]
    with redis.guard():
        milliseconds = await _TAKE_EACH(names, [round(seconds * 1000), *limits.values()])
    return math.ceil(int(milliseconds) / 1000)


async def give_back(keys: Iterable[str]) -> None:
    """Gives back the last turn of each of several limits, because the action failed.

    Raises:
        errors.RedisUnavailable: Redis does not answer; the turns are gone.
    """
    with redis.guard():
        async with redis.client().pipeline(transaction=True) as pipe:
            for key in keys:
                pipe.zpopmax(f"leaf:rate:{{{key}}}")
            await pipe.execute()
