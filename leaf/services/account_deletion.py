"""Deletes an account with all data of its member: in the database, in Redis, and at Google."""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, redis, streams, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import chats, integrations
from leaf.services.guests import chat as guest_chat
from leaf.services.library import file_texts

log = logging.getLogger(__name__)

_REDIS_SECONDS = 5.0
"""Maximum wait for Redis. Its remaining keys expire within a day."""


async def delete(actor: Actor, email: str) -> bool:
    """Deletes the account of the actor.

    First the runs are stopped. Then the grant is revoked at Google, whether or not Google answers. Then one transaction
    deletes everything (`leaf_delete_account`), and finally the keys in Redis are deleted. A chat with other
    participants stays.

    Args:
        actor: The member.
        email: The member's e-mail address, typed as a confirmation.

    Returns:
        Whether Google confirmed the revocation, if there was a grant.

    Raises:
        errors.Invalid: It is another address.
        errors.NotFound: The account no longer exists.
    """
    member_id = actor.member_id
    chat_ids, topics = await _topics(actor, email)
    await _quietly(_stop(await _unfinished(actor)))
    revoked = await integrations.revoke_all(actor)
    async with transaction(actor) as tx:
        runs = [*(await tx.call("leaf_delete_account")).scalars()]
        # Open tabs read again and find that their session has ended.
        tx.after_commit(events.publish, topics)
    await file_texts.forget()
    await _quietly(_delete_keys(runs, chat_ids, member_id))
    log.info("an account was deleted, with %d runs", len(runs))
    return revoked


async def _topics(actor: Actor, email: str) -> tuple[list[UUID], list[str]]:
    """The chats that the member created, and the topics of all who are affected by the deletion.

    Raises:
        errors.Invalid: `email` is not the member's address.
        errors.NotFound: The account no longer exists.
    """
    async with transaction(actor, read_only=True) as tx:
        user = errors.found((await tx.session.exec(select(models.User))).one_or_none(), "account")
        if email.strip().casefold() != user.email.casefold():
            raise errors.Invalid(texts.english("account.other_email"), field="email")
        found = (await tx.session.exec(select(models.ChatSession.id, models.ChatSession.created_by))).all()
    created = [chat_id for chat_id, creator in found if creator == user.id]
    return created, [events.user(user.id), *(events.chat(chat_id) for chat_id, _ in found)]


async def _unfinished(actor: Actor) -> list[UUID]:
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Message.workflow_run_id).where(
            col(models.Message.user_id) == actor.user_id, col(models.Message.status).in_(chats.UNFINISHED)
        )
        return [run_id for run_id in (await tx.session.exec(query)).all() if run_id is not None]


async def _stop(runs: Iterable[UUID]) -> None:
    for run_id in runs:
        await streams.request_stop(run_id)


async def _delete_keys(runs: Sequence[UUID], chat_ids: Sequence[UUID], user_id: UUID) -> None:
    """Deletes the member's data in Redis: streams of runs, adopted chats, bugs of the Drive, and keys with their id."""
    await guest_chat.forget_kept(chat_ids, runs)
    for run_id in runs:
        await streams.request_stop(run_id)
        await streams.delete(run_id)
    await integrations.forget_bugs(user_id)
    with redis.guard():
        found = [key async for key in redis.client().scan_iter(match=f"leaf:*{user_id}*", count=1000)]
        if found:
            await redis.client().delete(*found)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    """Does work in Redis. If Redis is unavailable, logs a warning, because the account is deleted anyway."""
    try:
        async with asyncio.timeout(_REDIS_SECONDS):
            await work
    except (errors.RedisUnavailable, TimeoutError):
        log.warning("data of a deleted account in Redis could not be deleted; it expires within a day")
