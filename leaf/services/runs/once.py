"""Messages that are stored once, however often a page sends them: a page that was loaded anew cannot know what came
of what it sent before. The id of the question, or of the message that waits, follows from the page's key.
"""

from uuid import UUID, uuid5

from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction

SENT = "sent_already"
"""The code of the refusal."""
_KEY_CHARACTERS = 64


def id_of(owner: UUID, key: object) -> UUID | None:
    """The id that a message gets.

    Args:
        owner: The person, or the guest's chat: one person's keys mean nothing to another.
        key: What the page sent; anything but a short text is no key.
    """
    if not isinstance(key, str) or not 0 < len(key) <= _KEY_CHARACTERS:
        return None
    return uuid5(owner, key)


def refusal() -> errors.Conflict:
    """What whoever sends a message again is told."""
    return errors.Conflict(texts.english("errors.sent_already"), code=SENT)


async def sent(actor: Actor, message_id: UUID) -> UUID | None:
    """The chat of a message that was stored, or that waits; None where there is none for this person."""
    async with transaction(actor, read_only=True) as tx:
        return await _chat_of(tx, message_id)


async def require_new(tx: Transaction, message_id: UUID | None) -> None:
    """Has a message be a new one; the chat's lock must be held.

    Raises:
        errors.Conflict: It was sent already (`SENT`).
    """
    if message_id is not None and await _chat_of(tx, message_id) is not None:
        raise refusal()


async def _chat_of(tx: Transaction, message_id: UUID) -> UUID | None:
    for table in (models.Message, models.QueuedMessage):
        query = select(col(table.chat_session_id)).where(col(table.id) == message_id)
        if (found := (await tx.session.exec(query)).one_or_none()) is not None:
            return found
    return None
