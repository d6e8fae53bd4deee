"""Bugs of Leaf that calls to Drive have shown, for administrators.

A bug is no failure of a connection, and is not stored with one. It is kept in Redis for a day.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from leaf import errors, redis
from leaf.google.causes import ROWS, Cause

SECONDS: Final = 86_400
_NAMED: Final = 5
"""The largest number of accounts to list by name. All are counted."""


@dataclass(frozen=True)
class Bug:
    """A bug, and the accounts whose Drives have shown it within the last day."""

    cause: Cause
    members: int
    """Number of pairs of a member and an account."""
    accounts: list[str]
    """The accounts that have shown the bug last, at most five."""


def _key(cause: Cause) -> str:
    return f"leaf:drive:bugs:{cause}"


def _causes() -> list[Cause]:
    return [cause for cause, row in ROWS.items() if row.mender == "leaf"]


async def note_bug(cause: Cause, member_id: UUID, account: str) -> None:
    """Records that a call to a member's Drive has shown a bug.

    Args:
        cause: The bug.
        member_id: The member.
        account: The account of the Drive.
    """
    with suppress(errors.RedisUnavailable), redis.guard():
        async with redis.client().pipeline(transaction=False) as pipeline:
            pipeline.zadd(_key(cause), {f"{member_id} {account}": time.time()})
            pipeline.zremrangebyscore(_key(cause), 0, time.time() - SECONDS)
            pipeline.expire(_key(cause), SECONDS)
            await pipeline.execute()


async def known_bugs() -> list[Bug]:
    """The bugs of the last day, in the order of `causes.ROWS`; empty if Redis does not answer."""
    found: list[Bug] = []
    with suppress(errors.RedisUnavailable), redis.guard():
        for cause in _causes():
            met = await redis.client().zrange(_key(cause), "+inf", time.time() - SECONDS, desc=True, byscore=True)
            if met:
                found.append(Bug(cause, len(met), [one.decode().partition(" ")[2] for one in met[:_NAMED]]))
    return found


async def forget_bugs(member_id: UUID) -> None:
    """Deletes the records of a member. If Redis does not answer, they expire within a day."""
    with suppress(errors.RedisUnavailable), redis.guard():
        for cause in _causes():
            found = [one async for one, _ in redis.client().zscan_iter(_key(cause), match=f"{member_id} *")]
            if found:
                await redis.client().zrem(_key(cause), *found)
