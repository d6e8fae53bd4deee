"""Conversations of guests, stored in Redis until they expire (`store.Store`)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from leaf import config, errors, parts, texts
from leaf.config import catalog
from leaf.db import models
from leaf.db.actor import Actor, Guest
from leaf.db.models import MessageRole, MessageStatus, utc_now
from leaf.services import chats, runs
from leaf.services.conversations import postgres
from leaf.services.conversations.store import (
    Draft,
    NamedChat,
    Quota,
    Turn,
    id_of,
    sent_already,
    still_answering,
)
from leaf.services.guests.chat import Conversation, notify_pages, of_run, read, require_guest, unfinished, write
from leaf.services.runs import Assignment, Outcome
from leaf.services.runs import answer as answers
from leaf.texts import dates

log = logging.getLogger(__name__)

__all__ = [
    "active", "announce", "assignment", "change", "ended", "finish", "message_id", "open", "require", "result", "sent",
    "unfinished",
]  # fmt: skip

MOST_MESSAGES = 40
MOST_BYTES = 512 * 1024
"""A larger chat accepts no further question. An answer that exceeds the limit is stored."""
_ATTEMPTS = 3
"""The number of attempts to make a change before another change."""

T = TypeVar("T")


def _quota(guest: Guest) -> Quota:
    """The quota of a guest's questions, counted by the guest's cookie and by their address (decision 0028).

    The numbers are the settings `LEAF_GUEST_QUESTIONS` and `LEAF_GUEST_ADDRESS_QUESTIONS`.
    """
    settings = config.current()
    limits = {
        f"guest:{guest.id}": settings.guest_questions,
        f"guest-address:{guest.address}": settings.questions_per_address,
    }
    return Quota(limits, _over_quota)


def _over_quota(seconds: int) -> errors.LimitReached:
    text = texts.english("guest.refused_limit", span=dates.span(seconds))
    return errors.LimitReached(text, resets_in_seconds=seconds)


class GuestDraft(Draft):
    """A guest's chat that is open for a change.

    Args:
        chat: The chat, as read from Redis.
    """

    def __init__(self, chat: Conversation) -> None:
        super().__init__(chat.guest.chat_id)
        self.chat = chat
        self.counted = False

    async def is_busy(self) -> bool:
        return self.chat.unfinished is not None

    async def require_new(self, message_id: UUID | None) -> None:
        if message_id is not None and await self.row(message_id) is not None:
            raise sent_already()

    async def require_last(self, message_id: UUID, refusal: str) -> None:
        if self.chat.rows[-1].id != message_id:
            raise errors.Conflict(refusal)

    async def row(self, message_id: UUID) -> models.Message | None:
        return next((row for row in self.chat.rows if row.id == message_id), None)

    async def waiting(self) -> Sequence[models.Message]:
        return [row for row in self.chat.rows if row.status is MessageStatus.WAITING]

    async def end(self) -> UUID | None:
        if len(self.chat.rows) + 2 > MOST_MESSAGES or self.chat.size_bytes > MOST_BYTES:
            raise errors.LimitReached(texts.english("guest.refused_long"), resets_in_seconds=0)
        return self.chat.rows[-1].id if self.chat.rows else None

    async def admit(self, *, is_question: bool = True) -> None:  # noqa: ARG002 - guests have no tools of their own
        await _quota(self.chat.guest).take()
        self.counted = True

    async def store(self, *rows: models.Message) -> None:
        known = {row.id for row in self.chat.rows}
        for row in rows:
            row.updated_at = utc_now()
            if row.id not in known:
                self.chat.rows.append(row)

    async def write(self) -> bool:
        """Writes the change, then enqueues the run and notifies pages. Returns False if another change came first."""
        if not await write(self.chat, begun=self.begun.workflow_run_id if self.begun is not None else None):
            return False
        if self.begun is not None:
            await runs.enqueue(self.begun)
        for callback in self.callbacks:
            await callback()
        await notify_pages(self.chat.guest)
        return True


async def change(
    actor: Actor,
    work: Callable[[Draft], Awaitable[T]],
    *,
    chat: UUID | NamedChat | None = None,
    message_id: UUID | None = None,  # noqa: ARG001 - a guest has one chat
    quota: Quota | None = None,  # noqa: ARG001 - guests have a quota of their own
    with_files: bool = False,  # noqa: ARG001 - guests have no files
) -> T:
    """Makes one change to the guest's chat. If another change came first, reads the chat again and retries.

    Raises:
        errors.NotFound: The chat is not the guest's.
        errors.Conflict: A member keeps the chat, or other changes came first at every attempt.
        errors.LimitReached: The guest may not ask for a while.
        errors.RedisUnavailable: Redis does not answer; nothing was stored.
    """
    guest = require_guest(actor)
    if chat not in {None, guest.chat_id}:
        raise errors.NotFound("chat")
    for _ in range(_ATTEMPTS):
        try:
            kept = await read(guest)
        except errors.RedisUnavailable:
            log.warning("Redis does not answer; a guest is refused")
            raise
        # The address comes from the request and is not stored.
        kept.guest = guest
        if kept.keeper is not None:
            raise errors.Conflict(texts.english("guest.refused_kept"))
        draft, is_written = GuestDraft(kept), False
        try:
            result = await work(draft)
            is_written = await draft.write()
        finally:
            if draft.counted and not is_written:
                await _quota(guest).give_back()
        if is_written:
            return result
    raise still_answering()


async def require(actor: Actor, chat_id: UUID) -> None:
    """Raises errors.NotFound if the chat is not the guest's."""
    if chat_id != require_guest(actor).chat_id:
        raise errors.NotFound("chat")


async def open(actor: Actor, chat_id: UUID, *, known: chats.Chat | None = None) -> chats.Chat:  # noqa: A001, ARG001 - as of other stores
    """The guest's chat, even if it is empty.

    Raises:
        errors.NotFound: The chat is not the guest's, or a member has adopted it.
        errors.Unauthenticated: Leaf has no guests.
        errors.RedisUnavailable: Redis does not answer.
    """
    return (await read(require_guest(actor))).as_chat(chat_id)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The answer of a run.

    Raises:
        errors.NotFound: The run is not this guest's. Every access to a run is checked here.
    """
    row = errors.found((await read(require_guest(actor))).answer_of(run_id), "answer")
    return chats.message_of(row)


async def active(actor: Actor, chat_id: UUID) -> Turn | None:
    """The turn whose answer is being written; None if no answer is being written."""
    await require(actor, chat_id)
    rows = (await read(require_guest(actor))).rows
    if not rows or rows[-1].status not in chats.UNFINISHED:
        return None
    asked, answer = rows[-2:]
    return Turn(chats.message_of(asked), chats.message_of(answer), "", chat_id, asked.parent_id)


async def ended(actor: Actor, chat_id: UUID, within: timedelta) -> chats.Message | None:
    """The answer that ended last; None if it ended longer ago than `within`."""
    await require(actor, chat_id)
    rows = (await read(require_guest(actor))).rows
    return chats.message_of(rows[-1]) if rows and rows[-1].updated_at > utc_now() - within else None


def message_id(actor: Actor, key: object) -> UUID | None:
    """The id of a message that the guest's page sends under a key."""
    return id_of(actor.guest_identity.chat_id, key) if actor.guest_identity is not None else None


async def sent(actor: Actor, key: str) -> UUID | None:
    """The id of the guest's chat if it has the message that was sent under a key, else None."""
    chat, found = await read(require_guest(actor)), message_id(actor, key)
    return chat.guest.chat_id if any(row.id == found for row in chat.rows) else None


async def assignment(run_id: UUID) -> Assignment | None:
    """Everything that a worker needs for a guest's run; None if the run is not a guest's, is gone, or has ended.

    If a member has adopted the chat, the run belongs to that member (`postgres.assignment`).

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    chat = await of_run(run_id)
    answer = chat.unfinished if chat is not None else None
    if chat is None or answer is None or answer.workflow_run_id != run_id:
        return None
    earlier = chat.rows[:-1]
    model, details = answers.model_of(answer)
    questions = [parts.question_text(row.parts) for row in earlier if row.role is MessageRole.USER]
    offering = [part for row in earlier for part in row.parts if part.get("type") in parts.OFFERING]
    turns = [row for row in earlier if row.model_messages]
    return Assignment(
        actor=Actor.guest(chat.guest),
        run_id=run_id,
        message_id=answer.id,
        chat_id=chat.guest.chat_id,
        model=model,
        mode=catalog.chosen(answer.details.get("searchMode"), None)[0],
        details=details,
        question=questions[-1],
        untitled=False,
        waited=answers.waited(answer, details),
        history=[row.model_messages for row in turns if row.model_messages],
        turns=[row.id for row in turns],
        suggested=parts.suggested(questions, offering),
    )


async def finish(task: Assignment, outcome: Outcome) -> bool:
    """Stores the outcome of a guest's run. If a member has adopted the chat, stores the outcome for that member.

    Returns:
        False if the answer is gone, or had already ended.

    Raises:
        errors.DatabaseUnavailable: A member has adopted the chat, and the database does not answer.
        errors.RedisUnavailable: Redis does not answer.
    """
    while True:
        chat = await of_run(task.run_id)
        if chat is None:
            return False
        if chat.adopted and chat.keeper is not None:
            return await postgres.finish(replace(task, actor=Actor.worker_for(chat.keeper)), outcome)
        answer = chat.unfinished
        if answer is None or answer.workflow_run_id != task.run_id:
            return False
        answers.settle(answer, task.model, outcome)
        answer.updated_at = utc_now()
        if await write(chat, ended=task.run_id):
            return True


async def announce(task: Assignment) -> None:
    """Notifies open pages of the end of a run."""
    if task.actor.guest_identity is not None:
        await notify_pages(task.actor.guest_identity)
    chat = await of_run(task.run_id)
    if chat is not None and chat.adopted and chat.keeper is not None:
        await postgres.announce(replace(task, actor=Actor.worker_for(chat.keeper)))
