"""Deletes chats, restores them within five minutes, and then removes them permanently.

`leaf.services.account_deletion` deletes accounts.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, streams, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.services import notices
from leaf.services.chats.shapes import UNFINISHED
from leaf.services.chats.shelves import require_few

log = logging.getLogger(__name__)

RESTORABLE_FOR = timedelta(minutes=5)
"""The time for which a deletion can be undone. The first `purge` after it removes the chat."""
UNASKED_FOR = timedelta(days=7)
"""How long files are kept in a chat without a question."""
_PURGED_AT_ONCE = 100
_REDIS_SECONDS = 2
"""Maximum wait for Redis when chats are deleted."""


@dataclass(frozen=True)
class Deletion:
    """The result of deleting chats."""

    deleted: list[UUID]
    others: int
    """The number of chats that were not deleted because another participant created them."""


async def delete(actor: Actor, *chat_ids: UUID) -> Deletion:
    """Deletes chats that the member created. They disappear for all participants at once, and running answers stop.

    The member may undo this for five minutes (`restore`). After that, `purge` removes all data of the chats.

    Raises:
        errors.Invalid: More than 500 chats at once.
        errors.NotFound: The member takes part in none of these chats.
        errors.Forbidden: Others created all of these chats. A participant can leave them instead.
    """
    require_few(chat_ids)
    async with transaction(actor) as tx:
        found = select(models.ChatSession.id, models.ChatSession.created_by).where(
            col(models.ChatSession.id).in_(chat_ids)
        )
        creators = {row[0]: row[1] for row in (await tx.session.exec(found)).all()}
        own = [chat_id for chat_id, creator in creators.items() if creator == actor.user_id]
        if creators and not own:
            raise errors.Forbidden(texts.english("sharing.refused_delete"))
        await notices.announce(tx, own)
        query = select(models.Message.workflow_run_id).where(
            col(models.Message.chat_session_id).in_(own), col(models.Message.status).in_(UNFINISHED)
        )
        runs = [run_id for run_id in (await tx.session.exec(query)).all() if run_id is not None]
        deleted = errors.found([*(await tx.call("leaf_delete_chats", own)).scalars()], "chat")
    await _end(runs)
    return Deletion(deleted, len(creators) - len(own))


async def restore(actor: Actor, chat_ids: Sequence[UUID]) -> list[UUID]:
    """Undoes deletions of the member, and returns the restored chats.

    An answer that the deletion interrupted is written again.

    Raises:
        errors.Invalid: More than 500 chats at once.
        errors.NotFound: None of these deletions can be undone.
    """
    require_few(chat_ids)
    async with transaction(actor) as tx:
        restored = errors.found([*(await tx.call("leaf_restore_chats", [*chat_ids])).scalars()], "chat")
        await notices.announce(tx, restored)
    return restored


async def purge(older_than: timedelta = RESTORABLE_FOR) -> int:
    """Permanently removes chats that were deleted at least `older_than` ago, with messages, files and keys in Redis.

    Returns:
        The number of removed chats.

    Raises:
        errors.RedisUnavailable: Redis does not answer, so keys would stay behind.
    """
    count = 0
    while True:
        async with transaction(Actor.system(), read_only=True) as tx:
            due = (await tx.call("leaf_deleted_runs", older_than, _PURGED_AT_ONCE)).all()
        for row in due:
            for run_id in row.run_ids:
                await streams.delete(run_id)
            async with transaction(Actor.system()) as tx:
                await tx.call("leaf_purge_chat", row.chat_session_id, older_than)
            count += 1
        if len(due) < _PURGED_AT_ONCE:
            return count


async def delete_unasked() -> int:
    """Deletes chats without any question, with their files, a week after the files were added.

    Returns:
        The number of deleted chats.
    """
    count = 0
    while True:
        async with transaction(Actor.system()) as tx:
            deleted = int((await tx.call("leaf_delete_unasked_chats", UNASKED_FOR, _PURGED_AT_ONCE)).scalar_one())
        count += deleted
        if deleted < _PURGED_AT_ONCE:
            return count


async def _end(runs: Sequence[UUID]) -> None:
    """Stops runs and deletes their streams, which closes the connections of their readers."""
    try:
        async with asyncio.timeout(_REDIS_SECONDS):
            for run_id in runs:
                await streams.request_stop(run_id)
                await streams.delete(run_id)
    except (errors.RedisUnavailable, TimeoutError):
        log.warning("the streams of a deleted chat could not be deleted; they expire within a day")
