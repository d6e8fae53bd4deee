"""Settings of the interpreter that keep an event loop responsive while other threads compute."""

import gc
import sys
from typing import Final

from leaf import USUAL_COLLECTION

SWITCH_SECONDS: Final = 0.001
"""The time for which a thread that computes may keep the event loop waiting at each of its steps; Python's own 5 ms add
up to 100 ms for a request with 20 of them."""


def prepare() -> None:
    """Prepares a process that has loaded what it needs."""
    sys.setswitchinterval(SWITCH_SECONDS)
    # A collection over everything that is loaded by now would delay all users by half a second.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*USUAL_COLLECTION)
