"""Settings of the interpreter that keep an event loop responsive while other threads compute."""

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, ParamSpec, TypeVar

from leaf import USUAL_COLLECTION

SWITCH_SECONDS: Final = 0.001
"""The time for which a computing thread may delay each step of the event loop. With Python's default of 5 ms, the
delays add up to 100 ms for a request with 20 steps."""

P = ParamSpec("P")
T = TypeVar("T")

_changing = threading.Lock()
_blocks = 0
"""The number of running blocks of `without_collections`."""


def prepare() -> None:
    """Prepares a process for responsiveness. Call it after the process has loaded its modules."""
    sys.setswitchinterval(SWITCH_SECONDS)
    # Exempts the loaded modules from later collections, each of which would delay all users by half a second.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*USUAL_COLLECTION)


@contextmanager
def without_collections() -> Generator[None]:
    """Switches off the garbage collector of this process during a block that makes very many objects and no garbage.

    A collection visits all these objects while all users wait: 0.2 s for the Markdown of 37,000 tables.
    """
    global _blocks
    with _changing:
        _blocks += 1
        gc.disable()
    try:
        yield
    finally:
        with _changing:
            _blocks -= 1
            if not _blocks:
                gc.enable()


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function over a long text in a thread, `without_collections`, and returns its result."""

    def call() -> T:
        with without_collections():
            return function(*args, **kwargs)

    return await asyncio.to_thread(call)
