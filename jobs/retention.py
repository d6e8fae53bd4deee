"""Cron jobs for old data. Data past its retention is deleted, and old conversations are moved to cold storage."""

import logging
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any

from leaf import errors
from leaf.services import chats, security, sites
from leaf.services.library import feeds, file_texts
from leaf.services.sites import visitors

log = logging.getLogger(__name__)


async def purge_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Permanently deletes chats that can no longer be restored."""
    await _delete("deleted chats", chats.purge)


async def delete_unasked_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes chats in which nobody has asked anything, with files that were added a week ago or earlier."""
    await _delete("chats without a question", chats.delete_unasked)


async def purge_security_events(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes security events that are older than the number of days in the settings."""
    await _delete("old security events", security.purge)


async def expire_site_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes chats of site visitors after the retention period of their agent (`purge_chats` then removes them)."""
    await _delete("old chats of site visitors", visitors.expire)


async def expire_site_requests(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes stored model requests of sites that are older than the number of days in the settings."""
    await _delete("old requests to models", sites.expire_logs)


async def forget_texts(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Deletes texts of Drive files that no member sees any more."""
    await _delete("texts of files that nobody sees", file_texts.forget)


async def open_feeds(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Opens the missing feeds of members whose Drive is connected."""
    with _again_later("feeds of Drives are not opened"):
        await feeds.open_missing()


async def cool_chats(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Moves the contents of conversations to cold storage after the days without activity that the settings name."""
    with _again_later("old conversations are not moved to cold storage"):
        if count := await chats.cool():
            log.info("moved %d messages of old conversations to cold storage", count)


async def watch_sizes(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Logs a warning about conversations that are near the limit of their size."""
    with _again_later("sizes of conversations are not checked"):
        if found := await chats.large():
            log.warning(
                "%d conversations use %d percent or more of LEAF_CHAT_MB; the largest is %s with %d percent",
                len(found), chats.ALERT_PERCENT, found[0].id, found[0].percent,
            )  # fmt: skip


async def _delete(kind: str, delete: Callable[[], Awaitable[int]]) -> None:
    with _again_later(f"{kind} are not deleted"):
        if count := await delete():
            log.info("deleted %d %s", count, kind)


@contextmanager
def _again_later(failure: str) -> Generator[None]:
    """Logs an outage as a warning, because the next run of the job tries again."""
    try:
        yield
    except errors.Unavailable as error:
        log.warning("%s, and the next run tries again: %s", failure, error.message)
