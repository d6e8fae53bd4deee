"""What a worker does for tenants beside the answers to their visitors."""

import logging
from typing import Any

from leaf import errors
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


async def answered(task: runs.Assignment) -> None:
    """Looks at the budgets of a tenant whose visitor has been answered; others' answers are not concerned."""
    if task.visit is None:
        return
    try:
        await tenants.note_budgets(task.actor)
    except errors.Unavailable as error:
        log.warning("the budgets of tenant %s are looked at later: %s", task.visit.agent.tenant_id, error.message)
