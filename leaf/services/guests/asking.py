"""What guests do: ask, answer what is asked of them, stop, look. Nothing of it comes into the database."""

import logging
import math
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID, uuid4

from leaf import config, errors, redis, streams, texts
from leaf.catalog import Kind, Mode
from leaf.db import models
from leaf.db.actor import Actor, Guest
from leaf.db.models import MessageRole, MessageStatus, utc_now
from leaf.redis import events, rates
from leaf.services import chats
from leaf.services import models as model_service
from leaf.services.guests import store
from leaf.services.guests.store import Conversation
from leaf.services.runs import once, starting, waiting
from leaf.texts import dates

log = logging.getLogger(__name__)

DAY_SECONDS = 24 * 3600
MOST_MESSAGES = 40
MOST_BYTES = 512 * 1024
"""A chat that is larger takes no further question; the answer that made it so is kept."""


def identity(actor: Actor) -> Guest:
    """The guest that an actor is.

    Raises:
        errors.Unauthenticated: It is none, or Leaf has no guests.
    """
    if actor.guest_identity is None or not config.current().guests:
        raise errors.Unauthenticated
    return actor.guest_identity


async def open(actor: Actor) -> Conversation:  # noqa: A001 - read as guests.open
    """The guest's chat, be it empty.

    Raises:
        errors.Unauthenticated: There are no guests here.
        errors.RedisUnavailable: Redis does not answer.
    """
    return await store.read(identity(actor))


async def send(
    actor: Actor, chat_id: UUID, text: str, *, mode: Mode = Mode.QUICK, question_id: UUID | None = None
) -> None:
    """Asks a question, whose answer a model for speed writes, whatever the browser asks for.

    Args:
        actor: The guest.
        chat_id: Their chat.
        text: The question, 1-32,000 characters.
        mode: How the answer is looked for.
        question_id: The id that it gets (`runs.id_of`); None for a new one.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.NotFound: This is not their chat.
        errors.Conflict: An answer is still being written, the chat was kept, or the question was sent already.
        errors.LimitReached: No more questions for a while, or for this chat; nothing was kept.
        errors.RedisUnavailable: Nobody can say whether they may; nothing was kept.
    """
    text = starting.question(text)
    choice = model_service.select(mode, Kind.SPEED, speed_only=True)
    if question_id is not None and any(row.id == question_id for row in (await open(actor)).rows):
        raise once.refusal()
    async for chat in _tries(actor, chat_id):
        if len(chat.rows) + 2 > MOST_MESSAGES or chat.size_bytes > MOST_BYTES:
            raise errors.LimitReached(texts.english("guest.refused_long"), resets_in_seconds=0)
        await _count(chat)
        for row in chat.rows:
            if row.status is MessageStatus.WAITING:
                row.parts, row.details = waiting.given_up(row)
                row.status, row.answers, row.updated_at = MessageStatus.COMPLETED, None, utc_now()
        last = chat.rows[-1].id if chat.rows else None
        asked = [{"type": "text", "text": text}]
        question = models.Message(
            id=question_id or uuid4(), chat_session_id=chat_id, parent_id=last, role=MessageRole.USER, parts=asked
        )
        answer = models.Message(chat_session_id=chat_id, parent_id=question.id, role=MessageRole.ASSISTANT)
        starting.pend(answer, choice)
        chat.rows += [question, answer]
        if await _begun(chat, answer):
            return


async def retry(actor: Actor, message_id: UUID) -> None:
    """Answers the last question again, in the place of an answer that has ended.

    Raises:
        errors.NotFound: There is no such answer.
        errors.Conflict: It is not the last one, or one is being written.
        errors.LimitReached: No more questions for a while; the old answer stays.
        errors.RedisUnavailable: It cannot be started; the old answer stays.
    """
    async for chat in _tries(actor):
        answer = _answer(chat, message_id)
        if chat.rows[-1] is not answer:
            raise errors.Conflict(texts.english("errors.only_last_answer"))
        await _count(chat)
        old_run = answer.workflow_run_id
        mode = Mode(str(answer.details.get("searchMode") or Mode.QUICK))
        starting.pend(answer, model_service.select(mode, Kind.SPEED, speed_only=True))
        answer.updated_at = utc_now()
        if await _begun(chat, answer):
            if old_run is not None:
                await streams.delete(old_run)
            return


async def answer(actor: Actor, message_id: UUID, call_id: str, given: dict[str, Any]) -> None:
    """Answers what an answer waits for; it goes on when nothing is open any more (`runs.answer`).

    Raises:
        errors.Invalid: It does not fit.
        errors.NotFound: There is no such answer or call.
        errors.Conflict: It waits no longer, or this call has been answered.
        errors.LimitReached: No more questions for a while; it waits on.
        errors.RedisUnavailable: It cannot go on; nothing was kept.
    """
    async for chat in _tries(actor):
        row = _answer(chat, message_id)
        if row.status is not MessageStatus.WAITING:
            raise errors.Conflict(texts.english("errors.answered_already"))
        row.updated_at = utc_now()
        if waiting.take(row, call_id, given):
            await _count(chat)
            waiting.go_on(row)
            if await _begun(chat, row):
                return
        elif await store.write(chat):
            await tell(chat.guest)
            return


async def stop(actor: Actor, run_id: UUID) -> None:
    """Asks a run to stop.

    Raises:
        errors.NotFound: It is none of this guest's.
        errors.RedisUnavailable: The request cannot be passed on.
    """
    if (await result(actor, run_id)).unfinished:
        await streams.request_stop(run_id)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The answer of a run.

    Raises:
        errors.NotFound: It is none of this guest's. Every path to a run goes through here.
    """
    row = (await open(actor)).answer_of(run_id)
    if row is None:
        raise errors.NotFound("answer")
    return chats.message_of(row)


async def forget(guest: Guest) -> None:
    """Forgets a guest's chat at once, and ends what is being written in it.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    for run_id in await store.delete(guest):
        await streams.delete(run_id)
    await tell(guest)


async def watch(actor: Actor, *, every_seconds: float) -> AsyncGenerator[bool]:
    """Tells a page when to look again: True at the beginning and when something has changed, else after some time.

    Raises:
        errors.Unauthenticated: There are no guests here.
    """
    async with events.subscribe([events.chat(identity(actor).chat_id)]) as subscription:
        yield True
        while True:
            yield bool(await subscription.changed(within_seconds=every_seconds))


async def tell(guest: Guest) -> None:
    """Has the guest's open pages look again."""
    await events.publish([events.chat(guest.chat_id)])


async def _tries(actor: Actor, chat_id: UUID | None = None) -> AsyncGenerator[Conversation]:
    """The guest's chat for a change, read again as long as somebody else was faster in writing it.

    Raises:
        errors.NotFound: It is another chat than the one that is meant.
        errors.Conflict: An answer is being written, the chat is kept by now, or others were faster again and again.
    """
    guest = identity(actor)
    if chat_id is not None and chat_id != guest.chat_id:
        raise errors.NotFound("chat")
    for _ in range(3):
        try:
            chat = await store.read(guest)
        except errors.RedisUnavailable:
            log.warning("Redis does not answer, so that a guest is refused")
            raise
        # Where it asks from is the request's, and not kept.
        chat.guest = guest
        if chat.keeper is not None:
            raise errors.Conflict(texts.english("guest.refused_kept"))
        if chat.unfinished is not None:
            raise errors.Conflict(texts.english("errors.still_answering"))
        yield chat
    raise errors.Conflict(texts.english("errors.still_answering"))


def _answer(chat: Conversation, message_id: UUID) -> models.Message:
    row = next((row for row in chat.rows if row.id == message_id), None)
    if row is None or row.role is not MessageRole.ASSISTANT:
        raise errors.NotFound("answer")
    return row


async def _count(chat: Conversation) -> None:
    """Counts a question, by the guest's cookie and by where it comes from (decision 13).

    Raises:
        errors.LimitReached: There were as many as there may be within a day.
        errors.RedisUnavailable: Nobody can say, and a stranger is not let through.
    """
    wait = math.ceil(await rates.take_each(_limits(chat.guest), seconds=DAY_SECONDS))
    if wait:
        message = texts.english("guest.refused_limit", span=dates.span(wait))
        raise errors.LimitReached(message, resets_in_seconds=wait)


def _limits(guest: Guest) -> dict[str, int]:
    settings = config.current()
    return {
        f"guest:{guest.id}": settings.guest_questions,
        f"guest-address:{guest.address}": settings.questions_per_address,
    }


async def _begun(chat: Conversation, row: models.Message) -> bool:
    """Keeps an answer that begins, and has a worker write it; False where the chat has to be read again."""
    begun = False
    try:
        begun = await store.write(chat, begun=row.workflow_run_id)
    finally:
        if not begun:
            await rates.give_back(_limits(chat.guest))
    if not begun:
        return False
    try:
        await redis.enqueue_respond(str(row.workflow_run_id), 1)
    except errors.RedisUnavailable:
        log.warning("run %s was kept and could not be enqueued; a worker will find it", row.workflow_run_id)
    await tell(chat.guest)
    return True
