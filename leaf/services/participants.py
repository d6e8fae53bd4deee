"""Participants of chats: invitations, joining, leaving and removal.

The owner of a chat invites others by e-mail address. The result is the same whether or not the address belongs to a
member. Only participants who have joined are visible. Each participant asks with their own Drive.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy
from sqlalchemy.dialects import postgresql
from sqlmodel import col, select

from leaf import errors, streams, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events, rates
from leaf.services import chats, security
from leaf.telemetry.metrics import instruments

MOST_INVITATIONS = 30
"""Maximum number of open invitations of a chat."""
INVITATIONS_AN_HOUR = 40
_EMAIL = re.compile(r"[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,189}")


@dataclass(frozen=True)
class Participant:
    """A participant of a chat, with the data that all participants may see."""

    user_id: UUID
    name: str
    creator: bool
    """Whether the participant is the owner, who began the chat."""


@dataclass(frozen=True)
class Pending:
    """An invitation that the member has sent."""

    id: UUID
    email: str


@dataclass(frozen=True)
class Invitation:
    """An invitation that the member has received."""

    id: UUID
    title: str
    invited_by: str
    created_at: datetime


async def read(tx: Transaction, chat_id: UUID) -> list[Participant]:
    """The participants of a chat, the owner first. Empty if the transaction's actor is no participant."""
    found = await tx.call("leaf_participants", chat_id)
    return [Participant(row.user_id, row.name, row.creator) for row in found]


async def listed(actor: Actor, chat_id: UUID) -> tuple[list[Participant], list[Pending]]:
    """The participants of a chat, and for its owner the open invitations.

    Raises:
        errors.NotFound: The chat does not exist for this member.
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


async def invite(actor: Actor, chat_id: UUID, email: str) -> str:
    """Invites the person who signs in with an e-mail address. A repeated invitation changes nothing.

    Args:
        actor: The owner of the chat.
        chat_id: The chat.
        email: The exact address, case-insensitive.

    Returns:
        The stored address.

    Raises:
        errors.Invalid: The address is malformed or the owner's own, or too many invitations are open.
        errors.NotFound: The chat does not exist for this member.
        errors.Forbidden: The member is not the owner.
        errors.LimitReached: The member has sent too many invitations within an hour.
    """
    address = storable.text(email).strip().lower()
    if not _EMAIL.fullmatch(address):
        raise errors.Invalid(texts.english("sharing.refused_email"), field="email")
    async with transaction(actor) as tx:
        await chats.find_owned(tx, chat_id)
        me = (await tx.session.exec(select(models.User.email).where(col(models.User.id) == actor.user_id))).one()
        if me.lower() == address:
            raise errors.Invalid(texts.english("sharing.refused_yourself"), field="email")
        waiting = select(sqlalchemy.func.count()).where(col(models.ChatInvitation.chat_session_id) == chat_id)
        if (await tx.session.exec(waiting)).one() >= MOST_INVITATIONS:
            raise errors.Invalid(texts.english("sharing.refused_many", count=MOST_INVITATIONS), field="email")
        if wait := await rates.take(f"invite:{actor.user_id}", INVITATIONS_AN_HOUR, seconds=3600):
            raise errors.LimitReached(texts.english("sharing.refused_often"), resets_in_seconds=wait)
        statement = postgresql.insert(models.ChatInvitation).values(
            chat_session_id=chat_id, invited_by=actor.user_id, email=address
        )
        made = await tx.execute(statement.on_conflict_do_nothing().returning(col(models.ChatInvitation.id)))
        invitation_id = made.scalar_one_or_none()
        if invitation_id is not None:
            await security.note(tx, security.Kind.PERSON_INVITED, str(chat_id))
            await _announce_invitation(tx, invitation_id)
    if invitation_id is not None:
        instruments.count_feature("invite")
    return address


async def withdraw(actor: Actor, invitation_id: UUID) -> None:
    """Withdraws an invitation that the member has sent.

    Raises:
        errors.NotFound: The invitation does not exist, was accepted, or was withdrawn.
    """
    async with transaction(actor) as tx:
        query = select(models.ChatInvitation.id).where(col(models.ChatInvitation.id) == invitation_id)
        errors.found((await tx.session.exec(query)).one_or_none(), "invitation")
        await _announce_invitation(tx, invitation_id)
        mine = col(models.ChatInvitation.id) == invitation_id
        await tx.session.exec(sqlalchemy.delete(models.ChatInvitation).where(mine))


async def invitations(actor: Actor) -> list[Invitation]:
    """The invitations that wait for the member, the newest first."""
    async with transaction(actor, read_only=True) as tx:
        return await read_invitations(tx)


async def read_invitations(tx: Transaction) -> list[Invitation]:
    """The invitations of the transaction's actor."""
    found = await tx.call("leaf_my_invitations")
    return [Invitation(row.id, row.title or "", row.invited_by, row.created_at) for row in found]


async def accept(actor: Actor, invitation_id: UUID) -> UUID:
    """Accepts an invitation and returns the id of its chat.

    Raises:
        errors.NotFound: The invitation does not exist for this member.
    """
    async with transaction(actor) as tx:
        chat_id: UUID | None = (await tx.call("leaf_accept_invitation", invitation_id)).scalar_one_or_none()
        if chat_id is None:
            raise errors.NotFound("invitation")
        _announce(tx, chat_id, {one.user_id for one in await read(tx, chat_id)})
    return chat_id


async def decline(actor: Actor, invitation_id: UUID) -> None:
    """Declines an invitation without notifying its sender.

    Raises:
        errors.NotFound: The invitation does not exist for this member.
    """
    async with transaction(actor) as tx:
        errors.found((await tx.call("leaf_decline_invitation", invitation_id)).scalar_one(), "invitation")
        tx.after_commit(events.publish, [events.user(actor.member_id)])


async def remove(actor: Actor, chat_id: UUID, user_id: UUID) -> None:
    """Removes a participant from a chat at once, also from open pages and running answers.

    Args:
        actor: The owner of the chat, or the participant who leaves.
        chat_id: The chat.
        user_id: The participant to remove.

    Raises:
        errors.NotFound: The chat or participant does not exist for this member.
        errors.Forbidden: The actor may not remove this participant, or is the owner and would leave.
    """
    async with transaction(actor) as tx:
        chat = await chats.find(tx, chat_id)
        people = {one.user_id for one in await read(tx, chat_id)}
        if user_id not in people:
            raise errors.NotFound("participant")
        if user_id == chat.created_by or actor.user_id not in {chat.created_by, user_id}:
            raise errors.Forbidden(texts.english("sharing.refused_remove"))
        # Answers that wait for the removed participant are stopped, because nobody else can continue them.
        ended: list[UUID] = [*(await tx.call("leaf_stop_answers", chat_id, user_id)).scalars()]
        gone = (col(models.ChatParticipant.chat_session_id) == chat_id, col(models.ChatParticipant.user_id) == user_id)
        await tx.session.exec(sqlalchemy.delete(models.ChatParticipant).where(*gone))
        leaves = user_id == actor.user_id
        await security.note(tx, security.Kind.CHAT_LEFT if leaves else security.Kind.PERSON_REMOVED, str(chat_id))
        _announce(tx, chat_id, people)
    with suppress(errors.RedisUnavailable):
        for run_id in ended:
            await streams.request_stop(run_id)


def _announce(tx: Transaction, chat_id: UUID, people: set[UUID]) -> None:
    tx.after_commit(events.publish, [events.chat(chat_id), *(events.user(one) for one in people)])


async def _announce_invitation(tx: Transaction, invitation_id: UUID) -> None:
    """Notifies the pages of the invited member, if the address belongs to a member."""
    invited = (await tx.call("leaf_invited", invitation_id)).scalars()
    tx.after_commit(events.publish, [events.user(user_id) for user_id in invited])
