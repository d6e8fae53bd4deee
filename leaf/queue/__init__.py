"""The queue of jobs for workers: the protocol that a queue implements, and the queue in use.

`leaf.queue.arq_queue` is the default. Another queue is a module with a class `Queue` (`LEAF_QUEUE`) and a worker that
runs the jobs of `jobs.functions`. Calls of the queue raise `errors.RedisUnavailable` if it does not answer.
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
    """A called job failed, or no worker has a function of this name."""


@dataclass(frozen=True)
class Job:
    """A call of a function in a worker. Equal calls are the same job."""

    function: str
    arguments: tuple[str | int, ...]

    @property
    def id(self) -> str:
        """The id of the job in the queue."""
        return ":".join(map(str, (self.function, *self.arguments)))


JOB_SECONDS: Final = 24 * 3600.0
"""Practically no limit, because a run is limited by its lease, its steps and the timeouts of its model."""


@dataclass(frozen=True)
class Function:
    """A job that can be enqueued by name."""

    name: str
    run: Callable[..., Awaitable[Any]]
    """Receives the context of the queue, which may contain `enqueue_time`, and the arguments of the job."""
    result_seconds: int = 0
    """How long the result can be read, in seconds."""
    seconds: float = JOB_SECONDS
    """The time limit of the job, in seconds."""
    tries: int = 100
    """Maximum number of attempts. The job starts again if its worker dies."""


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
        """The name in the queue. It contains the module, because several modules have a function of the same name."""
        return f"cron:{self.run.__module__.rpartition('.')[2]}.{self.run.__name__}"


@dataclass(frozen=True)
class Standing:
    """The state of the queue, as an administrator sees it."""

    jobs: int
    """The number of jobs that wait or run."""
    heartbeat: str | None
    """The last report of a worker; None if no worker is alive."""


class Queue(Protocol):
    """A queue of jobs. All methods raise errors.RedisUnavailable while the queue does not answer."""

    async def enqueue(self, job: Job) -> bool:
        """Enqueues a job unless the same job waits or runs. Returns whether it is new."""
        ...

    async def forget(self, jobs: Sequence[Job]) -> None:
        """Removes the jobs of dead workers. Otherwise the queue would start them again by itself."""
        ...

    async def call(self, function: str, argument: Any, *, seconds: float, every_seconds: float) -> Any:
        """Lets a worker call a function, and returns the result, for which it asks every `every_seconds`.

        Raises:
            TimeoutError: There is no result within `seconds`.
            Failed: The function failed, or no worker knows it.
        """
        ...

    async def waiting(self, function: str) -> Sequence[float]:
        """The times from which jobs of a function wait (Unix time, seconds). Jobs that have begun are left out."""
        ...

    async def standing(self) -> Standing:
        """The state of the queue, as an administrator sees it."""
        ...


def job_serializer(job: dict[str, Any]) -> bytes:
    """Encodes a job or a result as JSON. Unlike pickle, JSON cannot run code when it is read."""
    return orjson.dumps(job, default=str)


def job_deserializer(data: bytes) -> dict[str, Any]:
    """The inverse of `job_serializer`."""
    return orjson.loads(data)


@cache
def _queue(module: str) -> Queue:
    return importlib.import_module(module).Queue()


def current() -> Queue:
    """The queue that the settings select."""
    return _queue(config.current().queue)


async def enqueue_respond(run_id: UUID | str, attempt: int) -> bool:
    """Enqueues the job that writes a run. Repeated calls enqueue it only once.

    Args:
        run_id: The run to write.
        attempt: The number of the attempt, from 1. Each attempt is a separate job.

    Returns:
        Whether the job is new.
    """
    return await current().enqueue(Job(RESPOND, (str(run_id), attempt)))


async def forget_attempts(function: str, subject: UUID, attempts: int) -> None:
    """Removes the jobs of dead workers.

    Args:
        function: The function of the jobs.
        subject: The run or the import that they work on.
        attempts: The number of the last attempt; the first is 1.
    """
    await current().forget([Job(function, (str(subject), attempt)) for attempt in range(1, attempts + 1)])
