"""Cron jobs that delete data past its retention: chats, security events, and stored model requests of sites."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from leaf import errors
from leaf.services import chats, security, sites
from leaf.services.sites import visitors

log = logging.getLogger(__name__)


async def purge_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Permanently deletes chats that can no longer be restored."""
    await _delete("deleted chats", chats.purge)


async def purge_security_events(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes security events that are older than the number of days in the settings."""
    await _delete("old security events", security.purge)


async def expire_site_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes chats of site visitors after the retention period of their agent (`purge_chats` then removes them)."""
    await _delete("old chats of site visitors", visitors.expire)


async def expire_site_requests(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes stored model requests of sites that are older than the number of days in the settings."""
    await _delete("old requests to models", sites.expire_logs)


async def _delete(kind: str, delete: Callable[[], Awaitable[int]]) -> None:
    try:
        count = await delete()
    except errors.Unavailable as error:
        log.warning("%s could not be deleted now, and the next run tries again: %s", kind, error.message)
        return
    if count:
        log.info("deleted %d %s", count, kind)
