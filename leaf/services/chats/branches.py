"""Branches of a chat. Each participant has selected one of them."""

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
    """Selects the branch of a message for the actor, down to its newest message. Other participants keep their branch.

    Args:
        actor: A participant of the chat.
        message_id: A question or an answer.

    Returns:
        The id of the chat.

    Raises:
        errors.NotFound: The message does not exist, or the actor does not take part in its chat.
    """
    async with transaction(actor) as tx:
        message = errors.found(await tx.session.get(models.Message, message_id), "message")
        chat_id = message.chat_session_id
        tree = await tree_of(tx, chat_id)
        await store_branch(tx, chat_id, tree.choice(message_id))
        # The notice goes to all pages that show the chat, because other tabs of the actor show the same branch.
        tx.after_commit(events.publish, [events.chat(chat_id)])
    return chat_id


async def tree_of(tx: Transaction, chat_id: UUID) -> Tree:
    """The messages of a chat as a tree. It is empty if the transaction's actor does not take part in the chat."""
    return Tree((row.id, row.parent_id) for row in await tx.call("leaf_tree", chat_id, None))


async def end_of_path(tx: Transaction, chat_id: UUID) -> UUID | None:
    """The last message on the branch of the transaction's actor; None in an empty chat.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    path = await selected_path(tx, chat_id)
    return path[-1] if path else None


async def selected_path(tx: Transaction, chat_id: UUID) -> list[UUID]:
    """The messages on the branch of the transaction's actor, from the beginning of the chat.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    await find(tx, chat_id)
    query = select(models.ChatParticipant.branch_id).where(*_own(tx, chat_id))
    branch = (await tx.session.exec(query)).one_or_none()
    # The tree is read only once, because a message may be added or the chat deleted between two reads.
    tree = await tree_of(tx, chat_id)
    return tree.path(tree.tip(branch))


async def store_branch(tx: Transaction, chat_id: UUID, branch_id: UUID | None) -> None:
    """Stores the selected branch of the transaction's actor.

    Args:
        tx: A transaction of a participant.
        chat_id: The chat.
        branch_id: A message of the chat; None to follow the newest message.
    """
    values = {"branch_id": branch_id}
    await tx.session.exec(sqlalchemy.update(models.ChatParticipant).where(*_own(tx, chat_id)).values(values))


def _own(tx: Transaction, chat_id: UUID) -> tuple[sqlalchemy.ColumnElement[bool], ...]:
    participant = models.ChatParticipant
    return col(participant.chat_session_id) == chat_id, col(participant.user_id) == tx.actor.user_id
