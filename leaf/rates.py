"""How often somebody may do something within a while, counted in Redis."""

import logging

from leaf import errors, redis

log = logging.getLogger(__name__)

_TAKE = redis.Script("""
local key, turns, most, milliseconds = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - milliseconds)
local taken = redis.call('ZCARD', key)
if taken >= most then
  local first = redis.call('ZRANGE', key, taken - most, taken - most, 'WITHSCORES')
  return math.max(1, tonumber(first[2]) + milliseconds - now)
end
redis.call('ZADD', key, now, redis.call('INCR', turns))
redis.call('PEXPIRE', key, milliseconds)
redis.call('PEXPIRE', turns, milliseconds)
return 0
""")


async def take(key: str, most: int, *, seconds: float) -> float:
    """Takes one turn of those that are allowed within any stretch of time of this length. A refused one does not count.

    Where Redis does not answer, everybody is let through, and it is logged: members are trusted (decision 13).

    Args:
        key: Who does what, such as `ask:<user id>`.
        most: So many turns, 1 or more.
        seconds: The length of the stretch.

    Returns:
        0 where the turn was taken; else the seconds until there is one again.
    """
    names = [f"leaf:rate:{{{key}}}", f"leaf:rate:{{{key}}}:turns"]
    try:
        with redis.guard():
            milliseconds = await _TAKE(names, [most, round(seconds * 1000)])
    except errors.RedisUnavailable:
        log.warning("Redis does not answer, so that the rate of %s is not limited", key)
        return 0
    return int(milliseconds) / 1000
