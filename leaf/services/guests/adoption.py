"""Adoption of a guest's chat by the member who signs in. Only one member can adopt a chat.

Redis and the database have no common transaction. Adoption therefore takes three steps, and each may be repeated: mark
the chat with the member, store its rows in the database under the same ids, and empty the chat in Redis. A second
attempt finds the mark, or the rows.
"""

import logging
from typing import Any
from uuid import UUID

from sqlalchemy import exc

from leaf.db import models
from leaf.db.actor import Actor, Guest
from leaf.db.session import Transaction, transaction
from leaf.redis import events
from leaf.services import chats
from leaf.services.guests import chat as store
from leaf.services.guests.chat import Conversation

log = logging.getLogger(__name__)

_USED = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens", "requests",
    "duration_ms", "first_text_ms", "cost_usd",
)  # fmt: skip
"""The columns of usage, which are not copied. The usage of a guest's answers is billed to no person, as in a fork."""
_ENDED = (
    "status", "parts", "details", "model", "model_messages", "answers", "error_code", "error_text", *_USED,
)  # fmt: skip


async def keep(actor: Actor, guest: Guest) -> UUID | None:
    """Makes a guest's chat a chat of a member. An answer that is being written continues.

    Args:
        actor: The member.
        guest: The guest, proved by the browser's cookie or by the sign-in that the browser has begun.

    Returns:
        The id of the chat, the same for every call. None if the chat is empty, or another member keeps it.

    Raises:
        errors.DatabaseUnavailable: The chat is marked. The same member can keep it later.
        errors.RedisUnavailable: Nothing has changed.
    """
    person = actor.member_id
    while True:
        chat = await store.read(guest)
        if chat.keeper not in {None, person} or not (chat.rows or chat.adopted):
            return None
        if chat.adopted:
            return guest.chat_id
        if chat.keeper is None:
            chat.keeper = person
            if not await store.write(chat):
                continue
        try:
            async with transaction(actor) as tx:
                await _store(tx, chat)
        except exc.IntegrityError:
            # Another member has a chat with this id.
            log.warning("a guest's chat could not be kept: its id is taken")
            return None
        unfinished = chat.unfinished
        chat.adopted, chat.rows = True, []
        if await store.write(chat, ended=unfinished.workflow_run_id if unfinished is not None else None):
            await events.publish([events.user(person)])
            await store.notify_pages(guest)
            return guest.chat_id
        # The answer of the chat has ended since the chat was read. Try again with the new state.


async def kept_by(actor: Actor, guest: Guest) -> UUID | None:
    """The id of a guest's chat if this member has adopted it, else None."""
    chat = await store.read(guest)
    return guest.chat_id if chat.adopted and chat.keeper == actor.user_id and actor.user_id is not None else None


async def _store(tx: Transaction, chat: Conversation) -> None:
    actor, chat_id = tx.actor, chat.guest.chat_id
    await tx.lock(f"keep:{chat_id}")
    if await tx.session.get(models.ChatSession, chat_id) is None:
        made = models.ChatSession(id=chat_id, workspace_id=actor.own_workspace_id, created_by=actor.member_id)
        await chats.add(tx, made)
        for row in chat.rows:
            tx.session.add(_copy(row, actor.user_id))
            await tx.session.flush()
        return
    last = chat.rows[-1]
    stored = await tx.session.get(models.Message, last.id)
    if stored is not None and stored.status in chats.UNFINISHED and last.status not in chats.UNFINISHED:
        for name in _ENDED:
            setattr(stored, name, getattr(last, name))


def _copy(row: models.Message, person: UUID | None) -> models.Message:
    """A row for the database. It keeps its ids, because its run may still be active."""
    values: dict[str, Any] = row.model_dump(exclude={*_USED, "position"})
    copy = models.Message(**values)
    copy.user_id = person
    return copy
