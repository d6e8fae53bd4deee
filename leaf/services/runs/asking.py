"""What people do with runs: ask, try again, stop, follow, watch."""

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from sqlmodel import col, select

from leaf import catalog, errors, events, redis, streams, texts, tracing
from leaf.catalog import Choice, Kind, Mode
from leaf.db import models, storable
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, transaction
from leaf.parts import Chunk
from leaf.services import chats, usage
from leaf.services import models as model_service
from leaf.services.runs import waiting

log = logging.getLogger(__name__)

MESSAGE_CHARACTERS = 32_000


@dataclass(frozen=True)
class Turn:
    """A question and the answer that is on its way."""

    user: chats.Message
    assistant: chats.Message
    title: str


async def send(actor: Actor, chat_id: UUID, text: str, *, mode: Mode = Mode.QUICK, kind: Kind = Kind.SPEED) -> Turn:
    """Stores a question and starts its answer.

    Args:
        actor: A participant of the chat.
        chat_id: The chat.
        text: The question, 1-32,000 characters.
        mode: How the answer is looked for.
        kind: Which type of model writes it, where there is a choice.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.NotFound: There is no such chat for this person.
        errors.Conflict: An answer is still being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    text = _question(text)
    await _ready()
    await usage.throttle(actor)
    async with transaction(actor) as tx:
        allowance = await usage.reserve(tx, actor)
        chat = await chats.find(tx, chat_id, lock=True)
        if await _unfinished(tx.session, chat_id):
            raise errors.Conflict("Leaf is still answering in this chat. Wait for it, or stop it first.")
        await waiting.give_up(tx, actor, chat_id)
        question, answer = _rows(chat.id, actor, text, model_service.select(mode, kind))
        answer.reserved_tokens, answer.reserved_usd = allowance.tokens, allowance.usd
        tx.session.add_all([question, answer])
    title = chats.title_of(chat) if chat.title else " ".join(text.split())[:80]
    await _start(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), title)


async def retry(actor: Actor, message_id: UUID, *, model: str | None = None) -> Turn:
    """Answers the same question again, in the place of an answer that has ended.

    Args:
        actor: A participant of the chat.
        message_id: The answer.
        model: One of the models that are offered; the one for the answer's mode and type where none is given.

    Raises:
        errors.NotFound: The model is not offered, or there is no such answer for this person.
        errors.Conflict: It is not the chat's last message, or it is still being written.
        errors.LimitReached: The person may ask nothing more for a while; the old one stays.
        errors.RedisUnavailable: The answer cannot be started; the old one stays.
    """
    named = model_service.chosen(model).id if model else None
    await _ready()
    await usage.throttle(actor)
    async with transaction(actor) as tx:
        allowance = await usage.reserve(tx, actor)
        found = await tx.session.get(models.Message, message_id)
        if found is None or found.role is not MessageRole.ASSISTANT:
            raise errors.NotFound("answer")
        chat = await chats.find(tx, found.chat_session_id, lock=True)
        query = (
            select(models.Message)
            .where(col(models.Message.chat_session_id) == chat.id)
            .order_by(col(models.Message.position).desc())
            .limit(2)
            # Somebody else may have retried while the lock was waited for: what was read before that is stale.
            .execution_options(populate_existing=True)
        )
        last, question = (*(await tx.session.exec(query)).all(), None)[:2]
        if last is None or question is None or last.id != message_id or last.status in chats.UNFINISHED:
            raise errors.Conflict("Only the last answer of a chat can be written again, once it has ended.")
        if last.user_id != actor.user_id:
            raise errors.Forbidden(texts.english("sharing.refused_not_asker"))
        old_run = last.workflow_run_id
        last.workflow_run_id = run_id = uuid4()
        last.status = MessageStatus.PENDING
        choice = _choice_of(last, named)
        last.parts, last.details, last.model_messages = [], _details(choice, run_id), None
        last.answers = last.error_code = last.error_text = None
        last.model = choice.model
        last.reserved_tokens, last.reserved_usd = allowance.tokens, allowance.usd
    await _start(actor, last)
    if old_run is not None:
        await streams.delete(old_run)
    return Turn(chats.message_of(question), chats.message_of(last), chats.title_of(chat))


async def answer(actor: Actor, message_id: UUID, call_id: str, given: dict[str, Any]) -> bool:
    """Answers what an answer waits for; it goes on when nothing is open any more.

    Args:
        actor: Whoever asked the question of this turn.
        message_id: The answer that waits.
        call_id: The tool call that waits.
        given: For a question see `questions.answered`; for a call that has to be allowed `{"approved": bool}`.

    Returns:
        Whether it goes on.

    Raises:
        errors.Invalid: It does not fit.
        errors.NotFound: There is no such answer or call for this person.
        errors.Conflict: It waits no longer, or this call has been answered.
        errors.RedisUnavailable: The answer cannot go on; nothing was stored.
    """
    await _ready()
    row = await waiting.record(actor, message_id, call_id, given)
    if row.status is MessageStatus.WAITING:
        await events.publish([events.chat(row.chat_session_id)])
        return False
    await _start(actor, row)
    return True


async def stop(actor: Actor, run_id: UUID) -> None:
    """Asks a run to stop. May be called again, and after its end.

    Raises:
        errors.NotFound: There is no such run for this person.
        errors.RedisUnavailable: The request cannot be passed on.
    """
    message = await result(actor, run_id)
    if message.unfinished:
        await streams.request_stop(run_id)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The stored answer of a run.

    Raises:
        errors.NotFound: There is no such run for this person. Every path to a run goes through here.
    """
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Message).where(col(models.Message.workflow_run_id) == run_id)
        row = (await tx.session.exec(query)).one_or_none()
    if row is None:
        raise errors.NotFound("answer")
    return chats.message_of(row)


async def follow(actor: Actor, run_id: UUID, start_index: int = 0) -> AsyncGenerator[list[Chunk]]:
    """The chunks of a run from an index on, in batches, until the run ends.

    It ends without a `finish` chunk where the run's stream has expired: the answer is then in the database.

    Raises:
        errors.NotFound: There is no such run for this person.
        errors.RedisUnavailable: Redis stayed away.
    """
    await result(actor, run_id)

    async def live() -> bool:
        try:
            return (await result(actor, run_id)).unfinished
        except errors.DatabaseUnavailable:
            # Nobody can say that it has ended, and its chunks are in Redis: whoever reads them is not sent away.
            return True

    async for chunks in streams.follow(run_id, start_index, is_live=live):
        yield chunks


@dataclass(frozen=True)
class News:
    """What has changed since the last time: nothing of it where some time went by without news."""

    chat: bool = False
    """The open chat."""
    person: bool = False
    """The person's list of chats, their integrations, or their session."""


async def watch(actor: Actor, chat_id: UUID | None, *, every_seconds: float) -> AsyncGenerator[News]:
    """Tells a page when to look again.

    It says so once at the beginning, when it has begun to listen: what changed before that might be missed else.

    Args:
        actor: Who looks.
        chat_id: The chat that is open, if one is.
        every_seconds: After so long it yields even without news: the caller can see whether it is still wanted.

    Raises:
        errors.NotFound: There is no such chat for this person.
    """
    if actor.user_id is None:
        raise errors.Unauthenticated
    person = events.user(actor.user_id)
    chat = events.chat(chat_id) if chat_id is not None else ""
    if chat_id is not None:
        async with transaction(actor, read_only=True) as tx:
            await chats.find(tx, chat_id)
    async with events.subscribe(filter(None, (person, chat))) as subscription:
        yield News(chat=bool(chat), person=True)
        while True:
            changed = await subscription.changed(within_seconds=every_seconds)
            yield News(chat=chat in changed, person=person in changed)


def _question(text: str) -> str:
    text = storable.text(text.replace("\0", "")).strip()
    if not text:
        raise errors.Invalid("Please write something first.", field="text")
    if len(text) > MESSAGE_CHARACTERS:
        raise errors.Invalid(
            f"This message has {len(text):,} characters; at most {MESSAGE_CHARACTERS:,} are possible. "
            "Put long text into a file in your Drive and ask about it.",
            field="text",
        )
    return text


async def _ready() -> None:
    """Asks Redis before anything is stored: without it no answer would come."""
    with redis.guard():
        await redis.client().execute_command("PING")


def _rows(chat_id: UUID, actor: Actor, text: str, choice: Choice) -> tuple[models.Message, models.Message]:
    run_id = uuid4()
    question = models.Message(
        chat_session_id=chat_id,
        role=MessageRole.USER,
        parts=[{"type": "text", "text": text}],
        user_id=actor.user_id,
    )
    answer = models.Message(
        chat_session_id=chat_id,
        role=MessageRole.ASSISTANT,
        status=MessageStatus.PENDING,
        workflow_run_id=run_id,
        user_id=actor.user_id,
        model=choice.model,
        details=_details(choice, run_id),
    )
    return question, answer


def _details(choice: Choice, run_id: UUID) -> dict[str, Any]:
    chosen = {"searchMode": choice.mode.value, "modelType": choice.kind.value, "modelId": choice.model}
    return chosen | {"traceId": tracing.trace_id(run_id)}


def _choice_of(answer: models.Message, model: str | None) -> Choice:
    """What an answer is written again with: its own mode and type, and the model that is named or the usual one."""
    choice = model_service.select(*catalog.chosen(answer.details.get("searchMode"), answer.details.get("modelType")))
    return replace(choice, model=model) if model else choice


async def _unfinished(session: Any, chat_id: UUID) -> bool:
    query = select(models.Message.id).where(
        col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(chats.UNFINISHED)
    )
    return (await session.exec(query.limit(1))).first() is not None


async def _start(actor: Actor, answer: models.Message) -> None:
    """Enqueues the job of an answer. If Redis has gone away since the commit, a worker finds the pending row later."""
    try:
        await redis.enqueue_respond(str(answer.workflow_run_id), 1)
    except errors.RedisUnavailable:
        log.warning("run %s was stored and could not be enqueued; a worker will find it", answer.workflow_run_id)
    if actor.user_id is not None:
        await events.publish([events.chat(answer.chat_session_id), events.user(actor.user_id)])
