"""What is kept of the visitors of tenants' sites no longer."""

import logging
from typing import Any

from leaf import errors
from leaf.services import visitors

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
