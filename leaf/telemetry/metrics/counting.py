"""What all processes have counted together, and how they are: kept in Redis.

A process counts for itself and says every few seconds what has been added (`Publisher`). So the sums outlive the
processes, any web process can tell all of them, and none is counted twice. Whoever loses Redis begins at 0, as
Prometheus expects of a counter.
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

from leaf import errors, redis
from leaf.telemetry.metrics.instruments import REGISTRY

log = logging.getLogger(__name__)

Role = Literal["web", "worker"]

EVERY_SECONDS = 5.0
ALIVE_SECONDS = 17.0
"""A process that has said nothing for so long is gone: it has missed three turns."""
_FORGOTTEN_SECONDS = 3600
_STAY_SECONDS = 30 * 24 * 3600
"""So long the sums stay where nobody says anything any more."""
_TOTALS = "leaf:metrics:{all}:totals"
_PROCESSES = "leaf:metrics:{all}:processes"

# What was sent twice, because the first answer got lost, is added once.
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
    """A process of Leaf's as it last said of itself."""

    role: str
    age_seconds: float
    """How long ago that was."""
    gauges: dict[str, float]

    @property
    def alive(self) -> bool:
        """Whether it still says something."""
        return self.age_seconds < ALIVE_SECONDS


Sample = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name, and its labels in order."""


def samples() -> dict[Sample, float]:
    """What this process has counted since it began, by sample."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): float(sample.value)
        for family in REGISTRY.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


async def totals() -> dict[Sample, float]:
    """What all processes have counted.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        kept = await cast("Awaitable[dict[bytes, bytes]]", redis.client().hgetall(_TOTALS))
    found: dict[Sample, float] = {}
    for name, value in kept.items():
        sample, labels = orjson.loads(name)
        found[sample, tuple((key, text) for key, text in labels)] = float(value)
    return found


async def processes() -> list[Process]:
    """The processes that have said something of themselves within the hour.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    call: Any = redis.client()
    with redis.guard():
        async with call.pipeline(transaction=False) as pipeline:
            pipeline.time()
            pipeline.hgetall(_PROCESSES)
            (seconds, _), kept = await pipeline.execute()
        found = {name: _process(name, said, seconds) for name, said in kept.items()}
        if gone := [name for name, one in found.items() if one.age_seconds > _FORGOTTEN_SECONDS]:
            await call.hdel(_PROCESSES, *gone)
    return [one for name, one in found.items() if name not in gone]


def _process(name: bytes, said: bytes, now: int) -> Process:
    at, _, gauges = said.partition(b" ")
    return Process(name.decode().partition(":")[0], max(0.0, float(now - int(at))), orjson.loads(gauges))


class Publisher:
    """Says what this process counts, and how it is.

    Args:
        role: Of the process.
        gauges: What it is asked each time, by name.
    """

    def __init__(self, role: Role, gauges: Mapping[str, Callable[[], float]]) -> None:
        self._gauges = gauges
        self._id = f"{role}:{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._number = 0
        self._told: dict[Sample, float] = {}
        self._sent: dict[Sample, float] | None = None
        """What was sent last, as long as Redis has not said that it came."""

    async def run(self) -> None:
        """Publishes until it is cancelled."""
        while True:
            await self.publish()
            await asyncio.sleep(EVERY_SECONDS)

    async def publish(self) -> None:
        """Says what has been added. Where Redis does not answer, it is said the next time."""
        if self._sent is None:
            self._number += 1
            self._sent = samples()
        added = [
            value
            for sample, counted in self._sent.items()
            if sample not in self._told or counted != self._told[sample]
            for value in (_field(sample), repr(counted - self._told.get(sample, 0.0)))
        ]
        gauges = orjson.dumps({name: ask() for name, ask in self._gauges.items()})
        arguments: list[str | bytes | int] = [self._number, self._id, gauges, _FORGOTTEN_SECONDS, _STAY_SECONDS, *added]
        try:
            with redis.guard():
                await _ADD([f"leaf:metrics:{{all}}:told:{self._id}", _TOTALS, _PROCESSES], arguments)
        except errors.RedisUnavailable:
            log.debug("Redis does not answer; what was counted is said later")
            return
        self._told, self._sent = self._sent, None

    async def leave(self) -> None:
        """Says what is left to say, and that this process ends."""
        await self.publish()
        try:
            with redis.guard():
                await cast("Awaitable[Any]", redis.client().hdel(_PROCESSES, self._id))
        except errors.RedisUnavailable:
            log.debug("Redis does not answer; this process is forgotten later")


def _field(sample: Sample) -> str:
    name, labels = sample
    return json.dumps([name, labels], separators=(",", ":"))
