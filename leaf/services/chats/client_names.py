"""Client names of chats: clients of the AI SDK choose their own chat ids, which are not UUIDs."""

from contextlib import suppress
from uuid import UUID, uuid4, uuid5

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, delete, select

from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.paths import find


async def named(actor: Actor, name: str) -> UUID:
    """The id of the chat with a client name, whether or not the chat exists.

    If the name is the id of a chat that the member takes part in, it is that chat. Any other name maps to an id of the
    member's own, so names reveal nothing about the chats of others.

    Args:
        actor: The member.
        name: An id of Leaf, or one chosen by the client.
    """
    async with transaction(actor, read_only=True) as tx:
        return (await _chat_of(tx, name))[0]


async def begin(actor: Actor, name: str | None = None) -> tuple[UUID, bool]:
    """The chat with a client name; it is created if it does not exist.

    Args:
        actor: The member.
        name: An id of Leaf, or one chosen by the client; None for a new chat.

    Returns:
        The chat, and whether it was created.

    Raises:
        errors.NotFound: The chat with this name was deleted.
    """
    person, workspace_id = actor.member_id, actor.own_workspace_id
    async with transaction(actor) as tx:
        chat_id, exists = (uuid4(), False) if name is None else await _chat_of(tx, name)
        if exists:
            return chat_id, False
        # Two requests may create it at the same time: the second waits for the first and then finds the chat.
        chat = {"id": chat_id, "workspace_id": workspace_id, "created_by": person}
        created = await tx.session.exec(insert(models.ChatSession).values(chat).on_conflict_do_nothing())
        participant = {"chat_session_id": chat_id, "user_id": person}
        await tx.session.exec(insert(models.ChatParticipant).values(participant).on_conflict_do_nothing())
        await find(tx, chat_id)
    return chat_id, bool(created.rowcount)


async def discard(actor: Actor, chat_id: UUID) -> None:
    """Deletes a chat for good, with its files, that was created for a question which was refused; a chat that has
    begun stays.
    """
    mine = (col(models.ChatSession.id) == chat_id, col(models.ChatSession.created_by) == actor.member_id)
    async with transaction(actor) as tx:
        await tx.session.exec(delete(models.ChatSession).where(*mine, ~col(models.ChatSession.begun)))


async def _chat_of(tx: Transaction, name: str) -> tuple[UUID, bool]:
    """The id of the chat with a client name, and whether the chat exists."""
    candidates = [uuid5(tx.actor.member_id, name)]
    with suppress(ValueError):
        candidates.insert(0, UUID(name))
    query = select(models.ChatSession.id).where(col(models.ChatSession.id).in_(candidates))
    existing = set((await tx.session.exec(query)).all())
    return next(((one, True) for one in candidates if one in existing), (candidates[-1], False))
