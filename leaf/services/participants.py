"""Who takes part in a chat: inviting somebody, coming in, leaving and being removed.

Who began a chat invites others by e-mail address. The answer is the same whether or not there is such a person, and
whatever they do: only somebody who has come in is seen. Everybody asks in their own name, with their own Drive.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy
from sqlalchemy import text
from sqlalchemy.dialects import postgresql
from sqlmodel import col, select

from leaf import errors, streams, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events, rates
from leaf.services import chats, security

MOST_INVITATIONS = 30
"""So many of a chat may wait at a time."""
INVITATIONS_AN_HOUR = 40
_EMAIL = re.compile(r"[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,189}")


@dataclass(frozen=True)
class Participant:
    """Somebody in a chat, as all others in it see them."""

    user_id: UUID
    name: str
    creator: bool
    """Whether they began the chat."""


@dataclass(frozen=True)
class Pending:
    """An invitation that somebody has sent."""

    id: UUID
    email: str


@dataclass(frozen=True)
class Invitation:
    """An invitation that somebody has got."""

    id: UUID
    title: str
    invited_by: str
    created_at: datetime


async def read(tx: Transaction, chat_id: UUID) -> list[Participant]:
    """Who takes part in a chat, who began it first; nobody for strangers."""
    found = await (await tx.session.connection()).execute(
        text("SELECT user_id, name, creator FROM leaf_participants(:chat)"), {"chat": chat_id}
    )
    return [Participant(row.user_id, row.name, row.creator) for row in found]


async def listed(actor: Actor, chat_id: UUID) -> tuple[list[Participant], list[Pending]]:
    """Who takes part in a chat, and for who began it the invitations that were sent.

    Raises:
        errors.NotFound: There is no such chat for this person.
    """
    async with transaction(actor, read_only=True) as tx:
        await chats.find(tx, chat_id)
        query = (
            select(models.ChatInvitation.id, models.ChatInvitation.email)
            .where(col(models.ChatInvitation.chat_session_id) == chat_id)
            .order_by(col(models.ChatInvitation.created_at), col(models.ChatInvitation.id))
        )
        pending = [Pending(row[0], row[1]) for row in (await tx.session.exec(query)).all()]
        return await read(tx, chat_id), pending


async def workspace_of(tx: Transaction, chat_id: UUID) -> UUID | None:
    """The workspace in which the transaction's actor asks in a chat: their own, where the chat's is not theirs."""
    found = await (await tx.session.connection()).execute(text("SELECT leaf_workspace_in(:chat)"), {"chat": chat_id})
    return found.scalar_one_or_none()


async def invite(actor: Actor, chat_id: UUID, email: str) -> str:
    """Invites whoever signs in with an e-mail address; a second time changes nothing.

    Args:
        actor: Who began the chat.
        chat_id: The chat.
        email: The exact address; capitals do not count.

    Returns:
        The address as it was stored.

    Raises:
        errors.Invalid: It is no address, or the person's own, or too many invitations wait.
        errors.NotFound: There is no such chat for this person.
        errors.Forbidden: Somebody else began it.
        errors.LimitReached: The person has invited too many within the hour.
    """
    address = storable.text(email).strip().lower()
    if not _EMAIL.fullmatch(address):
        raise errors.Invalid(texts.english("sharing.refused_email"), field="email")
    async with transaction(actor) as tx:
        await _own(tx, actor, chat_id)
        me = (await tx.session.exec(select(models.User.email).where(col(models.User.id) == actor.user_id))).one()
        if me.lower() == address:
            raise errors.Invalid(texts.english("sharing.refused_yourself"), field="email")
        waiting = select(sqlalchemy.func.count()).where(col(models.ChatInvitation.chat_session_id) == chat_id)
        if (await tx.session.exec(waiting)).one() >= MOST_INVITATIONS:
            raise errors.Invalid(texts.english("sharing.refused_many", count=MOST_INVITATIONS), field="email")
        if wait := await rates.take(f"invite:{actor.user_id}", INVITATIONS_AN_HOUR, seconds=3600):
            raise errors.LimitReached(texts.english("sharing.refused_often"), resets_in_seconds=max(1, round(wait)))
        statement = postgresql.insert(models.ChatInvitation).values(
            chat_session_id=chat_id, invited_by=actor.user_id, email=address
        )
        connection = await tx.session.connection()
        made = await connection.execute(statement.on_conflict_do_nothing().returning(col(models.ChatInvitation.id)))
        invitation_id = made.scalar_one_or_none()
        if invitation_id is not None:
            await security.note(tx, security.Kind.PERSON_INVITED, str(chat_id))
            query = text("SELECT leaf_invited(:id)")
            found = await connection.execute(query, {"id": invitation_id})
            topics = [events.user(user_id) for user_id in found.scalars()]
            tx.after_commit(lambda: events.publish(topics))
    return address


async def withdraw(actor: Actor, invitation_id: UUID) -> None:
    """Takes back an invitation that the person has sent.

    Raises:
        errors.NotFound: There is none: it was accepted, or taken back.
    """
    async with transaction(actor) as tx:
        query = select(models.ChatInvitation.id).where(col(models.ChatInvitation.id) == invitation_id)
        if (await tx.session.exec(query)).one_or_none() is None:
            raise errors.NotFound("invitation")
        told = await (await tx.session.connection()).execute(text("SELECT leaf_invited(:id)"), {"id": invitation_id})
        topics = [events.user(user_id) for user_id in told.scalars()]
        mine = col(models.ChatInvitation.id) == invitation_id
        await tx.session.exec(sqlalchemy.delete(models.ChatInvitation).where(mine))
        tx.after_commit(lambda: events.publish(topics))


async def invitations(actor: Actor) -> list[Invitation]:
    """The invitations that wait for the person, the newest first."""
    async with transaction(actor, read_only=True) as tx:
        return await read_invitations(tx)


async def read_invitations(tx: Transaction) -> list[Invitation]:
    """The invitations of the transaction's actor."""
    query = text("SELECT id, title, invited_by, created_at FROM leaf_my_invitations()")
    found = await (await tx.session.connection()).execute(query)
    return [Invitation(row.id, row.title or "", row.invited_by, row.created_at) for row in found]


async def accept(actor: Actor, invitation_id: UUID) -> UUID:
    """Comes into a chat; returns which.

    Raises:
        errors.NotFound: There is no such invitation for this person.
    """
    async with transaction(actor) as tx:
        query = text("SELECT leaf_accept_invitation(:id)")
        found = await (await tx.session.connection()).execute(query, {"id": invitation_id})
        chat_id: UUID | None = found.scalar_one_or_none()
        if chat_id is None:
            raise errors.NotFound("invitation")
        _announce(tx, chat_id, {one.user_id for one in await read(tx, chat_id)})
    return chat_id


async def decline(actor: Actor, invitation_id: UUID) -> None:
    """Does not come; who has invited is not told.

    Raises:
        errors.NotFound: There is no such invitation for this person.
    """
    async with transaction(actor) as tx:
        query = text("SELECT leaf_decline_invitation(:id)")
        if not (await (await tx.session.connection()).execute(query, {"id": invitation_id})).scalar_one():
            raise errors.NotFound("invitation")
        if actor.user_id is not None:
            topics = [events.user(actor.user_id)]
            tx.after_commit(lambda: events.publish(topics))


async def remove(actor: Actor, chat_id: UUID, user_id: UUID) -> None:
    """Removes somebody from a chat, or leaves it: at once, also where it is open and an answer is being written.

    Args:
        actor: Who began the chat, or the one who leaves.
        chat_id: The chat.
        user_id: Who takes part no longer.

    Raises:
        errors.NotFound: There is no such chat for this person, or nobody like that in it.
        errors.Forbidden: It is not theirs to do, or who began a chat would leave it.
    """
    async with transaction(actor) as tx:
        chat = await chats.find(tx, chat_id)
        people = {one.user_id for one in await read(tx, chat_id)}
        if user_id not in people:
            raise errors.NotFound("participant")
        if user_id == chat.created_by or actor.user_id not in {chat.created_by, user_id}:
            raise errors.Forbidden(texts.english("sharing.refused_remove"))
        # Nobody else could finish what is being written for them.
        query = text("SELECT leaf_stop_answers(:chat, :person)")
        values = {"chat": chat_id, "person": user_id}
        ended: list[UUID] = [*(await (await tx.session.connection()).execute(query, values)).scalars()]
        gone = (col(models.ChatParticipant.chat_session_id) == chat_id, col(models.ChatParticipant.user_id) == user_id)
        await tx.session.exec(sqlalchemy.delete(models.ChatParticipant).where(*gone))
        leaves = user_id == actor.user_id
        await security.note(tx, security.Kind.CHAT_LEFT if leaves else security.Kind.PERSON_REMOVED, str(chat_id))
        _announce(tx, chat_id, people)
    with suppress(errors.RedisUnavailable):
        for run_id in ended:
            await streams.request_stop(run_id)


async def _own(tx: Transaction, actor: Actor, chat_id: UUID) -> None:
    if (await chats.find(tx, chat_id)).created_by != actor.user_id:
        raise errors.Forbidden(texts.english("sharing.refused_not_yours"))


def _announce(tx: Transaction, chat_id: UUID, people: set[UUID]) -> None:
    topics = [events.chat(chat_id), *(events.user(one) for one in people)]
    tx.after_commit(lambda: events.publish(topics))
