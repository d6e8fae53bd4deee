"""Waiting for a database that is away: what a run has come to is safe in Redis meanwhile."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from leaf import errors, streams

log = logging.getLogger(__name__)

DATABASE_PATIENCE_SECONDS = 300.0
PAUSE_SECONDS = 1.0

_Found = TypeVar("_Found")


async def with_database(ask: Callable[[], Awaitable[_Found]], lease: streams.Lease) -> _Found:
    """Asks the database until it answers.

    Args:
        ask: What is asked; it may be asked again and again.
        lease: The right to go on with the run.

    Raises:
        streams.Replaced: Another worker has the run by now.
        errors.DatabaseUnavailable: It stayed away.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DATABASE_PATIENCE_SECONDS
    while True:
        try:
            return await ask()
        except errors.DatabaseUnavailable:
            if loop.time() > deadline:
                raise
            log.warning("run %s waits for the database", lease.run_id)
            await asyncio.sleep(PAUSE_SECONDS)
        if lease.lost.is_set():
            raise streams.Replaced(f"run {lease.run_id}: the lease is lost")
