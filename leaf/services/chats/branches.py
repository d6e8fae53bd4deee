"""Which branch of a chat somebody looks at."""

from uuid import UUID

import sqlalchemy
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services.chats.paths import find
from leaf.services.chats.tree import Tree


async def choose_branch(actor: Actor, message_id: UUID) -> UUID:
    """Shows somebody the branch of a message, down to the newest one of it; the other participants see what they saw.

    Args:
        actor: A participant of its chat.
        message_id: A question or an answer.

    Returns:
        The chat.

    Raises:
        errors.NotFound: There is no such message for this person.
    """
    async with transaction(actor) as tx:
        message = await tx.session.get(models.Message, message_id)
        if message is None:
            raise errors.NotFound("message")
        chat_id = message.chat_session_id
        tree = await grow(tx, chat_id)
        await look_at(tx, chat_id, tree.choice(message_id))
        # The person's other tabs are told as everybody is who shows the chat: each looks again at its own branch.
        tx.after_commit(lambda: events.publish([events.chat(chat_id)]))
    return chat_id


async def grow(tx: Transaction, chat_id: UUID) -> Tree:
    """The messages of a chat as a tree; empty where the transaction's actor takes no part in it."""
    query = (
        select(models.Message.id, models.Message.parent_id)
        .where(col(models.Message.chat_session_id) == chat_id)
        .order_by(col(models.Message.position))
    )
    return Tree((await tx.session.exec(query)).all())


async def end_of_path(tx: Transaction, chat_id: UUID) -> UUID | None:
    """The last message of what the transaction's actor looks at; None where there is nothing.

    Raises:
        errors.NotFound: The chat does not exist, or the person takes no part in it.
    """
    await find(tx, chat_id)
    query = select(models.ChatParticipant.branch_id).where(*_own(tx, chat_id))
    return (await grow(tx, chat_id)).tip((await tx.session.exec(query)).one_or_none())


async def look_at(tx: Transaction, chat_id: UUID, branch_id: UUID | None) -> None:
    """Keeps which branch the transaction's actor looks at.

    Args:
        tx: A transaction of a participant.
        chat_id: The chat.
        branch_id: A message of it; None for following the newest.
    """
    values = {"branch_id": branch_id}
    await tx.session.exec(sqlalchemy.update(models.ChatParticipant).where(*_own(tx, chat_id)).values(values))


def _own(tx: Transaction, chat_id: UUID) -> tuple[sqlalchemy.ColumnElement[bool], ...]:
    participant = models.ChatParticipant
    return col(participant.chat_session_id) == chat_id, col(participant.user_id) == tx.actor.user_id
