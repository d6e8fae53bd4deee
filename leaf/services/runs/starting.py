"""What all beginnings of an answer have in common: what is asked first, the rows, and the job."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from sqlmodel import col, select

from leaf import catalog, errors, parts, redis, texts
from leaf.catalog import Choice
from leaf.client_tools import Declared
from leaf.db import models, storable
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats, security, usage
from leaf.services import models as model_service
from leaf.telemetry import tracing

log = logging.getLogger(__name__)

MESSAGE_CHARACTERS = 32_000


@dataclass(frozen=True)
class Turn:
    """A question and the answer that is on its way."""

    user: chats.Message
    assistant: chats.Message
    title: str
    chat_id: UUID


@dataclass(frozen=True)
class Beginning:
    """An answer that is about to begin, in a transaction that holds the chat's lock."""

    tx: Transaction
    chat: models.ChatSession
    allowance: usage.Allowance
    tools: Declared | None = None
    """Tools that run at the caller."""

    def ask(
        self, asked: list[parts.Part], choice: Choice, parent_id: UUID | None, question_id: UUID | None = None
    ) -> tuple[models.Message, models.Message]:
        """Adds a question and its pending answer.

        Args:
            asked: The parts of the question (`wording`).
            choice: What it is answered with.
            parent_id: The answer that it follows; None at the chat's beginning.
            question_id: The id that the question gets; None for a new one.
        """
        row = models.Message(
            id=question_id or uuid4(),
            chat_session_id=self.chat.id,
            parent_id=parent_id,
            role=MessageRole.USER,
            parts=asked,
            user_id=self.tx.actor.user_id,
        )
        self.tx.session.add(row)
        return row, self.answer(row, choice)

    def answer(self, question: models.Message, choice: Choice) -> models.Message:
        """Adds a pending answer to a question."""
        row = models.Message(
            chat_session_id=self.chat.id,
            parent_id=question.id,
            role=MessageRole.ASSISTANT,
            user_id=self.tx.actor.user_id,
        )
        self.pend(row, choice)
        self.tx.session.add(row)
        return row

    def pend(self, answer: models.Message, choice: Choice) -> None:
        """Has a new run write an answer, from its beginning."""
        pend(answer, choice)
        answer.client_tools = self.tools.model_dump(mode="json") if self.tools is not None else None
        self.reserve(answer)

    def reserve(self, answer: models.Message) -> None:
        """Sets aside for an answer what it may use of its asker's budgets."""
        answer.reserved_tokens, answer.reserved_usd = self.allowance.tokens, self.allowance.usd


def pend(answer: models.Message, choice: Choice) -> None:
    """Makes of the row of an answer one that a new run writes from its beginning."""
    answer.workflow_run_id = run_id = uuid4()
    answer.status, answer.model = MessageStatus.PENDING, choice.model
    answer.parts, answer.details, answer.model_messages = [], _details(choice, run_id), None
    answer.answers = answer.error_code = answer.error_text = None
    answer.client_calls = answer.client_due_at = None


@asynccontextmanager
async def beginning(actor: Actor, chat_id: UUID, tools: Declared | None = None) -> AsyncGenerator[Beginning]:
    """A transaction in which an answer may begin: the chat's only one.

    Args:
        actor: Who asks.
        chat_id: The chat.
        tools: Those that run at the caller.

    Raises:
        errors.NotFound: There is no such chat for this person.
        errors.Conflict: An answer is still being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while.
        errors.RedisUnavailable: No answer can be started.
    """
    await ready()
    try:
        await usage.throttle(actor)
        async with transaction(actor) as tx:
            # The person first and then the chat, as everybody does: each would wait for the other else.
            allowance = await usage.reserve(tx, actor)
            chat = await chats.find(tx, chat_id, lock=True)
            if await is_busy(tx, chat_id):
                raise errors.Conflict(texts.english("errors.still_answering"))
            yield Beginning(tx, chat, allowance, tools)
            await _tell_others(tx, chat_id)
    except errors.LimitReached as error:
        await security.limit_reached(actor, error.code)
        raise


async def _tell_others(tx: Transaction, chat_id: UUID) -> None:
    """Has the lists of the other participants show that something is being written; `begin` tells the actor's own."""
    query = select(models.ChatParticipant.user_id).where(
        col(models.ChatParticipant.chat_session_id) == chat_id,
        col(models.ChatParticipant.user_id) != tx.actor.user_id,
    )
    topics = [events.user(user_id) for user_id in (await tx.session.exec(query)).all()]
    if topics:
        tx.after_commit(lambda: events.publish(topics))


async def chat_of(actor: Actor, message_id: UUID, role: MessageRole) -> UUID:
    """The chat of a question or an answer.

    Raises:
        errors.NotFound: There is no such one for this person.
    """
    async with transaction(actor, read_only=True) as tx:
        found = await tx.session.get(models.Message, message_id)
    if found is None or found.role is not role:
        raise errors.NotFound("answer" if role is MessageRole.ASSISTANT else "question")
    return found.chat_session_id


def question(text: str) -> str:
    """A question as it is stored.

    Raises:
        errors.Invalid: It is empty or too long.
    """
    text = storable.text(text.replace("\0", "")).strip()
    if not text:
        raise errors.Invalid(texts.english("errors.write_first"), field="text")
    if len(text) > MESSAGE_CHARACTERS:
        raise errors.Invalid(
            texts.english("errors.message_too_long", length=len(text), most=MESSAGE_CHARACTERS),
            field="text",
        )
    return text


def choice_of(answer: models.Message, model: str | None) -> Choice:
    """What an answer is written again with: its own mode and type, and the model that is named or the usual one."""
    choice = model_service.select(*catalog.chosen(answer.details.get("searchMode"), answer.details.get("modelType")))
    return replace(choice, model=model) if model else choice


def _details(choice: Choice, run_id: UUID) -> dict[str, Any]:
    chosen = {"searchMode": choice.mode.value, "modelType": choice.kind.value, "modelId": choice.model}
    return chosen | {"traceId": tracing.trace_id(run_id)}


async def ready() -> None:
    """Asks Redis before anything is stored: without it no answer would come."""
    with redis.guard():
        await redis.client().execute_command("PING")


async def is_busy(tx: Transaction, chat_id: UUID) -> bool:
    """Whether an answer is being written in a chat, on whichever branch."""
    query = select(models.Message.id).where(
        col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(chats.UNFINISHED)
    )
    return (await tx.session.exec(query.limit(1))).first() is not None


async def begin(actor: Actor, answer: models.Message) -> None:
    """Enqueues the job of an answer. If Redis has gone away since the commit, a worker finds the pending row later."""
    try:
        await redis.enqueue_respond(str(answer.workflow_run_id), 1)
    except errors.RedisUnavailable:
        log.warning("run %s was stored and could not be enqueued; a worker will find it", answer.workflow_run_id)
    if actor.user_id is not None:
        await events.publish([events.chat(answer.chat_session_id), events.user(actor.user_id)])
