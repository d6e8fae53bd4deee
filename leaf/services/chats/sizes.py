"""Sizes of conversations: cold storage for old conversations, and conversations close to the size limit."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction

ALERT_PERCENT: Final = 80
"""The share of the limit from which a conversation counts as large."""
_AT_ONCE: Final = 500
"""The largest number of messages that one transaction moves."""
_MOST: Final = 100
_MB: Final = 1024 * 1024


@dataclass(frozen=True)
class LargeChat:
    """A conversation whose size is at least `ALERT_PERCENT` of the limit."""

    id: UUID
    percent: int
    """The size as a percentage of the limit."""


async def cool() -> int:
    """Moves the contents of old conversations to cold storage; returns the number of messages."""
    days = config.current().cold_days
    moved = 0
    while days:
        async with transaction(Actor.system()) as tx:
            found = int((await tx.call("leaf_cool_chats", timedelta(days=days), _AT_ONCE)).scalar_one())
        moved += found
        if found < _AT_ONCE:
            break
    return moved


async def large() -> list[LargeChat]:
    """The conversations that are close to the size limit or have reached it, the largest first; at most 100."""
    limit = config.current().chat_mb * _MB
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = (await tx.call("leaf_large_chats", limit * ALERT_PERCENT // 100, _MOST)).all()
    return [LargeChat(row.chat_session_id, row.content_bytes * 100 // limit) for row in rows]


def percent_used(chat: models.ChatSession) -> int:
    """The size of a conversation as a percentage of the limit. It may exceed 100."""
    return chat.content_bytes * 100 // (config.current().chat_mb * _MB)


def require_room(chat: models.ChatSession) -> None:
    """Raises errors.Conflict if a conversation has reached the size limit."""
    if percent_used(chat) >= 100:
        raise errors.Conflict(texts.english("errors.chat_full"), code="chat_full")
