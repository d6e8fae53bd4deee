"""Queued messages, which wait for the end of the answer that is being written.

A completed answer sends the next message of its chat, in order and in the name of the message's writer. An answer that
was stopped, has failed or waits for its reader sends nothing. The messages then wait until another answer is completed
or their writer sends them.
"""

from uuid import UUID

from sqlmodel import col, select

from leaf import errors
from leaf.config import catalog
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts import question_files
from leaf.redis import events
from leaf.services import chats, runs, usage
from leaf.services import models as model_service
from leaf.services.conversations import drafts, question, steps
from leaf.services.conversations.drafts import DatabaseDraft
from leaf.services.conversations.store import Queued, Turn

BUDGET = "budget"
"""The problem of a message whose writer had no budget left when its turn came."""


class QueueChanged(Exception):
    """The next message of a chat is now from another writer. The transaction must start again with their lock."""

    def __init__(self) -> None:
        super().__init__("another writer's message is the next one")


async def queued(actor: Actor, chat_id: UUID) -> list[Queued]:
    """The actor's queued messages of a chat, the next one first; empty if the audience has no queue."""
    if not actor.audience.may("queue"):
        return []
    async with transaction(actor, read_only=True) as tx:
        query = select(models.QueuedMessage).where(*drafts.queue_of(actor, chat_id))
        rows = (await tx.session.exec(query.order_by(col(models.QueuedMessage.position)))).all()
    return [Queued(row.id, row.chat_session_id, row.parts, row.problem or "") for row in rows]


async def rewrite(actor: Actor, queued_id: UUID, text: str) -> UUID:
    """Changes the words of a queued message. Attached files stay. Mentioned files stay if the new words name them.

    Returns:
        The id of its chat.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.NotFound: There is no such message; it may have been sent.
    """
    actor.audience.require("queue")
    words = question.checked(text, actor.audience)
    async with transaction(actor) as tx:
        row = await _own(tx, queued_id)
        row.parts = [{"type": "text", "text": words}, *question_files.kept(row.parts, words)]
        _announce(tx, row.chat_session_id)
    return row.chat_session_id


async def withdraw(actor: Actor, queued_id: UUID) -> UUID:
    """Removes a message from the queue; returns the id of its chat.

    Raises:
        errors.NotFound: There is no such message; it may have been sent.
    """
    actor.audience.require("queue")
    async with transaction(actor) as tx:
        row = await _own(tx, queued_id)
        await tx.session.delete(row)
        _announce(tx, row.chat_session_id)
    return row.chat_session_id


async def release(actor: Actor, queued_id: UUID) -> Turn:
    """Sends a queued message now, if no answer is being written.

    Raises:
        errors.NotFound: There is no such message; it may have been sent.
        errors.Conflict: An answer is being written, or waits for another participant.
        errors.LimitReached: The person may ask nothing more for a while; the message stays queued.
        errors.RedisUnavailable: No answer can be started; the message stays queued.
    """
    actor.audience.require("queue")

    async def work(draft: DatabaseDraft) -> Turn:
        row = await _own(draft.tx, queued_id)
        await draft.require_free()
        closed = await steps.close_waiting(draft)
        end = await draft.end()
        await draft.admit()
        return await _send(draft, actor, row, end, closed)

    return await drafts.change(actor, work, message_id=queued_id)


async def writer_of_next(tx: Transaction, chat_id: UUID) -> UUID | None:
    """The writer of the next queued message of a chat; None if no message can be sent."""
    found = await _next(tx, chat_id)
    return found[1] if found is not None else None


async def follow_up(tx: Transaction, chat: models.ChatSession, writer: UUID | None) -> None:
    """Sends the next queued message of a chat, in the transaction that has completed an answer.

    A message whose writer has no budget left stays queued with the problem `BUDGET`, and the next one is tried.

    Args:
        tx: A worker's transaction that holds the chat's lock, and `usage.lock` of the writer.
        chat: The chat.
        writer: The writer that `writer_of_next` returned before these locks.

    Raises:
        QueueChanged: The next message is from another writer.
    """
    await tx.session.flush()
    if await runs.is_busy(tx, chat.id, (*chats.UNFINISHED, MessageStatus.WAITING)):
        return
    while (found := await _next(tx, chat.id)) is not None:
        queued_id, user_id = found
        if user_id != writer:
            raise QueueChanged
        actor = Actor.worker_for(user_id)
        if tx.actor.user_id != user_id:
            await tx.go_on_as(actor)
        row = await _own(tx, queued_id)
        draft = DatabaseDraft(tx, chat)
        try:
            draft.allowance = await usage.allowance(tx, actor)
        except errors.BudgetReached:
            row.problem = BUDGET
            await tx.session.flush()
            _announce(tx, chat.id)
            continue
        await _send(draft, actor, row, await chats.end_of_path(tx, chat.id))
        await draft.announce()
        return


async def _send(
    draft: DatabaseDraft,
    actor: Actor,
    row: models.QueuedMessage,
    end: UUID | None,
    closed: tuple[chats.Message, ...] = (),
) -> Turn:
    usual = question.choice(actor.audience, *catalog.chosen(row.search_mode, row.model_type))
    named = await steps.named_model(draft, end, row.model)
    if named is not None and not model_service.may_be_chosen(named):
        named = None
    choice = question.with_model(actor.audience, usual, named)
    await draft.tx.session.delete(row)
    return await steps.insert_turn(
        draft, actor, row.parts, choice, after=end, question_id=row.id, named=named, closed=closed
    )


async def _next(tx: Transaction, chat_id: UUID) -> tuple[UUID, UUID] | None:
    found = (await tx.call("leaf_next_queued", chat_id)).one_or_none()
    return (found.id, found.user_id) if found is not None else None


async def _own(tx: Transaction, queued_id: UUID) -> models.QueuedMessage:
    query = select(models.QueuedMessage).where(col(models.QueuedMessage.id) == queued_id)
    return errors.found((await tx.session.exec(query.with_for_update())).one_or_none(), "queued")


def _announce(tx: Transaction, chat_id: UUID) -> None:
    tx.after_commit(events.publish, [events.chat(chat_id)])
