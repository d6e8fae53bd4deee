"""Whether this process can serve: the database, Redis, and a worker that lives."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, Literal, cast

from leaf import errors, redis
from leaf.db.session import Actor, transaction
from leaf.telemetry import metrics

SECONDS: Final = 2.0
"""A part that does not answer within so long does not work."""

Part = Literal["database", "redis", "worker"]
Standing = Literal["ok", "no answer", "none alive"]


@dataclass(frozen=True)
class Readiness:
    """State of the parts that Leaf needs for an answer."""

    parts: dict[Part, Standing]

    @property
    def ready(self) -> bool:
        """Whether all of them work."""
        return all(standing == "ok" for standing in self.parts.values())


async def check() -> Readiness:
    """Checks all parts in parallel within about two seconds; failures carry no reason."""
    database, store, worker = await asyncio.gather(_within(_database()), _within(_redis()), _within(_worker()))
    return Readiness({"database": database, "redis": store, "worker": worker})


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


async def _worker() -> Standing:
    alive = any(one.alive and one.role == "worker" for one in await metrics.processes())
    return "ok" if alive else "none alive"
