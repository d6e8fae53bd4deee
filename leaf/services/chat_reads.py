"""Opens a chat for many tabs. Tabs of this process that ask at the same time share one transaction.

Each participant sees their own branch. Messages that several participants see are the same objects.
"""

import asyncio
from collections.abc import Sequence
from uuid import UUID
from weakref import WeakValueDictionary

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import chats
from leaf.services.joint_reads import JointRead

_Place = tuple[UUID, int | None]
"""A chat, and how many of its last messages are read; None for all."""

_last_read: WeakValueDictionary[tuple[asyncio.AbstractEventLoop, UUID, UUID], chats.Chat] = WeakValueDictionary()
"""The last version of a chat that each person has read, as long as something still uses it."""


async def open(  # noqa: A001 - read as chat_reads.open
    actor: Actor, chat_id: UUID, *, last: int | None = None
) -> chats.Chat:
    """A chat with its messages. Unchanged messages are the same objects as at the last read.

    Args:
        actor: A participant.
        chat_id: The chat.
        last: Limits a long chat to this many messages at its end (`chats.read_for`).

    Raises:
        errors.NotFound: The chat does not exist for this member.
        errors.DatabaseUnavailable: PostgreSQL does not answer.
    """
    person = actor.member_id
    found = await _read((chat_id, last), actor)
    if person not in found:
        raise errors.NotFound("chat")
    return found[person]


async def _read_for(place: _Place, actors: Sequence[Actor]) -> dict[UUID, chats.Chat]:
    """The chat as each of the actors sees it, by member. Actors who do not take part in it are left out."""
    people = {actor.member_id: actor for actor in actors}
    for actor in people.values():
        try:
            return await _read_as(actor, place, [*people])
        except errors.NotFound:
            continue
    return {}


_read = JointRead(_read_for)


async def _read_as(actor: Actor, place: _Place, people: list[UUID]) -> dict[UUID, chats.Chat]:
    (chat_id, last), loop = place, asyncio.get_running_loop()
    known = [chat for person in people if (chat := _last_read.get((loop, chat_id, person))) is not None]
    async with transaction(actor, read_only=True) as tx:
        found = await chats.read_for(tx, chat_id, people, known=known, last=last)
    for person, chat in found.items():
        if not chat.above:
            _last_read[loop, chat_id, person] = chat
    return found
