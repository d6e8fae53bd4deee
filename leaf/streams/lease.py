"""Leases: which worker writes a run."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from leaf import errors, redis
from leaf.streams.keys import RunId, keys

LEASE_SECONDS = 10.0
RENEW_SECONDS = 3.0

# Renewing also takes a lease that nobody holds, so a lost reply or a lease that lapsed unnoticed does no harm.
_HOLD = redis.Script("""
local held = {}
for i, lease in ipairs(KEYS) do
  local token = ARGV[2 * i - 1]
  local holder = redis.call('GET', lease)
  held[i] = (not holder or holder == token) and 1 or 0
  if held[i] == 1 then redis.call('SET', lease, token, 'PX', ARGV[2 * i]) end
end
return held
""")
_RELEASE = redis.Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
""")


@dataclass
class Lease:
    """The right to write a run. It lasts `seconds` from the last renewal."""

    run_id: RunId
    token: str
    seconds: float = LEASE_SECONDS
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when another worker has the lease, or when Redis has not answered for as long as the lease lasts."""

    async def renew(self) -> bool:
        """Renews the lease, unless another worker has it.

        Returns:
            Whether this worker has the lease. If not, `lost` is set.
        """
        held = await _renewals.setdefault(asyncio.get_running_loop(), _Renewals()).of(self)
        if not held:
            self.lost.set()
        return held

    async def release(self) -> bool:
        """Gives up the lease, so that the next worker need not wait until it lapses.

        Returns:
            Whether this worker still had the lease.

        Raises:
            errors.RedisUnavailable: Redis does not answer. The lease then lapses by itself.
        """
        if renewals := _renewals.get(asyncio.get_running_loop()):
            # A renewal that is already being sent would take the lease again.
            await renewals.settled()
        with redis.guard():
            return bool(await _RELEASE([keys(self.run_id).lease], [self.token]))


class _Renewals:
    """Sends renewals that are due together in one call to Redis, because a worker may hold hundreds of leases."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Lease, asyncio.Future[bool]]] = []
        self._sending: set[asyncio.Task[None]] = set()

    async def of(self, lease: Lease) -> bool:
        """Renews a lease; returns whether this worker has it."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((lease, answer))
        if len(self._waiting) == 1:
            task = asyncio.create_task(self._send(), name="lease renewals")
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return await answer

    async def settled(self) -> None:
        """Waits until the renewals that are being sent have ended."""
        if self._sending:
            await asyncio.wait(set(self._sending))

    async def _send(self) -> None:
        await asyncio.sleep(0)
        # Leave out leases for which no task waits any more.
        waiting, self._waiting = [(lease, answer) for lease, answer in self._waiting if not answer.done()], []
        if not waiting:
            return
        arguments: list[str | bytes | int] = []
        for lease, _ in waiting:
            arguments += [lease.token, int(lease.seconds * 1000)]
        try:
            with redis.guard():
                held = await _HOLD([keys(lease.run_id).lease for lease, _ in waiting], arguments)
        except BaseException as error:  # noqa: BLE001 - the waiting task raises it
            for _, answer in waiting:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (_, answer), is_held in zip(waiting, held, strict=True):
            if not answer.done():
                answer.set_result(bool(is_held))


_renewals: WeakKeyDictionary[asyncio.AbstractEventLoop, _Renewals] = WeakKeyDictionary()


async def acquire(run_id: RunId, worker_id: str, *, seconds: float = LEASE_SECONDS) -> Lease | None:
    """Takes the lease of a run.

    Args:
        run_id: The run to write.
        worker_id: The name of the worker. It is part of the token, for people who look into Redis.
        seconds: How long the lease lasts without renewal.

    Returns:
        The lease; None if another worker has it.
    """
    lease = Lease(run_id, f"{worker_id}:{uuid4().hex}", seconds)
    return lease if await lease.renew() else None


async def leased(run_ids: Iterable[RunId]) -> set[RunId]:
    """The runs among `run_ids` that have a lease, which means that a worker is writing them at the moment."""
    runs = [*run_ids]
    if not runs:
        return set()
    with redis.guard():
        holders: Sequence[Any] = await redis.client().mget([keys(run_id).lease for run_id in runs])
    return {run_id for run_id, holder in zip(runs, holders, strict=True) if holder is not None}


@asynccontextmanager
async def renewing(lease: Lease, *, every_seconds: float = RENEW_SECONDS) -> AsyncGenerator[Lease]:
    """Renews the lease in the background until the block ends. The block must watch `lease.lost`.

    Args:
        lease: A lease that was just acquired.
        every_seconds: The time between renewals, which must be well below `lease.seconds`.
    """
    task = asyncio.create_task(_renew(lease, every_seconds), name=f"lease {lease.run_id}")
    try:
        yield lease
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _renew(lease: Lease, every_seconds: float) -> None:
    loop = asyncio.get_running_loop()
    held_until = loop.time() + lease.seconds
    pause = every_seconds
    while not lease.lost.is_set():
        # Wait for the next multiple of the pause, so that all leases of a process are renewed together.
        await asyncio.sleep(pause - loop.time() % pause)
        sent_at = loop.time()
        try:
            await lease.renew()
        except errors.RedisUnavailable:
            # A restart of Redis takes less time than the lease lasts, so only a longer outage loses the lease.
            pause = min(0.5, every_seconds)
            if loop.time() >= held_until:
                lease.lost.set()
        else:
            pause, held_until = every_seconds, sent_at + lease.seconds
