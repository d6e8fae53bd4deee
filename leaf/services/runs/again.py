"""Answers that are written once more, in their own place or beside what there is, and those that go on."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from sqlmodel import col, exists, select

from leaf import client_tools, errors, streams, texts
from leaf.client_tools import Declared
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction
from leaf.services import chats
from leaf.services import models as model_service
from leaf.services.runs import starting, waiting
from leaf.services.runs.starting import Beginning, Turn

THE_SAME: Final = Declared()
"""In place of tools that run at the caller: those that an answer was written with before."""


async def retry(actor: Actor, message_id: UUID, *, model: str | None = None) -> Turn:
    """Answers the same question again, in the place of an answer that has ended: nothing of that one stays.

    It may use the same tools at its caller as before, who has to be there for them.

    Args:
        actor: Whoever asked.
        message_id: The answer.
        model: One of the models that are offered; the one for the answer's mode and type where none is given.

    Raises:
        errors.NotFound: The model is not offered, or there is no such answer for this person.
        errors.Forbidden: Somebody else asked.
        errors.Conflict: Something follows it, or an answer is being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while; the old one stays.
        errors.RedisUnavailable: The answer cannot be started; the old one stays.
    """
    named = model_service.chosen(model).id if model else None
    chat_id = await starting.chat_of(actor, message_id, MessageRole.ASSISTANT)
    async with starting.beginning(actor, chat_id) as begun:
        await waiting.give_up(begun.tx, chat_id)
        row = await _own(begun.tx, message_id)
        if await _is_followed(begun.tx, message_id):
            raise errors.Conflict(texts.english("errors.only_last_answer"))
        question = await begun.tx.session.get_one(models.Message, row.parent_id)
        old_run = row.workflow_run_id
        _with_tools_of(row, begun, THE_SAME).pend(row, starting.choice_of(row, named))
    await starting.begin(actor, row)
    if old_run is not None:
        await streams.delete(old_run)
    return Turn(chats.message_of(question), chats.message_of(row), chats.title_of(begun.chat), chat_id)


async def regenerate(
    actor: Actor, message_id: UUID, *, model: str | None = None, tools: Declared | None = THE_SAME
) -> Turn:
    """Answers the same question once more, beside an answer that has ended, which stays with all that followed it.

    Args:
        actor: A participant of the chat, who looks at the new answer from then on.
        message_id: The answer.
        model: One of the models that are offered; the one for the answer's mode and type where none is given.
        tools: Those that run at the caller; unless something is given, those of the old answer if it was the actor's.

    Raises:
        errors.NotFound: The model is not offered, or there is no such answer for this person.
        errors.Conflict: An answer is still being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    named = model_service.chosen(model).id if model else None
    chat_id = await starting.chat_of(actor, message_id, MessageRole.ASSISTANT)
    async with starting.beginning(actor, chat_id) as begun:
        await waiting.give_up(begun.tx, chat_id)
        old = await begun.tx.session.get_one(models.Message, message_id)
        question = await begun.tx.session.get_one(models.Message, old.parent_id)
        answer = _with_tools_of(old, begun, tools).answer(question, starting.choice_of(old, named))
        await begun.tx.session.flush()
        await chats.look_at(begun.tx, chat_id, answer.id)
    await starting.begin(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), chats.title_of(begun.chat), chat_id)


async def proceed(actor: Actor, message_id: UUID) -> Turn:
    """Goes on with an answer that was stopped: the same message, behind what it has.

    Args:
        actor: Whoever asked.
        message_id: The answer.

    Raises:
        errors.NotFound: There is no such answer for this person.
        errors.Forbidden: Somebody else asked.
        errors.Conflict: It was not stopped, something follows it, or an answer is being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while.
        errors.RedisUnavailable: It cannot go on; nothing has changed.
    """
    chat_id = await starting.chat_of(actor, message_id, MessageRole.ASSISTANT)
    async with starting.beginning(actor, chat_id) as begun:
        row = await _own(begun.tx, message_id)
        if row.status is not MessageStatus.STOPPED or await _is_followed(begun.tx, message_id):
            raise errors.Conflict(texts.english("errors.only_stopped_answer"))
        await waiting.give_up(begun.tx, chat_id)
        question = await begun.tx.session.get_one(models.Message, row.parent_id)
        row.answers = {}
        if row.client_calls is not None:
            # The time that it has with tools at its caller begins anew, too.
            row.client_calls = {**row.client_calls, "began": datetime.now(UTC).isoformat()}
        begun.reserve(row)
        waiting.go_on(row)
    await starting.begin(actor, row)
    return Turn(chats.message_of(question), chats.message_of(row), chats.title_of(begun.chat), chat_id)


def _with_tools_of(row: models.Message, begun: Beginning, tools: Declared | None) -> Beginning:
    """A beginning with tools that run at the caller: if need be those of an earlier answer of the same person's."""
    if tools is THE_SAME:
        mine = row.user_id == begun.tx.actor.user_id
        tools = client_tools.stored(row.client_tools) if mine else None
    return replace(begun, tools=tools)


async def _own(tx: Transaction, message_id: UUID) -> models.Message:
    """An answer to a question of the actor's: only they may change it.

    Raises:
        errors.Forbidden: Somebody else asked.
    """
    row = await tx.session.get_one(models.Message, message_id)
    if row.user_id != tx.actor.user_id:
        raise errors.Forbidden(texts.english("sharing.refused_not_asker"))
    return row


async def _is_followed(tx: Transaction, message_id: UUID) -> bool:
    """Whether anything hangs on a message."""
    query = select(exists().where(col(models.Message.parent_id) == message_id))
    return bool((await tx.session.exec(query)).one())
