"""Reads that callers share. All callers that ask before a read begins get its result."""

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
"""The timeout of a read. A read that never ends would hold up all later reads of its key."""

log = logging.getLogger(__name__)


class JointRead(Generic[Key, Wish, Found]):
    """Reads once for many callers of this process. Each key has at most one read at a time.

    A caller never gets the result of a read that began before the call, because it may ask because of a newer change.

    Args:
        read: Reads for a key. It gets the wishes of all callers.
        at_once: The largest number of simultaneous reads of all keys; 0 for no limit.
    """

    def __init__(self, read: Callable[[Key, Sequence[Wish]], Awaitable[Found]], *, at_once: int = 0) -> None:
        self._read, self._at_once = read, at_once
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._gathering: dict[tuple[asyncio.AbstractEventLoop, Key], tuple[list[Wish], asyncio.Task[Found]]] = {}
        """Reads that have not begun, with the wishes of their callers. Further callers can join them."""
        self._under_way: dict[tuple[asyncio.AbstractEventLoop, Key], asyncio.Lock] = {}

    async def __call__(self, key: Key, wish: Wish) -> Found:
        """The result of a read that begins after this call. An error of the read is raised for each caller.

        Raises:
            errors.DatabaseUnavailable: The read takes longer than `SECONDS`.
        """
        place = asyncio.get_running_loop(), key
        if place in self._gathering:
            wishes, task = self._gathering[place]
            wishes.append(wish)
        else:
            wishes = [wish]
            task = asyncio.create_task(self._run(place, wishes))
            unattended.keep(task)
            self._gathering[place] = wishes, task
        # A caller that is cancelled does not end the read of the others.
        return await asyncio.shield(task)

    async def _run(self, place: "tuple[asyncio.AbstractEventLoop, Key]", wishes: list[Wish]) -> Found:
        lock = self._under_way.setdefault(place, asyncio.Lock())
        has_begun = False
        try:
            async with lock, self._turn(place[0]):
                del self._gathering[place]
                has_begun = True
                return await self._bounded(place[1], wishes)
        finally:
            if not has_begun:
                del self._gathering[place]
            if place not in self._gathering:
                self._under_way.pop(place, None)

    async def _bounded(self, key: Key, wishes: Sequence[Wish]) -> Found:
        reading = asyncio.ensure_future(self._read(key, wishes))
        unattended.keep(reading)
        try:
            await asyncio.wait({reading}, timeout=SECONDS)
        finally:
            # Do not wait for the end of the cancelled read: with a stuck connection it may take long.
            late = reading.cancel()
        if late:
            log.warning("a read of the database has not ended within %s s", SECONDS)
            raise errors.DatabaseUnavailable
        return reading.result()

    def _turn(self, loop: asyncio.AbstractEventLoop) -> AbstractAsyncContextManager[None]:
        if not self._at_once:
            return nullcontext()
        return self._turns.setdefault(loop, asyncio.Semaphore(self._at_once))
