"""The job that imports chats from a file, and the process in which it runs: `python -m jobs.imports ID`.

Any worker may start the job again. A chat and the progress of the import are stored in one transaction, so the next
worker continues after the last stored chat. A file is read in a process of its own, because this may take minutes.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any
from uuid import UUID

from jobs.run import turns
from leaf import BACKGROUND_NICE, config, errors, queue, redis
from leaf.config.settings import usable_cores
from leaf.db import session
from leaf.documents.isolation import child
from leaf.parts import portable
from leaf.redis import events
from leaf.services import imports
from leaf.telemetry import logs

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0
STALE = timedelta(seconds=20)
"""The worker of an import counts as dead if its last heartbeat is older than this."""
NOTICE_SECONDS = 0.5


@cache
def import_slots() -> asyncio.Semaphore:
    """The semaphore that limits how many imports of this worker run at the same time."""
    return asyncio.Semaphore(processes(usable_cores()))


def processes(cores: int) -> int:
    """The maximum number of imports that one worker runs at the same time.

    An import keeps one core busy in its process and a second one in PostgreSQL. Answers need cores, too.
    """
    return 2 if cores >= 4 else 1


async def import_apart(ctx: dict[str, Any], import_id: str, attempt: int) -> None:  # noqa: ARG001 - arq's arguments
    """The job. Runs `import_chats` in a child process, which ends with this one.

    Args:
        ctx: arq's context.
        import_id: The import.
        attempt: The number of the attempt, from 1. Each attempt is a separate job (`imports.enqueue`).
    """
    settings = config.current()
    services = {"database_url": settings.database_url, "redis_url": settings.redis_url}
    async with import_slots():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "jobs.imports", import_id, stdin=asyncio.subprocess.PIPE
        )
        try:
            await process.communicate(json.dumps(services).encode())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode:
        log.warning("import %s: its process ended with %s", import_id, process.returncode)


async def import_chats(import_id: str) -> str:
    """Imports chats from a file, from its beginning or from where an earlier worker left it.

    Returns:
        The outcome, for tests and logs.
    """
    owner = await imports.owner(UUID(import_id))
    if owner is None:
        return "over"
    try:
        task = await imports.claim(owner, UUID(import_id))
        async with _heartbeat(task):
            failure = "gave_up" if task.given_up else await _work(task)
        await imports.finish(task.actor, task.id, failure)
    except imports.Overtaken:
        return "taken"
    except errors.NotFound:  # The import has ended, was cancelled, or was deleted with its account.
        return "over"
    await events.publish([events.user(owner)])
    log.info("import %s: %s", task.id, failure or "done")
    return failure or "done"


async def reap(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Enqueues the next attempt of imports whose worker has died, or whose job was lost."""
    try:
        found = await imports.unfinished(STALE)
    except errors.DatabaseUnavailable:
        log.warning("the database does not answer; imports are checked later")
        return
    for import_id, attempts in found.items():
        await queue.forget_attempts(imports.JOB, import_id, attempts + 1)
        if await imports.enqueue(import_id, attempts + 1):
            log.warning("import %s has no worker: attempt %d", import_id, attempts + 1)


async def _work(task: imports.Task) -> str:
    """Imports the rest of the file; returns the code of the failure, or an empty string."""
    try:
        if task.total is None:
            await imports.count(task.actor, task.id, await asyncio.to_thread(portable.count, task.data))
        entries = portable.entries(task.data)
        # Skip the chats that earlier workers have processed.
        await asyncio.to_thread(next, islice(entries, task.done, task.done), None)
        noticed, place = 0.0, task.done
        while (found := await asyncio.to_thread(_next, entries)) is not None:
            await imports.keep(task.actor, task.id, place, found, to_turn=turns.imported)
            if time.monotonic() > noticed + NOTICE_SECONDS:
                await events.publish([events.user(task.actor.member_id)])
                noticed = time.monotonic()
            place += 1
    except portable.Refused as refused:
        return refused.code
    return ""


def _next(entries: Iterator[Any]) -> imports.Incoming | imports.Refusal | None:
    """The next chat, or the reason why it is refused; None after the last chat."""
    value = next(entries, None)
    if value is None:
        return None
    try:
        found = portable.read(value)
    except portable.Refused as refused:
        return imports.Refusal(portable.title_in(value), refused.code)
    return imports.Incoming(found, portable.digest(found.chat))


@asynccontextmanager
async def _heartbeat(task: imports.Task) -> AsyncGenerator[None]:
    """Stores a heartbeat of the import at intervals while the block runs."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                await imports.beat(task.actor, task.id)
            except errors.NotFound:
                return
            except errors.DatabaseUnavailable:
                log.warning("import %s: the database does not answer", task.id)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


async def _run(import_id: str) -> None:
    try:
        await import_chats(import_id)
    finally:
        await session.dispose()
        await redis.close()


def main() -> None:
    """The entry point of the process that imports the chats of one file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(BACKGROUND_NICE)
    child.end_with_parent()
    settings = config.load().model_copy(update=json.load(sys.stdin))
    config.install(settings)
    logs.configure(settings.log_level, settings.log_format)
    logs.hide(settings.secrets)
    asyncio.run(_run(sys.argv[1]))


if __name__ == "__main__":
    main()
