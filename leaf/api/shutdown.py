"""Closes the websockets of pages one after the other before a web process ends."""

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
"""The maximum time for all pages together. With many pages, the pauses are shorter."""
_GONE: Message = {"type": "websocket.disconnect", "code": 1012}
"""The message for a websocket that is closed because its server restarts (RFC 6455, registry)."""


class Shutdown:
    """The open websockets of a process, and its end at SIGTERM.

    A page whose socket is closed opens another socket at once, and the process that accepts it builds the page anew.
    The other processes could not do this for all pages at the same time.
    """

    def __init__(self) -> None:
        self.has_begun = False
        """Whether new sockets are refused. A page that is refused tries another process."""
        self._open: set[_Socket] = set()
        self._closing: asyncio.Task[None] | None = None

    @contextmanager
    def watching(self, receive: Receive) -> Generator[Receive]:
        """Counts a websocket as open while the block runs; yields the function that receives its messages."""
        socket = _Socket(receive)
        self._open.add(socket)
        try:
            yield socket.receive
        finally:
            self._open.discard(socket)

    def at_sigterm(self) -> None:
        """Makes SIGTERM close all sockets before it ends the process. Does nothing outside the main thread."""
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._begin)

    def _begin(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close_all())

    async def _close_all(self) -> None:
        self.has_begun = True
        sockets = list(self._open)
        random.shuffle(sockets)
        for socket in sockets:
            if socket in self._open:
                socket.end()
                await asyncio.sleep(min(EACH_SECONDS, ALL_SECONDS / len(sockets)))
        # The server handles SIGINT like SIGTERM, and its handler for SIGINT was not replaced.
        os.kill(os.getpid(), signal.SIGINT)


class _Socket:
    """A websocket that can be ended from outside. granian sends no close while the application waits for a message."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._waiting: asyncio.Task[Any] | None = None
        self._ends = False

    async def receive(self) -> Message:
        """Returns the next message, or `_GONE` after `end`, so that the application closes the socket."""
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
        """Ends the websocket: `receive` returns `_GONE` from now on."""
        self._ends = True
        if self._waiting is not None:
            self._waiting.cancel()
