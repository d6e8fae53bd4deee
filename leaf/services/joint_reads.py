"""Reads that callers share: all who ask before a read begins get what it finds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from leaf import errors, unattended

Key = TypeVar("Key")
Wish = TypeVar("Wish")
Found = TypeVar("Found")

SECONDS: Final = 15.0
"""The time after which a read is given up that neither ends nor fails: it would hold up all later ones of its key."""

log = logging.getLogger(__name__)


class JointRead(Generic[Key, Wish, Found]):
    """A read that is made once for many callers of this process, one at a time for each key.

    A caller never gets what a read found that began before the call: it may ask because of a newer change.

    Args:
        read: Reads for a key what its callers wish.
        at_once: The number of reads at the same time, of all keys; 0 for no limit.
    """

    def __init__(self, read: Callable[[Key, Sequence[Wish]], Awaitable[Found]], *, at_once: int = 0) -> None:
        self._read, self._at_once = read, at_once
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._gathering: dict[tuple[asyncio.AbstractEventLoop, Key], _Round[Wish, Found]] = {}
        """Reads that others can still join."""
        self._under_way: dict[tuple[asyncio.AbstractEventLoop, Key], asyncio.Lock] = {}

    async def __call__(self, key: Key, wish: Wish) -> Found:
        """The result of a read that begins after this call. An error of the read is raised for each of its callers.

        Raises:
            errors.DatabaseUnavailable: The read takes longer than `SECONDS`.
        """
        place = asyncio.get_running_loop(), key
        joined = self._gathering.get(place)
        if joined is None:
            joined = self._gathering[place] = _Round(wish)
            joined.task = asyncio.create_task(self._run(place, joined))
            unattended.keep(joined.task)
        else:
            joined.wishes.append(wish)
        # A caller that is cancelled does not end the read of the others.
        return await asyncio.shield(joined.task)

    async def _run(self, place: "tuple[asyncio.AbstractEventLoop, Key]", joined: "_Round[Wish, Found]") -> Found:
        lock = self._under_way.setdefault(place, asyncio.Lock())
        try:
            async with lock, self._turn(place[0]):
                del self._gathering[place]
                return await self._bounded(place[1], joined.wishes)
        finally:
            if self._gathering.get(place) is joined:
                del self._gathering[place]
            if place not in self._gathering:
                self._under_way.pop(place, None)

    async def _bounded(self, key: Key, wishes: Sequence[Wish]) -> Found:
        reading = asyncio.ensure_future(self._read(key, wishes))
        unattended.keep(reading)
        try:
            await asyncio.wait({reading}, timeout=SECONDS)
        finally:
            # Its end is not waited for, because a connection that is stuck does not end at once either.
            late = reading.cancel()
        if late:
            log.warning("a read of the database has not ended within %s s", SECONDS)
            raise errors.DatabaseUnavailable
        return reading.result()

    def _turn(self, loop: asyncio.AbstractEventLoop) -> AbstractAsyncContextManager[None]:
        if not self._at_once:
            return nullcontext()
        return self._turns.setdefault(loop, asyncio.Semaphore(self._at_once))


class _Round(Generic[Wish, Found]):
    """One read, and what its callers wish."""

    task: "asyncio.Task[Found]"

    def __init__(self, wish: Wish) -> None:
        self.wishes = [wish]
