"""The sums of the counters of all processes, and the gauges of each process, in Redis.

Each process counts for itself and publishes the differences every few seconds (`Publisher`). The sums outlive the
processes, any web process can serve them, and nothing is counted twice. If Redis loses its data, the sums start again
at 0, which Prometheus allows for a counter.
"""

import asyncio
import json
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from uuid import uuid4

import orjson

from leaf import errors, redis, streams
from leaf.telemetry.metrics.instruments import REGISTRY

log = logging.getLogger(__name__)

Role = Literal["web", "worker"]

EVERY_SECONDS = 5.0
ALIVE_SECONDS = 17.0
"""The age of its last message at which a process counts as gone: it has missed three messages."""
_FORGOTTEN_SECONDS = 3600
_STAY_SECONDS = 30 * 24 * 3600
"""The time for which the sums are kept after the last message of any process."""
_TOTALS = "leaf:metrics:{all}:totals"
_PROCESSES = "leaf:metrics:{all}:processes"

# A message that is sent again because its reply was lost must be added only once. Its number shows that it was added.
_ADD = redis.Script("""
local seen, totals, processes = KEYS[1], KEYS[2], KEYS[3]
local number, process, kept, stay = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
if tonumber(redis.call('GET', seen) or '0') < number then
  for place = 6, #ARGV, 2 do
    redis.call('HINCRBYFLOAT', totals, ARGV[place], ARGV[place + 1])
  end
end
redis.call('SET', seen, number, 'EX', kept)
redis.call('HSET', processes, process, redis.call('TIME')[1] .. ' ' .. ARGV[3])
redis.call('EXPIRE', totals, stay)
redis.call('EXPIRE', processes, stay)
""")


@dataclass(frozen=True)
class Process:
    """A process as described by its last message."""

    role: str
    age_seconds: float
    """The age of this message."""
    gauges: dict[str, float]

    @property
    def alive(self) -> bool:
        """Whether it still sends messages."""
        return self.age_seconds < ALIVE_SECONDS


Sample = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name and its sorted labels."""


def samples() -> dict[Sample, float]:
    """The counters of this process since its start, by sample."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): float(sample.value)
        for family in REGISTRY.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


async def totals() -> dict[Sample, float]:
    """The sums of the counters of all processes."""
    with redis.guard():
        kept = await cast("Awaitable[dict[bytes, bytes]]", redis.client().hgetall(_TOTALS))
    found: dict[Sample, float] = {}
    for name, value in kept.items():
        sample, labels = orjson.loads(name)
        found[sample, tuple((key, text) for key, text in labels)] = float(value)
    return found


async def processes() -> list[Process]:
    """The processes that have sent a message within the last hour."""
    call: Any = redis.client()
    with redis.guard():
        async with call.pipeline(transaction=False) as pipeline:
            pipeline.time()
            pipeline.hgetall(_PROCESSES)
            (seconds, _), kept = await pipeline.execute()
        found = {name: _process(name, message, seconds) for name, message in kept.items()}
        if gone := [name for name, one in found.items() if one.age_seconds > _FORGOTTEN_SECONDS]:
            await call.hdel(_PROCESSES, *gone)
    return [one for name, one in found.items() if name not in gone]


def _process(name: bytes, message: bytes, now: int) -> Process:
    at, _, gauges = message.partition(b" ")
    return Process(name.decode().partition(":")[0], max(0.0, float(now - int(at))), orjson.loads(gauges))


class Publisher:
    """Publishes the counters and gauges of this process.

    Args:
        role: The role of the process.
        gauges: For each gauge, by its name, the function that returns its value. It is called for each message.
    """

    def __init__(self, role: Role, gauges: Mapping[str, Callable[[], float]]) -> None:
        self._gauges = gauges
        self._id = f"{role}:{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._number = 0
        self._published: dict[Sample, float] = {}
        self._sent: dict[Sample, float] | None = None
        """The counters of the last message, until Redis has confirmed it."""

    async def run(self) -> None:
        """Publishes until it is cancelled."""
        while True:
            await self.publish()
            await asyncio.sleep(EVERY_SECONDS)

    async def publish(self) -> None:
        """Publishes the differences. If Redis does not answer, they are published the next time."""
        if self._sent is None:
            self._number += 1
            self._sent = samples()
        added = [
            value
            for sample, counted in self._sent.items()
            if sample not in self._published or counted != self._published[sample]
            for value in (_field(sample), repr(counted - self._published.get(sample, 0.0)))
        ]
        gauges = orjson.dumps({name: ask() for name, ask in self._gauges.items()})
        arguments: list[str | bytes | int] = [self._number, self._id, gauges, _FORGOTTEN_SECONDS, _STAY_SECONDS, *added]
        try:
            with redis.guard():
                await _ADD([f"leaf:metrics:{{all}}:told:{self._id}", _TOTALS, _PROCESSES], arguments)
        except errors.RedisUnavailable:
            log.debug("Redis does not answer; counters are published later")
            return
        self._published, self._sent = self._sent, None

    async def leave(self) -> None:
        """Publishes the last differences and removes this process from the list."""
        await self.publish()
        try:
            with redis.guard():
                await cast("Awaitable[Any]", redis.client().hdel(_PROCESSES, self._id))
        except errors.RedisUnavailable:
            log.debug("Redis does not answer; this process is forgotten later")


def _field(sample: Sample) -> str:
    name, labels = sample
    return json.dumps([name, labels], separators=(",", ":"))


def gauges_of_process(database: Callable[[], tuple[int, int]]) -> dict[str, Callable[[], float]]:
    """The gauges that every process has.

    Args:
        database: Returns the numbers of connections to the database that are in use and idle.
    """
    return {
        "followers": streams.followers,
        "database_in_use": lambda: database()[0],
        "database_idle": lambda: database()[1],
        "redis_in_use": lambda: _redis_connections("used"),
        "redis_idle": lambda: _redis_connections("idle"),
    }


def _redis_connections(state: str) -> float:
    pool: Any = redis.client().connection_pool
    return sum(count for count, labels in pool.get_connection_count() if state in map(str, labels.values()))
