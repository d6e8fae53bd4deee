"""Cron jobs that delete data past its retention: chats, security events, and the requests of sites to models."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from leaf import errors
from leaf.services import chats, security, sites
from leaf.services.sites import visitors

log = logging.getLogger(__name__)


async def purge_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes chats for good that can no longer be restored."""
    await _delete("deleted chats", chats.purge)


async def purge_security_events(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes security events past the days of the settings."""
    await _delete("old security events", security.purge)


async def expire_site_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes chats of site visitors past the days of their agents; `purge_chats` removes them for good."""
    await _delete("old chats of site visitors", visitors.expire)


async def expire_site_requests(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes the stored requests of sites to models past the days of the settings."""
    await _delete("old requests to models", sites.expire_logs)


async def _delete(kind: str, delete: Callable[[], Awaitable[int]]) -> None:
    try:
        count = await delete()
    except errors.Unavailable as error:
        log.warning("%s are deleted later: %s", kind, error.message)
        return
    if count:
        log.info("deleted %d %s", count, kind)
