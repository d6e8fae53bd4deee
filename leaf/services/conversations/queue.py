"""Messages that wait for the end of the answer that is being written: who ends it sends the next one with it.

They are sent in order, whoever's they are, each in its writer's name. Nothing is sent after an answer that was stopped,
has failed, or waits for its reader: they wait on, until another answer is done or their writer sends them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text as sql
from sqlmodel import col, func, select

from leaf import catalog, errors, texts
from leaf.catalog import Kind, Mode
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts import Part, attached
from leaf.redis import events
from leaf.services import chats, usage
from leaf.services import models as model_service
from leaf.services.runs import asking, once, starting, waiting, wording
from leaf.services.runs.starting import Beginning, Turn

MOST = 20
"""So many messages of a person may wait in a chat."""
BUDGET = "budget"
"""A problem: nothing of the writer's budget was left when its turn came."""
_TRIES = 3


class QueueChanged(Exception):
    """The next message of a chat is somebody else's by now: the transaction has to begin anew, with their lock."""

    def __init__(self) -> None:
        super().__init__("somebody else's message is the next one")


@dataclass(frozen=True)
class Queued:
    """A message that waits; `parts` are those of the question that it becomes."""

    id: UUID
    chat_id: UUID
    parts: list[Part]
    problem: str = ""
    """`BUDGET`, or empty."""

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(str(part.get("text", "")) for part in self.parts)


async def say(
    actor: Actor,
    chat_id: UUID,
    text: str,
    *,
    extras: Mapping[str, Any] | None = None,
    mode: Mode = Mode.QUICK,
    kind: Kind = Kind.SPEED,
    question_id: UUID | None = None,
) -> Turn | Queued:
    """Sends a message, or has it wait where an answer is being written.

    Args:
        actor: A participant of the chat.
        chat_id: The chat.
        text: 1-32,000 characters.
        extras: The files that it names, or that come with it (`wording.of`).
        mode: How the answer is looked for.
        kind: Which type of model writes it, where there is a choice.
        question_id: The id that it gets (`once`); None for a new one.

    Raises:
        errors.Invalid: The text is empty or too long, or too many messages wait.
        errors.NotFound: There is no such chat for this person, or no such file in it.
        errors.Conflict: An answer waits for another participant, or the message was sent already.
        errors.LimitReached: The person may ask nothing more for a while.
        errors.RedisUnavailable: No answer can be started.
    """
    asked = wording.of(text, extras)
    for left in reversed(range(_TRIES)):
        if (queued := await _queue(actor, chat_id, asked, mode, kind, question_id)) is not None:
            return queued
        try:
            return await asking.send(actor, chat_id, text, extras=extras, mode=mode, kind=kind, question_id=question_id)
        except errors.Conflict as error:
            # Somebody else's answer may have begun between the two.
            if not left or error.code == once.SENT:
                raise
    raise errors.Conflict(texts.english("errors.still_answering"))


async def _queue(
    actor: Actor, chat_id: UUID, asked: wording.Wording, mode: Mode, kind: Kind, message_id: UUID | None
) -> Queued | None:
    """Has a message wait; None where nothing is being written that it could wait for."""
    if actor.user_id is None:
        raise errors.Unauthenticated
    async with transaction(actor) as tx:
        # Whoever ends the answer holds the same lock: this is seen by them, or they have ended it before.
        await chats.find(tx, chat_id, lock=True)
        if not await starting.is_busy(tx, chat_id):
            return None
        await once.require_new(tx, message_id)
        await wording.require_files(tx, chat_id, asked.paths)
        mine = select(func.count()).where(*_mine(actor, chat_id))
        if (await tx.session.exec(mine)).one() >= MOST:
            raise errors.Invalid(texts.english("errors.queue_full", most=MOST), field="text")
        await usage.throttle(actor)
        row = models.QueuedMessage(
            id=message_id or uuid4(),
            chat_session_id=chat_id,
            user_id=actor.user_id,
            parts=asked.parts(),
            search_mode=mode.value,
            model_type=kind.value,
        )
        tx.session.add(row)
        _tell(tx, chat_id)
    return _queued(row)


async def queued(actor: Actor, chat_id: UUID) -> list[Queued]:
    """The person's messages that wait in a chat, the next one first; none for strangers."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.QueuedMessage).where(*_mine(actor, chat_id)).order_by(col(models.QueuedMessage.position))
        return [_queued(row) for row in (await tx.session.exec(query)).all()]


async def rewrite(actor: Actor, queued_id: UUID, text: str) -> UUID:
    """Gives a message that waits other words; files stay as with `edit`.

    Returns:
        Its chat.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.NotFound: There is no such message: it may have been sent.
    """
    words = starting.question(text)
    async with transaction(actor) as tx:
        row = await _own(tx, queued_id)
        row.parts = [{"type": "text", "text": words}, *attached.kept(row.parts, words)]
        _tell(tx, row.chat_session_id)
    return row.chat_session_id


async def withdraw(actor: Actor, queued_id: UUID) -> UUID:
    """Takes a message out of the queue; returns its chat.

    Raises:
        errors.NotFound: There is no such message: it may have been sent.
    """
    async with transaction(actor) as tx:
        row = await _own(tx, queued_id)
        await tx.session.delete(row)
        _tell(tx, row.chat_session_id)
    return row.chat_session_id


async def release(actor: Actor, queued_id: UUID) -> Turn:
    """Sends a message that waits at once, where nothing is being written.

    Raises:
        errors.NotFound: There is no such message: it may have been sent.
        errors.Conflict: An answer is being written, or one waits for another participant.
        errors.LimitReached: The person may ask nothing more for a while; it waits on.
        errors.RedisUnavailable: No answer can be started; it waits on.
    """
    async with transaction(actor, read_only=True) as tx:
        chat_id = (await _own(tx, queued_id, lock=False)).chat_session_id
    async with starting.beginning(actor, chat_id) as begun:
        row = await _own(begun.tx, queued_id)
        await waiting.give_up(begun.tx, chat_id)
        end = await chats.end_of_path(begun.tx, chat_id)
        await waiting.require_none(begun.tx, end)
        question, answer = await _send(begun, row, end)
    await starting.begin(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), chats.title_of(begun.chat), chat_id)


async def writer_of_next(tx: Transaction, chat_id: UUID) -> UUID | None:
    """Whose message is the next one of a chat; None where none waits."""
    found = await _next(tx, chat_id)
    return found[1] if found is not None else None


async def follow_up(tx: Transaction, chat: models.ChatSession, writer: UUID | None) -> None:
    """Sends the next message of a chat whose answer has just been done, in the transaction that has ended it.

    Args:
        tx: A worker's transaction that holds the chat's lock, and `usage.lock` of the writer.
        chat: The chat.
        writer: Who `writer_of_next` has named before these locks.

    Raises:
        QueueChanged: It is somebody else's turn by now.
    """
    await tx.session.flush()
    if await _is_open(tx, chat.id):
        return
    while (found := await _next(tx, chat.id)) is not None:
        queued_id, user_id = found
        if user_id != writer:
            raise QueueChanged
        actor = Actor.worker_for(user_id)
        if tx.actor.user_id != user_id:
            await tx.go_on_as(actor)
        row = await _own(tx, queued_id)
        try:
            allowance = await usage.reserve(tx, actor)
        except errors.BudgetReached:
            row.problem = BUDGET
            await tx.session.flush()
            _tell(tx, chat.id)
            continue
        end = await chats.end_of_path(tx, chat.id)
        _, answer = await _send(Beginning(tx, chat, allowance), row, end)
        tx.after_commit(partial(starting.begin, actor, answer))
        return


async def _send(begun: Beginning, row: models.QueuedMessage, end: UUID | None) -> tuple[models.Message, models.Message]:
    choice = model_service.select(*catalog.chosen(row.search_mode, row.model_type))
    question, answer = begun.ask(row.parts, choice, end, row.id)
    await begun.tx.session.delete(row)
    await begun.tx.session.flush()
    return question, answer


async def _next(tx: Transaction, chat_id: UUID) -> tuple[UUID, UUID] | None:
    statement = sql("SELECT id, user_id FROM leaf_next_queued(:chat)")
    found = (await (await tx.session.connection()).execute(statement, {"chat": chat_id})).one_or_none()
    return (found.id, found.user_id) if found is not None else None


async def _is_open(tx: Transaction, chat_id: UUID) -> bool:
    """Whether something in a chat is being written, or waits for its reader."""
    statuses = (*chats.UNFINISHED, MessageStatus.WAITING)
    query = select(models.Message.id).where(
        col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(statuses)
    )
    return (await tx.session.exec(query.limit(1))).first() is not None


async def _own(tx: Transaction, queued_id: UUID, *, lock: bool = True) -> models.QueuedMessage:
    query = select(models.QueuedMessage).where(col(models.QueuedMessage.id) == queued_id)
    row = (await tx.session.exec(query.with_for_update() if lock else query)).one_or_none()
    if row is None:
        raise errors.NotFound("queued")
    return row


def _mine(actor: Actor, chat_id: UUID) -> tuple[Any, ...]:
    return col(models.QueuedMessage.chat_session_id) == chat_id, col(models.QueuedMessage.user_id) == actor.user_id


def _tell(tx: Transaction, chat_id: UUID) -> None:
    tx.after_commit(lambda: events.publish([events.chat(chat_id)]))


def _queued(row: models.QueuedMessage) -> Queued:
    return Queued(row.id, row.chat_session_id, row.parts, row.problem or "")
