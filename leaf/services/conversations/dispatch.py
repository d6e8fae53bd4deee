"""Conversations of any audience. Each call is passed on to the store of the actor's audience."""

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from leaf import errors, streams
from leaf.db.actor import Actor
from leaf.redis import events
from leaf.services import chats, runs
from leaf.services.conversations import ephemeral, postgres
from leaf.services.conversations.store import Store, Turn
from leaf.services.runs import Assignment, Outcome

log = logging.getLogger(__name__)

_DATABASE: Final[Store] = postgres
_REDIS: Final[Store] = ephemeral
_STORES: Final[dict[str, Store]] = {"database": _DATABASE, "redis": _REDIS}


def of(actor: Actor) -> Store:
    """The store of an actor's conversations."""
    return _STORES[actor.audience.store]


async def open(actor: Actor, chat_id: UUID, *, known: chats.Chat | None = None) -> chats.Chat:  # noqa: A001 - read as conversations.open
    """A chat with its messages.

    Args:
        actor: A participant, or the guest.
        chat_id: The chat.
        known: The chat from an earlier read (`chats.read_for`).

    Raises:
        errors.NotFound: There is no such chat for this actor.
    """
    return await of(actor).open(actor, chat_id, known=known)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The answer of a run.

    Raises:
        errors.NotFound: There is no such run for this actor.
    """
    return await of(actor).result(actor, run_id)


async def active(actor: Actor, chat_id: UUID) -> Turn | None:
    """The turn whose answer is being written in a chat; None if no answer is being written.

    Raises:
        errors.NotFound: There is no such chat for this actor.
    """
    return await of(actor).active(actor, chat_id)


async def ended(actor: Actor, chat_id: UUID, within: timedelta) -> chats.Message | None:
    """The answer of a chat that changed last, if it has ended; None if that is longer ago than `within`.

    Raises:
        errors.NotFound: There is no such chat for this actor.
    """
    answer = await of(actor).ended(actor, chat_id, within)
    return answer if answer is not None and not answer.unfinished else None


def message_id(actor: Actor, key: object) -> UUID | None:
    """The id of a message that a page sends under a key (`store.id_of`); None if the value is not a key."""
    return of(actor).message_id(actor, key)


async def sent(actor: Actor, key: str) -> UUID | None:
    """The chat of a message that a page has sent under a key; None if the message was not stored."""
    return await of(actor).sent(actor, key)


async def stop(actor: Actor, run_id: UUID) -> None:
    """Asks a run to stop. It may be called repeatedly, and after the run has ended.

    Raises:
        errors.NotFound: There is no such run for this actor.
        errors.RedisUnavailable: The request cannot be passed on.
    """
    actor.audience.require("stop")
    if (await result(actor, run_id)).unfinished:
        await streams.request_stop(run_id)


async def stop_chat(actor: Actor, chat_id: UUID) -> None:
    """Stops the answer that is being written in a chat, or that waits for a tool at its caller. The text so far stays.

    Raises:
        errors.NotFound: There is no such chat for this actor.
        errors.RedisUnavailable: The request cannot be passed on.
    """
    actor.audience.require("stop")
    turn = await active(actor, chat_id)
    if turn is None:
        # Only answers in the database have tools at their caller.
        if actor.audience.store == "database":
            await runs.abandon(actor, chat_id)
    elif turn.assistant.run_id is not None:
        await streams.request_stop(turn.assistant.run_id)


@dataclass(frozen=True)
class News:
    """The data that has changed since the last `News`; all False if only time has passed."""

    chat: bool = False
    """Whether the open chat has changed."""
    chats: bool = False
    """Whether the reader's list of chats has changed."""
    person: bool = False
    """Whether the reader's session, or other data of the reader besides chats, has changed."""


async def watch(actor: Actor, chat_id: UUID | None, *, every_seconds: float) -> AsyncGenerator[News]:
    """Yields whenever a page should read again.

    The first yield means that the subscription has begun. A page that reads after it misses no change.

    Args:
        actor: The reader.
        chat_id: The chat that is open, if one is.
        every_seconds: The longest time between two yields. Without news it yields anyway, so that the caller can check
            whether to go on.

    Raises:
        errors.NotFound: There is no such chat for this actor.
    """
    person = events.user(actor.user_id) if actor.user_id is not None else ""
    chats = events.chats_of(actor.user_id) if actor.user_id is not None else ""
    chat = events.chat(chat_id) if chat_id is not None else ""
    if chat_id is not None:
        await of(actor).require(actor, chat_id)
    async with events.subscribe(filter(None, (person, chats, chat))) as subscription:
        yield News(chat=bool(chat), chats=bool(chats), person=bool(person))
        while True:
            changed = await subscription.changed(within_seconds=every_seconds)
            yield News(chat=chat in changed, chats=chats in changed, person=person in changed)


async def assignment(run_id: UUID) -> Assignment | None:
    """Everything that a worker needs for a run; None if the run is gone or has ended."""
    return await _REDIS.assignment(run_id) or await _DATABASE.assignment(run_id)


async def finish(task: Assignment, outcome: Outcome) -> bool:
    """Stores the outcome of a run.

    Returns:
        False if the answer is gone, was finished before, or now belongs to another run.
    """
    return await of(task.actor).finish(task, outcome)


async def announce(task: Assignment) -> None:
    """Notifies open pages of the end of a run."""
    await of(task.actor).announce(task)


async def unfinished(older_than: timedelta) -> list[UUID]:
    """Ids of all unfinished runs that began at least `older_than` ago.

    If the database does not answer, only the runs of guests are returned.
    """
    found = await _REDIS.unfinished(older_than)
    try:
        found += await _DATABASE.unfinished(older_than)
    except errors.DatabaseUnavailable:
        log.warning("the database does not answer; its unfinished runs are looked for later")
    return found
