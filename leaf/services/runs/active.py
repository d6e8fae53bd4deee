"""Queries for answers that are being written, or that wait for their asker."""

from collections.abc import Sequence
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import chats


async def run_of(actor: Actor, message_id: UUID) -> UUID:
    """The id of the run of an answer.

    Raises:
        errors.NotFound: The answer does not exist for this person.
    """
    async with transaction(actor, read_only=True) as tx:
        row = await tx.session.get(models.Message, message_id)
    if row is None or row.role is not MessageRole.ASSISTANT or row.workflow_run_id is None:
        raise errors.NotFound("answer")
    return row.workflow_run_id


async def is_busy(tx: Transaction, chat_id: UUID, statuses: Sequence[MessageStatus] = chats.UNFINISHED) -> bool:
    """Whether an answer on any branch of a chat has one of the statuses; by default, whether one is being written."""
    query = select(models.Message.id).where(
        col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(statuses)
    )
    return (await tx.session.exec(query.limit(1))).first() is not None


async def lock_waiting(tx: Transaction, message_id: UUID) -> models.Message:
    """Locks the chat of an answer that waits for the transaction's actor, and returns the answer.

    Raises:
        errors.NotFound: The answer does not exist, or another person asked the question.
        errors.Conflict: The answer no longer waits, or another answer of the chat is being written.
    """
    found = await tx.session.get(models.Message, message_id)
    if found is None or found.role is not MessageRole.ASSISTANT or found.user_id != tx.actor.user_id:
        raise errors.NotFound("question")
    await chats.find(tx, found.chat_session_id, lock=True)
    if await is_busy(tx, found.chat_session_id):
        raise errors.Conflict(texts.english("errors.still_answering"))
    # Another tab may have answered before this transaction got the lock.
    await tx.session.refresh(found)
    if found.status is not MessageStatus.WAITING:
        raise errors.Conflict(texts.english("errors.answered_already"))
    return found
