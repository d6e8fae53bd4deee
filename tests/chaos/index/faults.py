"""The faults of the index bench. Several of them strike in one trial, each at a random moment."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.index.system import System

CALLS = (
    r"/drive/v3/files\?", r"/drive/v3/changes\?", r"/drive/v3/changes/startPageToken", r"/drive/v3/drives\?",
    r"/drive/v3/files/[^/?]+\?.*fields", r"alt=media", r"/export", r"/drive/v3/",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Args:
        name: Its name in the table.
        strike: Breaks something and mends it again.
    """

    name: str
    strike: Callable[[System, random.Random], Awaitable[None]]


async def kill(system: System, drawn: random.Random) -> None:
    await system.kill_worker()


async def terminate(system: System, drawn: random.Random) -> None:
    await system.end_worker()


async def restart_postgres(system: System, drawn: random.Random) -> None:
    async with system.changing:
        await asyncio.to_thread(system.stack.stop_postgres)
        await asyncio.sleep(drawn.uniform(0, 1))
        await asyncio.to_thread(system.stack.start_postgres)


async def kill_redis(system: System, drawn: random.Random) -> None:
    async with system.changing:
        await asyncio.to_thread(system.stack.kill_redis)
        await asyncio.sleep(drawn.uniform(0, 1))
        await asyncio.to_thread(system.stack.start_redis)


async def flush_redis(system: System, drawn: random.Random) -> None:
    await system.flush_redis()


def refuse(calls: Sequence[str] = CALLS, **fault: Any) -> Callable[[System, random.Random], Awaitable[None]]:
    """The next calls of one kind are answered so."""

    async def strike(system: System, drawn: random.Random) -> None:
        call, times = drawn.choice(calls), drawn.randint(1, 6)
        await system.fault({"path": call, "times": times} | fault)

    return strike


async def refuse_token(system: System, drawn: random.Random) -> None:
    await system.fault({"path": "/drive/v3/", "status": 401, "reason": "authError", "times": 1})


async def fail_refresh(system: System, drawn: random.Random) -> None:
    await system.fault({"path": "^/token$", "status": 503, "times": drawn.randint(1, 3)})
    await refuse_token(system, drawn)


async def forget_changes(system: System, drawn: random.Random) -> None:
    (await system.http.delete("/sandbox/changes")).raise_for_status()


FAULTS = (
    Fault("kill -9 of the worker", kill),
    Fault("SIGTERM of the worker", terminate),
    Fault("PostgreSQL restarted", restart_postgres),
    Fault("Redis killed and restarted", kill_redis),
    Fault("Redis flushed", flush_redis),
    Fault("Google: 429", refuse(status=429, reason="rateLimitExceeded", headers={"retry-after": "1"})),
    Fault("Google: 403 for a rate", refuse(status=403, reason="userRateLimitExceeded")),
    Fault("Google: 500", refuse(status=500, reason="internalError")),
    Fault("Google: 503", refuse(status=503, reason="backendError")),
    Fault("Google: a cut page", refuse(CALLS[:2], status=200, body='{"kind": "drive#fileList", "files": [{"id": "1')),
    Fault("Google: a slow answer", refuse(delay_seconds=1.5)),
    Fault("Google: a refused access token", refuse_token),
    Fault("Google: no new access token", fail_refresh),
    Fault("Google: places in the feeds are forgotten", forget_changes),
)
