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
"""The time for which a thread that computes may keep the event loop waiting at each of its steps; Python's own 5 ms add
up to 100 ms for a request with 20 of them."""

P = ParamSpec("P")
T = TypeVar("T")

_changing = threading.Lock()
_blocks = 0
"""The blocks under way in which no garbage is looked for."""


def prepare() -> None:
    """Prepares a process that has loaded what it needs."""
    sys.setswitchinterval(SWITCH_SECONDS)
    # A collection over everything that is loaded by now would delay all users by half a second.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*USUAL_COLLECTION)


@contextmanager
def without_collections() -> Generator[None]:
    """Looks for no garbage in this process during a block that makes very many objects, of which none is garbage.

    Each search goes through all of them with everybody waiting: 0.2 s for the Markdown of 37,000 tables.
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
    """The result of a function over a long text, which is called in a thread of its own, `without_collections`."""

    def call() -> T:
        with without_collections():
            return function(*args, **kwargs)

    return await asyncio.to_thread(call)
