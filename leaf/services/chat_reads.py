"""Opening one chat for many tabs: those of this process that ask at the same time share one transaction.

Each participant sees the branch that they look at; what several of them see is the same object.
"""

import asyncio
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakValueDictionary

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import chats

_Place = tuple[asyncio.AbstractEventLoop, UUID, int | None]
"""A chat, and how much of its end is looked at."""


@dataclass
class _Reading:
    """One look at a chat, for everybody who has asked before it began."""

    place: _Place
    actors: dict[UUID, Actor] = field(default_factory=dict[UUID, Actor])

    def __post_init__(self) -> None:
        self.task = asyncio.create_task(_read(self), name=f"look at {self.place[1]}")


_gathering: dict[_Place, _Reading] = {}
"""Looks that others can still join."""
_under_way: dict[_Place, asyncio.Lock] = {}
_seen: WeakValueDictionary[tuple[asyncio.AbstractEventLoop, UUID, UUID], chats.Chat] = WeakValueDictionary()
"""Chats as each person has read them last, for as long as a tab shows them."""


async def open(  # noqa: A001 - read as chat_reads.open
    actor: Actor, chat_id: UUID, *, last: int | None = None
) -> chats.Chat:
    """A chat with its messages; unchanged messages are the same objects as at the last read.

    Args:
        actor: A participant; the cache reveals nothing to others.
        chat_id: The chat.
        last: Number of messages at the end of a long chat (`chats.read_for`).

    Raises:
        errors.NotFound: The chat does not exist for this member.
        errors.DatabaseUnavailable: PostgreSQL does not answer.
    """
    person = actor.member_id
    place = asyncio.get_running_loop(), chat_id, last
    reading = _gathering.get(place)
    if reading is None:
        reading = _gathering[place] = _Reading(place)
    reading.actors[person] = actor
    # One who goes away does not end the look of the others.
    found = await asyncio.shield(reading.task)
    if person not in found:
        raise errors.NotFound("chat")
    return found[person]


async def _read(reading: _Reading) -> dict[UUID, chats.Chat]:
    """The chat as each of those sees it who have asked and take part in it."""
    place = reading.place
    lock = _under_way.setdefault(place, asyncio.Lock())
    try:
        async with lock:
            # Later callers start a read of their own, because they may ask about a newer change.
            del _gathering[place]
            for actor in [*reading.actors.values()]:
                try:
                    return await _read_as(actor, reading)
                except errors.NotFound:
                    continue
            return {}
    finally:
        if _gathering.get(place) is reading:
            del _gathering[place]
        if place not in _gathering:
            _under_way.pop(place, None)


async def _read_as(actor: Actor, reading: _Reading) -> dict[UUID, chats.Chat]:
    (loop, chat_id, last), people = reading.place, [*reading.actors]
    known = [chat for person in people if (chat := _seen.get((loop, chat_id, person))) is not None]
    async with transaction(actor, read_only=True) as tx:
        found = await chats.read_for(tx, chat_id, people, known=known, last=last)
    for person, chat in found.items():
        if not chat.above:
            _seen[loop, chat_id, person] = chat
    return found
