"""The queue of jobs for workers: the protocol that a queue implements, and the queue in use.

`leaf.queue.arq_queue` is the default. Another queue is a module with a class `Queue` (`LEAF_QUEUE`) and a worker that
runs the jobs of `jobs.functions`.
"""

import importlib
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol
from uuid import UUID

import orjson

from leaf import config

RESPOND: Final = "respond"
"""The name of the job that writes an answer."""


class Failed(Exception):
    """A job that was called has failed, or no worker has a function of this name."""


@dataclass(frozen=True)
class Job:
    """A call of a function in a worker. Equal calls are the same job."""

    function: str
    arguments: tuple[str | int, ...]

    @property
    def id(self) -> str:
        """The name of the job."""
        return ":".join(map(str, (self.function, *self.arguments)))


JOB_SECONDS: Final = 24 * 3600.0
"""Practically no limit: a run is limited by its lease, its steps and the timeouts of its model."""


@dataclass(frozen=True)
class Function:
    """A job that is enqueued by its name."""

    name: str
    run: Callable[..., Awaitable[Any]]
    """Gets the context of the queue, in which `enqueue_time` may be, and the arguments of the job."""
    result_seconds: int = 0
    """The time for which its result can be read."""
    seconds: float = JOB_SECONDS
    """The time after which it is cancelled."""
    tries: int = 100
    """The maximum number of attempts. A job is attempted again if its worker dies."""


@dataclass(frozen=True)
class Scheduled:
    """A job that one of the workers runs at certain times (UTC)."""

    run: Callable[[dict[str, Any]], Awaitable[None]]
    second: AbstractSet[int]
    minute: AbstractSet[int] | None = None
    """The minutes of an hour at which it runs; None for every minute."""
    at_start: bool = False
    """Whether it also runs when a worker starts."""

    @property
    def name(self) -> str:
        """The name in the queue: modules have functions of the same name."""
        return f"cron:{self.run.__module__.rpartition('.')[2]}.{self.run.__name__}"


@dataclass(frozen=True)
class Standing:
    """The queue as an administrator sees it."""

    jobs: int
    """The jobs that wait or run."""
    heartbeat: str | None
    """The last line of a worker about itself; None without a worker."""


class Queue(Protocol):
    """A queue of jobs. All methods raise errors.RedisUnavailable while it does not answer."""

    async def enqueue(self, job: Job) -> bool:
        """Enqueues a job, unless there is such a job that waits or runs; returns whether it is new."""
        ...

    async def forget(self, jobs: Sequence[Job]) -> None:
        """Removes jobs of dead workers, which the queue would start again by itself."""
        ...

    async def call(self, function: str, argument: Any, *, seconds: float, every_seconds: float) -> Any:
        """Has a worker call a function and returns its result, which is polled at the interval `every_seconds`.

        Raises:
            TimeoutError: There is no result in time.
            Failed: The function failed, or no worker knows it.
        """
        ...

    async def waiting(self, function: str) -> Sequence[float]:
        """The Unix times in seconds since which the jobs of a function wait that no worker has started."""
        ...

    async def standing(self) -> Standing:
        """The queue as an administrator sees it."""
        ...


def job_serializer(job: dict[str, Any]) -> bytes:
    """Jobs and results as JSON: unlike pickle, it cannot run code when it is read."""
    return orjson.dumps(job, default=str)


def job_deserializer(data: bytes) -> dict[str, Any]:
    """The inverse of `job_serializer`."""
    return orjson.loads(data)


@cache
def _queue(module: str) -> Queue:
    return importlib.import_module(module).Queue()


def current() -> Queue:
    """The queue that is used."""
    return _queue(config.current().queue)


async def enqueue_respond(run_id: UUID | str, attempt: int) -> bool:
    """Enqueues the job that writes a run once, however often it is called.

    Args:
        run_id: The run to write.
        attempt: 1 for the first try; each try has a job of its own.

    Returns:
        Whether the job is new.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    return await current().enqueue(Job(RESPOND, (str(run_id), attempt)))


async def forget_attempts(function: str, subject: UUID, attempts: int) -> None:
    """Removes the jobs of dead workers.

    Args:
        function: The name of the jobs.
        subject: The run or the import that they work on.
        attempts: The number of the last job; the first is 1.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    await current().forget([Job(function, (str(subject), attempt)) for attempt in range(1, attempts + 1)])
