"""Ends answers that wait for a tool at the caller, because the call has timed out or the answer is stopped."""

from dataclasses import dataclass
from uuid import UUID

from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import chats
from leaf.services.runs import answer, calls, job

TOOL_TIMEOUT = "tool-timeout"
RUN_TIMEOUT = "run-timeout"
_AT_ONCE = 100


@dataclass(frozen=True)
class Overdue:
    """An answer that has waited too long."""

    message_id: UUID
    user_id: UUID


async def overdue() -> list[Overdue]:
    """Answers that have waited too long for a tool at their caller, the longest first; at most 100."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = (await tx.call("leaf_overdue_client_calls", _AT_ONCE)).all()
    return [Overdue(row.message_id, row.user_id) for row in rows]


async def expire(late: Overdue) -> bool:
    """Starts a run that ends an answer that has waited too long, with an explanation.

    Returns:
        False if the call was answered in the meantime.
    """
    actor = Actor.worker_for(late.user_id)
    async with transaction(actor) as tx:
        row = await tx.session.get(models.Message, late.message_id)
        if row is None:
            return False
        await chats.find(tx, row.chat_session_id, lock=True)
        await tx.session.refresh(row)
        call = calls.next_call(row)
        if call is None or not calls.is_due(row):
            return False
        code = RUN_TIMEOUT if calls.run_is_over(row) else TOOL_TIMEOUT
        row.answers = {**(row.answers or {}), call["toolCallId"]: {"overdue": code}}
        answer.go_on(row)
        tx.after_commit(job.enqueue, row)
        tx.after_commit(events.publish, [events.chat(row.chat_session_id), events.chats_of(late.user_id)])
    return True


def explanation(code: str, tool: str) -> errors.LeafError:
    """The error that the reader of an overdue answer sees.

    Args:
        code: TOOL_TIMEOUT or RUN_TIMEOUT.
        tool: The tool for which the answer waited.
    """
    settings = config.current()
    if code == TOOL_TIMEOUT:
        text = texts.english("errors.tool_timeout", tool=tool, seconds=round(settings.client_tool_seconds))
    else:
        text = texts.english("errors.run_timeout", seconds=round(settings.client_run_seconds))
    return errors.LeafError(text, status=504, code=code)


async def abandon(actor: Actor, chat_id: UUID) -> bool:
    """Stops the answers of a chat that wait for a tool at the actor. Their text stays.

    Returns:
        Whether there was such an answer.
    """
    found = False
    async with transaction(actor) as tx:
        await chats.find(tx, chat_id, lock=True)
        query = select(models.Message).where(
            col(models.Message.chat_session_id) == chat_id,
            col(models.Message.status) == MessageStatus.WAITING,
            col(models.Message.user_id) == actor.user_id,
        )
        for row in (await tx.session.exec(query)).all():
            if calls.next_call(row) is None:
                continue
            found = True
            answer.close(row, MessageStatus.STOPPED)
        if found:
            tx.after_commit(events.publish, [events.chat(chat_id)])
    return found
