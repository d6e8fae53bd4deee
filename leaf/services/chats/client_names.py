"""Chats by the names that clients give them: clients of the AI SDK make ids of their own, which are no UUIDs."""

from uuid import UUID, uuid4, uuid5

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.paths import find


async def named(actor: Actor, name: str) -> UUID:
    """The id of the chat that a client calls so, whether or not there is one.

    It is the chat with this id where the person takes part in it. Any other name stands for a chat of the person's own:
    nobody learns from it what ids there are.

    Args:
        actor: The person.
        name: An id of Leaf's, or the client's own.
    """
    async with transaction(actor, read_only=True) as tx:
        return await _id_of(tx, name)


async def begin(actor: Actor, name: str | None = None) -> UUID:
    """The chat that a client calls so; it is made where there is none.

    Args:
        actor: The person.
        name: An id of Leaf's, or the client's own; None for a new chat.

    Raises:
        errors.NotFound: The chat of this name was deleted.
    """
    if actor.user_id is None or actor.workspace_id is None:
        raise errors.Unauthenticated
    async with transaction(actor) as tx:
        chat_id = uuid4() if name is None else await _id_of(tx, name)
        if name is not None and await _is_there(tx, chat_id):
            return chat_id
        # Two requests may make it at the same time: the second one waits for the first, and finds it.
        chat = {"id": chat_id, "workspace_id": actor.workspace_id, "created_by": actor.user_id}
        await tx.session.exec(insert(models.ChatSession).values(chat).on_conflict_do_nothing())
        participant = {"chat_session_id": chat_id, "user_id": actor.user_id}
        await tx.session.exec(insert(models.ChatParticipant).values(participant).on_conflict_do_nothing())
        await find(tx, chat_id)
    return chat_id


async def _id_of(tx: Transaction, name: str) -> UUID:
    person = tx.actor.user_id
    if person is None:
        raise errors.Unauthenticated
    try:
        chat_id = UUID(name)
    except ValueError:
        return uuid5(person, name)
    return chat_id if await _is_there(tx, chat_id) else uuid5(person, name)


async def _is_there(tx: Transaction, chat_id: UUID) -> bool:
    query = select(models.ChatSession.id).where(col(models.ChatSession.id) == chat_id)
    return (await tx.session.exec(query)).one_or_none() is not None
