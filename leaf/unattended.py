"""Tasks that continue even if no caller waits for them."""

import asyncio
from typing import Any

_tasks: set[asyncio.Future[Any]] = set()


def keep(task: asyncio.Future[Any]) -> None:
    """Keeps a reference to a task until it ends, because asyncio does not, and ignores its exception."""
    _tasks.add(task)
    task.add_done_callback(_on_done)


def _on_done(task: asyncio.Future[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled():
        # asyncio would log an exception that nobody retrieves.
        task.exception()
