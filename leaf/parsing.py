"""Parsing files in processes of their own: a file that is slow to read, or deadly, takes nobody else with it.

A thread would not do: regular expressions and C libraries hold the interpreter's lock for as long as they like, and
then every answer of the worker stands still. A process can be killed.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from leaf import documents
from leaf.documents import Kind, Parsed, Unreadable

PROCESSES = 2
SECONDS = 45.0
"""A file that takes longer is given up, by name."""
MEMORY_BYTES = 3 * 1024**3
_LOOK_SECONDS = 2.0
_TOO_MUCH = "This file cannot be read: taking it apart needs too much memory, or failed."

_pool: ProcessPoolExecutor | None = None


async def parse(data: bytes, kind: Kind) -> Parsed:
    """The text of a file (`documents.parse`).

    Raises:
        documents.Unreadable: Its text cannot be had, it took too long, or its parser died of it.
    """
    for last in (False, True):
        pool = _running()
        try:
            async with asyncio.timeout(SECONDS):
                return await asyncio.get_running_loop().run_in_executor(pool, documents.parse, data, kind)
        except TimeoutError:
            _end(pool)
            raise Unreadable(f"This file takes longer than {SECONDS:.0f} seconds to read.") from None
        except MemoryError:
            raise Unreadable(_TOO_MUCH) from None
        except BrokenProcessPool:
            # Another file's end may have taken this one with it: it is given a second chance.
            _end(pool)
            if last:
                raise Unreadable(_TOO_MUCH) from None
    raise AssertionError


def close() -> None:
    """Ends the processes, whatever they are doing."""
    if _pool is not None:
        _end(_pool)


def _running() -> ProcessPoolExecutor:
    global _pool
    if _pool is None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["leaf.documents"])
        _pool = ProcessPoolExecutor(PROCESSES, mp_context=context, initializer=_prepare, initargs=(os.getpid(),))
    return _pool


def _end(pool: ProcessPoolExecutor) -> None:
    """Kills the processes of a pool; the next file gets a new one."""
    global _pool
    if _pool is pool:
        _pool = None
    # `kill_workers` comes with Python 3.14 only.
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)


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
