"""Opens chats. Each participant sees one path through the tree of a chat's messages."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.shapes import Chat
from leaf.services.chats.snapshot import Snapshot


async def open(  # noqa: A001 - read as chats.open
    actor: Actor, chat_id: UUID, *, known: Chat | None = None, upto: UUID | None = None
) -> Chat:
    """A chat with the messages on the actor's path, read from the database only.

    Args:
        actor: A participant.
        chat_id: The chat.
        known: The chat from an earlier reading (`read_for`).
        upto: A message at which the path ends, whatever branch the participant has selected.

    Raises:
        errors.NotFound: The chat does not exist, the actor does not take part in it, or the message is not in it.
    """
    async with transaction(actor, read_only=True) as tx:
        return await read(tx, chat_id, known=known, upto=upto)


async def read(tx: Transaction, chat_id: UUID, *, known: Chat | None = None, upto: UUID | None = None) -> Chat:
    """The same as `open`, within a transaction."""
    known_chats = [known] if known is not None else []
    person = errors.found(tx.actor.user_id, "chat")
    if upto is None:
        found = (await read_for(tx, chat_id, [person], known=known_chats)).get(person)
        if found is None:
            raise errors.NotFound("chat")  # The chat was deleted in the meantime.
        return found
    snapshot = await Snapshot.begin(tx, await find(tx, chat_id), known_chats)
    if upto not in snapshot.tree:
        raise errors.NotFound("message")
    return (await snapshot.chats({upto}))[upto]


async def read_for(
    tx: Transaction, chat_id: UUID, people: Iterable[UUID], *, known: Iterable[Chat] = (), last: int | None = None
) -> dict[UUID, Chat]:
    """A chat as each of several participants sees it.

    Args:
        tx: A transaction of a participant.
        chat_id: The chat.
        people: The readers. Those who do not take part in the chat are left out of the result.
        known: The chat from earlier readings. Its unchanged messages are reused as the same objects, so that reading a
            long chat again stays cheap.
        last: Limits a long chat to this many messages at its end, which is faster (`Chat.above`).

    Returns:
        Chats by reader. Readers of the same path share one object, unless one of them has archived the chat or put it
        into a project.

    Raises:
        errors.NotFound: The chat does not exist, or the transaction's actor does not take part in it.
    """
    snapshot = await Snapshot.begin(tx, await find(tx, chat_id), known)
    mine = models.ChatParticipant
    query = select(mine.user_id, mine.branch_id, mine.archived_at, mine.project_id).where(
        col(mine.chat_session_id) == chat_id
    )
    rows = {row[0]: row for row in (await tx.session.exec(query)).all()}
    tips = {person: snapshot.tree.tip(rows[person][1]) for person in people if person in rows}
    chats = await snapshot.chats({*tips.values()}, last=last)
    return {person: _as_listed(chats[tip], *rows[person][2:]) for person, tip in tips.items()}


def _as_listed(chat: Chat, archived_at: datetime | None, project_id: UUID | None) -> Chat:
    """A chat with the state that it has in a participant's lists: archived or not, and its project."""
    if archived_at is None and project_id is None:
        return chat
    return replace(chat, archived=archived_at is not None, project_id=project_id)


async def find(tx: Transaction, chat_id: UUID, *, lock: bool = False) -> models.ChatSession:
    """The row of a chat in which the transaction's actor takes part.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    query = select(models.ChatSession).where(col(models.ChatSession.id) == chat_id)
    return errors.found((await tx.session.exec(query.with_for_update() if lock else query)).one_or_none(), "chat")


async def find_owned(tx: Transaction, chat_id: UUID, *, lock: bool = False) -> models.ChatSession:
    """The row of a chat that the transaction's actor owns.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
        errors.Forbidden: Another participant owns the chat.
    """
    chat = await find(tx, chat_id, lock=lock)
    if chat.created_by != tx.actor.user_id:
        raise errors.Forbidden(texts.english("sharing.refused_not_yours"))
    return chat
