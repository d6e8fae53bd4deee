"""Client names of chats. Clients of the AI SDK choose their own chat ids, which are not UUIDs."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4, uuid5

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, delete, select, update

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import notices
from leaf.services.chats.paths import find
from leaf.services.library.scope import ChatScope


@dataclass(frozen=True)
class Prepared:
    """The values of a new chat."""

    title: str | None = None
    """A checked title (`checked_title`); None for the first words of the first question."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The data of a program (`sites.metadata_of`)."""
    scope: ChatScope | None = None
    """The part of the member's Drive to which the chat is limited; None for that of the project, if any."""
    project_id: UUID | None = None
    """The member's project that contains the chat; None for no project."""


_UNPREPARED = Prepared()


async def named(actor: Actor, name: str) -> UUID:
    """The id that belongs to a client name, whether or not the chat exists.

    If the name is the id of a chat in which the member takes part, it stands for that chat. Any other name maps to an
    id of the member's own, so names reveal nothing about the chats of others.

    Args:
        actor: The member.
        name: An id of Leaf, or one chosen by the client.
    """
    ids = _ids_of(actor, name)
    async with transaction(actor, read_only=True) as tx:
        query = select(models.ChatSession.id).where(col(models.ChatSession.id).in_(ids))
        found = (await tx.session.exec(query)).all()
    return next((one for one in ids if one in found), ids[-1])


async def begin(actor: Actor, name: str | None = None, prepared: Prepared = _UNPREPARED) -> tuple[UUID, bool]:
    """The chat with a client name, which is created if it does not exist.

    Args:
        actor: The member.
        name: An id of Leaf, or one chosen by the client; None for a new chat.
        prepared: The values of a new chat. A chat that exists is not changed.

    Returns:
        The chat, and whether it was created.

    Raises:
        errors.NotFound: The chat with this name was deleted, or a new chat's project is not the member's.
    """
    async with transaction(actor) as tx:
        chat, is_new = await locked(tx, name), False
        if chat is None:
            chat, is_new = await create(tx, name)
        if is_new and prepared != _UNPREPARED:
            await _prepare(tx, chat, prepared)
    return chat.id, is_new


async def _prepare(tx: Transaction, chat: models.ChatSession, prepared: Prepared) -> None:
    if prepared.project_id is not None:
        project = errors.found(await tx.session.get(models.Project, prepared.project_id), "project")
        chat.scope = project.scope
        mine = col(models.ChatParticipant.chat_session_id) == chat.id
        await tx.session.exec(update(models.ChatParticipant).where(mine).values(project_id=project.id))
    if prepared.title is not None:
        chat.title, chat.title_source = prepared.title, "user"
    if prepared.scope is not None:
        chat.scope = prepared.scope.data()
    chat.program_metadata = {**prepared.metadata}
    await notices.announce(tx, [chat.id])


async def locked(tx: Transaction, name: str | None) -> models.ChatSession | None:
    """The chat with a client name, locked; None if it does not exist."""
    if name is None:
        return None
    ids = _ids_of(tx.actor, name)
    query = select(models.ChatSession).where(col(models.ChatSession.id).in_(ids)).with_for_update()
    found = {one.id: one for one in (await tx.session.exec(query)).all()}
    return next((found[one] for one in ids if one in found), None)


async def create(tx: Transaction, name: str | None) -> tuple[models.ChatSession, bool]:
    """Creates a chat with a client name, and locks it.

    Returns:
        The chat, and whether it is new. Another request may have created it.

    Raises:
        errors.NotFound: The chat with this name was deleted.
    """
    actor = tx.actor
    chat_id = uuid4() if name is None else _ids_of(actor, name)[-1]
    # Of two requests that create the chat, the second waits here for the first, and then finds the chat.
    chat = {"id": chat_id, "workspace_id": actor.own_workspace_id, "created_by": actor.member_id}
    created = await tx.execute(insert(models.ChatSession).values(chat).on_conflict_do_nothing())
    participant = {"chat_session_id": chat_id, "user_id": actor.member_id}
    await tx.execute(insert(models.ChatParticipant).values(participant).on_conflict_do_nothing())
    return await find(tx, chat_id, lock=True), bool(created.rowcount)


async def discard(actor: Actor, chat_id: UUID) -> None:
    """Permanently deletes a chat without messages, with its files. It was created for a question that was refused.

    A chat with messages stays.
    """
    mine = (col(models.ChatSession.id) == chat_id, col(models.ChatSession.created_by) == actor.member_id)
    async with transaction(actor) as tx:
        await tx.session.exec(delete(models.ChatSession).where(*mine, ~col(models.ChatSession.begun)))


def _ids_of(actor: Actor, name: str) -> list[UUID]:
    """The ids that a client name may stand for. The last one is the member's own."""
    own = uuid5(actor.member_id, name)
    with suppress(ValueError):
        return [UUID(name), own]
    return [own]
