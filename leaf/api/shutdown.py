"""The shutdown of a web process: the sockets of its pages are closed one after the other."""

import asyncio
import os
import random
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from starlette.types import Message, Receive

EACH_SECONDS = 0.02
"""The pause between two pages."""
ALL_SECONDS = 10.0
"""The time in which all pages have gone, however many they are."""
_GONE: Message = {"type": "websocket.disconnect", "code": 1012}
"""A websocket that is closed because its server restarts (RFC 6455, registry)."""


class Shutdown:
    """The open websockets of a process, and its end at SIGTERM.

    A page whose socket is closed opens another one at once, and is built anew by the process that takes it: all pages
    of a process at the same moment would be more than the others can do.
    """

    def __init__(self) -> None:
        self.has_begun = False
        """Whether no socket is let in any more; a page that is refused tries another process."""
        self._open: set[_Socket] = set()
        self._leaving: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, receive: Receive) -> Generator[Receive]:
        """Counts a websocket as open while the block lasts; its messages come by the receiver that is given."""
        socket = _Socket(receive)
        self._open.add(socket)
        try:
            yield socket.receive
        finally:
            self._open.discard(socket)

    def at_sigterm(self) -> None:
        """Makes SIGTERM end the process after its pages have left. Does nothing outside the main thread."""
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._begin)

    def _begin(self) -> None:
        if self._leaving is None:
            self._leaving = asyncio.create_task(self._leave())

    async def _leave(self) -> None:
        self.has_begun = True
        leaving = list(self._open)
        random.shuffle(leaving)
        for socket in leaving:
            if socket in self._open:
                socket.end()
                await asyncio.sleep(min(EACH_SECONDS, ALL_SECONDS / len(leaving)))
        # The server ends at SIGINT as it does at SIGTERM, and that signal is still its own.
        os.kill(os.getpid(), signal.SIGINT)


class _Socket:
    """A websocket that can be ended from outside: granian sends no close while the application waits for a message."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._waiting: asyncio.Task[Any] | None = None
        self._ends = False

    async def receive(self) -> Message:
        """The next message, or that the socket is closed, upon which the application closes it."""
        if self._ends:
            return _GONE
        self._waiting = asyncio.current_task()
        try:
            return await self._receive()
        except asyncio.CancelledError:
            if not self._ends or self._waiting is None:
                raise
            self._waiting.uncancel()
            return _GONE
        finally:
            self._waiting = None

    def end(self) -> None:
        """Ends it."""
        self._ends = True
        if self._waiting is not None:
            self._waiting.cancel()
