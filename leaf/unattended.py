"""Tasks that continue even if no caller waits for them."""

import asyncio
from typing import Any

_going_on: set[asyncio.Future[Any]] = set()


def keep(task: asyncio.Future[Any]) -> None:
    """Keeps a task until it ends, which asyncio does not do, and drops its exception if no caller retrieves it."""
    _going_on.add(task)
    task.add_done_callback(_on_done)


def _on_done(task: asyncio.Future[Any]) -> None:
    _going_on.discard(task)
    if not task.cancelled():
        # Retrieved here, because a caller that has gone does not.
        task.exception()
