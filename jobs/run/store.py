"""The last stage: one UPDATE stores the outcome, and then the last chunk is written."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TypeVar

from jobs import metrics, tracing
from jobs.run.conclude import Conclusion
from jobs.run.state import Run
from leaf import errors, streams
from leaf.agent import provider_log
from leaf.agent.provider_log import Exchange
from leaf.services import conversations, runs, sites

log = logging.getLogger(__name__)

DATABASE_SECONDS = 300.0
"""The longest wait for a database that does not answer. The run is safe in Redis meanwhile."""
PAUSE_SECONDS = 1.0

T = TypeVar("T")


async def store(run: Run, conclusion: Conclusion) -> str:
    """Stores a run, and then ends its stream. Readers who see `finish` therefore find the answer in the database.

    Returns:
        The stored status; "gone" if the answer was deleted meanwhile.

    Raises:
        streams.Replaced: Another worker has the run now.
        errors.DatabaseUnavailable: The database did not answer for `DATABASE_SECONDS`.
        errors.RedisUnavailable: Redis was unreachable for too long.
    """
    task, outcome = run.task, conclusion.outcome
    stored = await when_database_answers(partial(conversations.finish, task, outcome), run.lease)
    tracing.ended(task, outcome, run.journal.began)
    await run.writer.finish([conclusion.last])
    if stored:
        metrics.count_outcome(task.model, outcome)
    else:
        await streams.delete(task.run_id)
    await conversations.announce(task)
    return outcome.status.value if stored else "gone"


async def when_database_answers(action: Callable[[], Awaitable[T]], lease: streams.Lease) -> T:
    """Repeats an action until the database answers.

    Args:
        action: Makes a new awaitable for each try; it must be safe to repeat.
        lease: The lease of the run. The wait ends if it is lost.

    Raises:
        streams.Replaced: Another worker has the run now.
        errors.DatabaseUnavailable: The database did not answer for `DATABASE_SECONDS`.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DATABASE_SECONDS
    while True:
        try:
            return await action()
        except errors.DatabaseUnavailable:
            if loop.time() > deadline:
                raise
            log.warning("run %s waits for the database", lease.run_id)
            await asyncio.sleep(PAUSE_SECONDS)
        if lease.lost.is_set():
            raise streams.Replaced(f"run {lease.run_id}: the lease is lost")


@asynccontextmanager
async def site_records(task: runs.Assignment) -> AsyncGenerator[None]:
    """Stores records of an answer for the team of its site, after the block has written the answer.

    Requests to the model are recorded only if the members of the site have enabled that.
    """
    with provider_log.recording() if task.site.agent.provider_logs else nullcontext([]) as exchanges:
        yield
    if task.actor.audience.site_records:
        await store_site_records(task, exchanges)


async def store_site_records(task: runs.Assignment, exchanges: Sequence[Exchange] = ()) -> None:
    """Stores the model requests of an answer to a site visitor, and checks the budgets of the site."""
    agent = task.site.agent
    try:
        await sites.keep_logs(task.actor, agent, task.chat_id, task.message_id, task.run_id, exchanges)
    except errors.LeafError as error:
        log.warning("run %s: its requests to the model are not stored: %s", task.run_id, error.message)
    try:
        await sites.note_budgets(task.actor)
    except errors.Unavailable as error:
        log.warning("the budgets of site %s are checked later: %s", agent.site_id, error.message)
