"""Checks whether this process can serve requests: the database, Redis, and a live worker."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from leaf import errors, redis, streams
from leaf.db.session import Actor, transaction
from leaf.telemetry import metrics

SECONDS: Final = 2.0
"""The time within which a working part must answer."""

Part = Literal["database", "redis", "worker"]
Standing = Literal["ok", "busy", "no answer", "none alive"]
WORKING: Final = frozenset[Standing]({"ok", "busy"})
"""The standings of a working part. Workers are `busy` if answers wait although a worker is alive."""


@dataclass(frozen=True)
class Readiness:
    """State of the parts that Leaf needs for an answer."""

    parts: dict[Part, Standing]
    waiting: metrics.Waiting = field(default_factory=metrics.Waiting)
    """The answers that no worker has begun."""

    @property
    def ready(self) -> bool:
        """Whether all parts work."""
        return WORKING.issuperset(self.parts.values())


async def check() -> Readiness:
    """Checks all parts in parallel within about two seconds. The result has no reasons for failures."""
    waiting = metrics.Waiting()

    async def worker() -> Standing:
        nonlocal waiting
        alive = any(one.alive and one.role == "worker" for one in await metrics.processes())
        waiting = await metrics.jobs_waiting()
        if not alive:
            return "none alive"
        return "busy" if waiting.seconds >= streams.UNTAKEN_SECONDS else "ok"

    found = await asyncio.gather(_within(_database()), _within(_redis()), _within(worker()))
    return Readiness({"database": found[0], "redis": found[1], "worker": found[2]}, waiting)


async def _within(question: Awaitable[Standing]) -> Standing:
    try:
        async with asyncio.timeout(SECONDS):
            return await question
    except (TimeoutError, errors.Unavailable):
        return "no answer"


async def _database() -> Standing:
    async with transaction(Actor.system(), read_only=True) as tx:
        await tx.execute("SELECT 1")
    return "ok"


async def _redis() -> Standing:
    with redis.guard():
        await cast("Awaitable[bool]", redis.client().ping())
    return "ok"
