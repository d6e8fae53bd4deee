"""Parsing files in processes of their own: a file that is slow to read, or deadly, takes nobody else with it.

A thread would not do: regular expressions and C libraries hold the interpreter's lock for as long as they like, and
then every answer of the worker stands still. A process can be killed. Each process reads one file at a time, so only
the file that is to blame is ended; and one person's files never occupy all of them.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Hashable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from leaf import documents
from leaf.documents import Kind, Parsed, Unreadable

PROCESSES = 4
PROCESSES_EACH = 2
"""One person's files are read by so many processes at the same time, at most."""
SECONDS = 45.0
"""A file that takes longer is given up, by name. The time counts from when a process has begun to read it."""
MEMORY_BYTES = 3 * 1024**3
_LOOK_SECONDS = 2.0
_TOO_MUCH = "This file cannot be read: taking it apart needs too much memory, or failed."


async def parse(data: bytes, kind: Kind, *, owner: Hashable = None) -> Parsed:
    """The text of a file (`documents.parse`).

    Args:
        data: The file.
        kind: What it is.
        owner: Whose file it is; it takes its turn among the others of the same owner.

    Raises:
        documents.Unreadable: Its text cannot be had, it took too long, or its parser died of it.
    """
    readers = _readers.setdefault(asyncio.get_running_loop(), _Readers())
    async with readers.turn(owner) as reader:
        return await reader.parse(data, kind)


def close() -> None:
    """Ends the processes, whatever they are doing."""
    for readers in list(_readers.values()):
        readers.close()
    _readers.clear()


class _Reader:
    """One process, started when it is needed, and anew after it had to be killed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    async def parse(self, data: bytes, kind: Kind) -> Parsed:
        pool = self._running()
        reading = asyncio.get_running_loop().run_in_executor(pool, documents.parse, data, kind)
        try:
            async with asyncio.timeout(SECONDS):
                return await reading
        except TimeoutError:
            self.end()
            raise Unreadable(f"This file takes longer than {SECONDS:.0f} seconds to read.") from None
        except asyncio.CancelledError:
            # Nobody wants the text any more, and whoever comes next must not wait for it.
            self.end()
            raise
        except MemoryError:
            raise Unreadable(_TOO_MUCH) from None
        except BrokenProcessPool:
            self.end()
            raise Unreadable(_TOO_MUCH) from None

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["leaf.documents"])
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_prepare, initargs=(os.getpid(),))
        return self._pool

    def end(self) -> None:
        """Kills the process."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        # `kill_workers` comes with Python 3.14 only.
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


class _Readers:
    """The processes that the files of one event loop share."""

    def __init__(self) -> None:
        self._all = [_Reader() for _ in range(PROCESSES)]
        self._free: asyncio.LifoQueue[_Reader] = asyncio.LifoQueue()
        for reader in reversed(self._all):
            self._free.put_nowait(reader)
        self._owners: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(PROCESSES_EACH))
        self._waiting: defaultdict[Hashable, int] = defaultdict(int)

    @asynccontextmanager
    async def turn(self, owner: Hashable) -> AsyncGenerator[_Reader]:
        """A process for one file, as soon as there is one."""
        self._waiting[owner] += 1
        try:
            async with self._owners[owner]:
                reader = await self._free.get()
                try:
                    yield reader
                finally:
                    self._free.put_nowait(reader)
        finally:
            self._waiting[owner] -= 1
            if not self._waiting[owner]:
                del self._waiting[owner], self._owners[owner]

    def close(self) -> None:
        """Ends all of them."""
        for reader in self._all:
            reader.end()


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Readers] = WeakKeyDictionary()


def _prepare(owner: int) -> None:
    """In each process: bounded memory, deaf to Ctrl-C, and gone when its owner is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, ValueError, OSError):
        return
    finally:
        threading.Thread(target=_end_with, args=(owner,), daemon=True).start()


def _end_with(owner: int) -> None:
    while True:
        time.sleep(_LOOK_SECONDS)
        try:
            os.kill(owner, 0)
        except OSError:
            os._exit(1)
