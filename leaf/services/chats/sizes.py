"""The room that conversations take: cold storage for old ones, and those that are near the limit of their size."""

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
"""Messages that one transaction moves."""
_MOST: Final = 100
_MB: Final = 1024 * 1024


@dataclass(frozen=True)
class LargeChat:
    """A conversation of which at least `ALERT_PERCENT` of the room is used."""

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
    """The conversations that are near the limit of their size or have reached it, the largest first; at most 100."""
    limit = config.current().chat_mb * _MB
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = (await tx.call("leaf_large_chats", limit * ALERT_PERCENT // 100, _MOST)).all()
    return [LargeChat(row.chat_session_id, row.content_bytes * 100 // limit) for row in rows]


def percent_used(chat: models.ChatSession) -> int:
    """The share of its room that a conversation uses."""
    return chat.content_bytes * 100 // (config.current().chat_mb * _MB)


def require_room(chat: models.ChatSession) -> None:
    """Raises errors.Conflict where a conversation has reached the limit of its size."""
    if percent_used(chat) >= 100:
        raise errors.Conflict(texts.english("errors.chat_full"), code="chat_full")
