"""What a worker does for tenants beside the answers to their visitors."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any

from leaf import errors
from leaf.agent import provider_log
from leaf.agent.provider_log import Exchange
from leaf.services import runs, tenants, visitors

log = logging.getLogger(__name__)


async def expire_visitors(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Hides chats that their agents keep no longer; they are removed with other deleted chats."""
    try:
        count = await visitors.expire()
    except errors.Unavailable as error:
        log.warning("old chats of visitors are removed later: %s", error.message)
        return
    if count:
        log.info("%d old chats of visitors are removed", count)


@asynccontextmanager
async def attended(task: runs.Assignment) -> AsyncGenerator[None]:
    """Does for a tenant what is done beside an answer to a visitor: its requests to the model are noted where the
    agent's members want that, and when it is there, they are kept, and the budgets are looked at.
    """
    if task.visit is None:
        yield
        return
    with provider_log.recording() if task.visit.agent.provider_logs else nullcontext([]) as exchanges:
        yield
    await answered(task, exchanges)


async def answered(task: runs.Assignment, exchanges: Sequence[Exchange] = ()) -> None:
    """Keeps the requests of an answer, and looks at the budgets of its tenant; answers to others are not concerned."""
    if task.visit is None:
        return
    agent = task.visit.agent
    try:
        await tenants.keep_logs(task.actor, agent, task.chat_id, task.message_id, task.run_id, exchanges)
    except errors.LeafError as error:
        log.warning("run %s: its requests are not kept: %s", task.run_id, error.message)
    try:
        await tenants.note_budgets(task.actor)
    except errors.Unavailable as error:
        log.warning("the budgets of tenant %s are looked at later: %s", agent.tenant_id, error.message)


async def expire_logs(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes what was kept of requests to models for as long as the settings say."""
    try:
        count = await tenants.expire_logs()
    except errors.Unavailable as error:
        log.warning("old requests to models are deleted later: %s", error.message)
        return
    if count:
        log.info("%d old requests to models are deleted", count)
