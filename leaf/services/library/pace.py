"""The pace of the index. It slows down before Google limits a member or the project, so that answers are not delayed.

Google counts the cost of each call in units (`leaf.google.drive`). It limits the units of a member per minute, and the
units of the project per day. The units of all processes are counted in Redis. If Redis does not answer, nothing slows
down.
"""

import time
from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from leaf import config, errors, redis
from leaf.google import refusals

SHARE: Final = 0.8
"""The share of Google's limits at which the index begins to wait."""
DAYS_START: Final = 0.05
"""The smallest share of the day that counts as passed, so that units may be spent at its beginning."""
LIMITED_SECONDS: Final = 30
"""The pause of the index after Google has refused a call because of too many calls."""
_LIMITED: Final = "leaf:drive:limited"
_MINUTE: Final = 60
_DAY: Final = 86_400


def _now() -> float:
    return time.time()


def _minute_key(now: float) -> str:
    """The key of the sorted set that counts the units of each member in a minute."""
    return f"leaf:drive:units:{int(now // _MINUTE)}"


def _day_key(now: float) -> str:
    return f"leaf:drive:units:{datetime.fromtimestamp(now, ZoneInfo(refusals.DAYS_ZONE)):%Y-%m-%d}"


async def count(member_id: UUID, units: int) -> None:
    """Counts a call to Drive.

    Args:
        member_id: The member whose grant is used.
        units: The cost of the call.
    """
    now = _now()
    with suppress(errors.RedisUnavailable), redis.guard():
        async with redis.client().pipeline(transaction=False) as pipeline:
            pipeline.zincrby(_minute_key(now), units, str(member_id))
            pipeline.expire(_minute_key(now), 2 * _MINUTE)
            pipeline.incrby(_day_key(now), units)
            pipeline.expire(_day_key(now), 2 * _DAY)
            await pipeline.execute()


async def note_limited() -> None:
    """Records that Google has refused a call because of too many calls."""
    with suppress(errors.RedisUnavailable), redis.guard():
        await redis.client().set(_LIMITED, "1", ex=LIMITED_SECONDS)


async def is_ahead() -> bool:
    """Whether the units of a day are spent faster than the day passes. False if Redis does not answer.

    Work that can wait is then done less often, so that the units last until the end of the day.
    """
    now, most = _now(), config.current().drive_units_per_day
    begun = datetime.fromtimestamp(now, ZoneInfo(refusals.DAYS_ZONE)).replace(hour=0, minute=0, second=0, microsecond=0)
    passed = max((now - begun.timestamp()) / _DAY, DAYS_START)
    try:
        with redis.guard():
            spent = int(await redis.client().get(_day_key(now)) or 0)
    except errors.RedisUnavailable:
        return False
    return spent >= SHARE * most * passed


async def wait_seconds() -> float:
    """The time in seconds for which the index must make no calls, at most 60; 0 if it may continue."""
    now, settings = _now(), config.current()
    try:
        with redis.guard():
            async with redis.client().pipeline(transaction=False) as pipeline:
                pipeline.pttl(_LIMITED)
                pipeline.zrange(_minute_key(now), 0, 0, desc=True, withscores=True)
                pipeline.get(_day_key(now))
                limited, most, spent = await pipeline.execute()
    except errors.RedisUnavailable:
        return 0.0
    of_member, of_day = most[0][1] if most else 0, int(spent or 0)
    is_spent = of_member >= SHARE * settings.drive_units_per_minute or of_day >= SHARE * settings.drive_units_per_day
    return max(limited / 1000, _MINUTE - now % _MINUTE if is_spent else 0.0, 0.0)
