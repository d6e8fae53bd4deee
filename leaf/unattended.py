"""Tasks that continue even if no caller waits for them."""

import asyncio
from typing import Any

_going_on: set[asyncio.Future[Any]] = set()


def keep(task: asyncio.Future[Any]) -> None:
    """Keeps a reference to a task until it ends, which asyncio does not do, and retrieves its exception."""
    _going_on.add(task)
    task.add_done_callback(_on_done)


def _on_done(task: asyncio.Future[Any]) -> None:
    _going_on.discard(task)
    if not task.cancelled():
        # Retrieves the exception in place of a caller that has gone, so that asyncio does not log it.
        task.exception()
