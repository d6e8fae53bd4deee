"""The rights of readers of runs. One check covers all runs that a reader follows, at each notice and at intervals."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from leaf import errors
from leaf.parts import Chunk
from leaf.redis import events
from leaf.streams.keys import RunId
from leaf.streams.outages import Outage

log = logging.getLogger(__name__)

CHECK_SECONDS = 15.0
"""The longest time between two checks of a reader's rights. A notice of one of its topics causes a check at once."""
TRUSTED_SECONDS = 30.0
"""The longest time for which a reader may continue while its rights cannot be checked."""
LEAVE_SECONDS = 1.0
"""The time that a running check has to end after its reader has left. Then it is cancelled."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The stored state of the answer that a run writes."""

    unfinished: bool
    replay: Callable[[], list[Chunk]]
    """Returns the chunks that make the stored answer, with `finish` at the end."""


Check = Callable[[Collection[RunId]], Awaitable[Mapping[RunId, Answer]]]
"""Returns the answers of the given runs that the reader may read now; other runs are left out.

Raises a LeafError if the reader may read nothing any longer, because a session or key has ended. Raises
errors.Unavailable if that cannot be determined.
"""


@dataclass(frozen=True)
class Reader:
    """A party that follows runs. Equal readers share their checks."""

    key: Hashable
    """The audience, and the session, key or identity that identifies the reader."""
    topics: tuple[str, ...] = field(compare=False)
    """The topics whose notices cause a check at once (`leaf.redis.events`)."""
    check: Check = field(compare=False)


class Access:
    """The access of one reader to one run."""

    def __init__(self, run_id: RunId, rights: "_Rights") -> None:
        self.run_id = run_id
        self.answer: Answer | None = None
        """The answer at the last successful check; None if there was none yet."""
        self.revoked: errors.LeafError | None = None
        """The reason why the reader may not, or may no longer, read the run; None while it may."""
        self.wake: Callable[[], None] = lambda: None
        """Called when access is revoked, so that a follower that waits for chunks notices."""
        self._rights = rights
        self._proven_at = 0.0

    def grant(self, answer: Answer) -> None:
        """Records a successful check."""
        self.answer, self._proven_at = answer, asyncio.get_running_loop().time()

    def revoke(self, error: errors.LeafError) -> None:
        """Ends the access."""
        self.revoked = error
        self.wake()

    @property
    def is_proven(self) -> bool:
        """Whether a check has succeeded within the last `TRUSTED_SECONDS`."""
        now = asyncio.get_running_loop().time()
        return self.answer is not None and now < self._proven_at + TRUSTED_SECONDS

    async def check(self) -> None:
        """Checks the rights now, and sets `answer` or `revoked`.

        Raises:
            errors.Unavailable: The check cannot be made at the moment.
        """
        await self._rights.check()


class _Rights:
    """The rights of one reader, as long as it follows at least one run."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._accesses: set[Access] = set()
        self._begun = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def join(self, run_id: RunId) -> Access:
        """The access to one more run, after a first check. If the check cannot be made, the access is unproven."""
        access = Access(run_id, self)
        self._accesses.add(access)
        try:
            if self._watching is None:
                self._watching = self._task(self._watch(), "rights of a reader")
                await self._begun.wait()
            else:
                with suppress(errors.Unavailable):
                    await self.check()
        except BaseException:
            await self.leave(access)
            raise
        return access

    async def leave(self, access: Access) -> None:
        """Ends an access. The end of the last access ends the checks."""
        self._accesses.discard(access)
        if self._accesses:
            return
        _readers().pop(self._reader, None)
        if self._watching is not None:
            self._watching.cancel()
        # A running check gets time to end by itself, because its cancellation would close a database connection.
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVE_SECONDS)
        for task in [*self._tasks]:
            task.cancel()

    async def check(self) -> None:
        """Checks all accesses. Calls that come before a check begins share it.

        Raises:
            errors.Unavailable: The check cannot be made at the moment.
        """
        if self._next is None:
            self._next = self._task(self._check(), "check of rights")
        await asyncio.shield(self._next)

    async def _check(self) -> None:
        async with self._lock:
            # A later call may be about a later change, so it gets a check of its own.
            self._next = None
            accesses = [*self._accesses]
            try:
                found = await self._reader.check({access.run_id for access in accesses})
            except errors.Unavailable:
                raise
            except errors.LeafError as error:
                for access in accesses:
                    access.revoke(error)
                return
            for access in accesses:
                answer = found.get(access.run_id)
                if answer is None:
                    access.revoke(errors.NotFound("answer"))
                else:
                    access.grant(answer)

    def _task(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None or isinstance(error, errors.Unavailable):
            return
        log.error("the rights of a reader could not be checked", exc_info=error)
        for access in self._accesses:
            access.revoke(errors.LeafError.unexpected())
        self._begun.set()

    async def _watch(self) -> None:
        """Checks at every notice and at intervals. It first subscribes to notices, so that no change is missed."""
        outage = Outage()
        async with events.subscribe(self._reader.topics) as notices:
            while True:
                pause = CHECK_SECONDS
                try:
                    await self.check()
                except errors.Unavailable:
                    pause = outage.pause()
                self._begun.set()
                await notices.changed(within_seconds=pause)


_all: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Reader, _Rights]] = WeakKeyDictionary()


def _readers() -> dict[Reader, _Rights]:
    return _all.setdefault(asyncio.get_running_loop(), {})


@asynccontextmanager
async def access(reader: Reader, run_id: RunId) -> AsyncGenerator[Access]:
    """The access of a reader to a run, which is kept up to date during the block."""
    rights = _readers().get(reader)
    if rights is None:
        rights = _readers()[reader] = _Rights(reader)
    joined = await rights.join(run_id)
    try:
        yield joined
    finally:
        await rights.leave(joined)
