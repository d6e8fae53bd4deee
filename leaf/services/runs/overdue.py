"""Calls of tools at the caller whose time is up, and answers that are given up while they wait for one."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text as sql
from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import chats
from leaf.services.runs import calling, starting, waiting

TOOL_TIMEOUT = "tool-timeout"
RUN_TIMEOUT = "run-timeout"
_AT_ONCE = 100


@dataclass(frozen=True)
class Overdue:
    """An answer that has waited too long."""

    message_id: UUID
    user_id: UUID


async def overdue() -> list[Overdue]:
    """Answers that have waited too long for their caller, the longest first; 100 at most."""
    async with transaction(Actor.system(), read_only=True) as tx:
        connection = await tx.session.connection()
        query = sql("SELECT message_id, user_id FROM leaf_overdue_client_calls(:most)")
        rows = (await connection.execute(query, {"most": _AT_ONCE})).all()
    return [Overdue(row.message_id, row.user_id) for row in rows]


async def expire(late: Overdue) -> bool:
    """Has an answer that has waited too long end with an explanation, in a run of its own.

    Returns:
        False where its call was answered in the meantime.
    """
    actor = Actor.worker_for(late.user_id)
    async with transaction(actor) as tx:
        row = await tx.session.get(models.Message, late.message_id)
        if row is None:
            return False
        await chats.find(tx, row.chat_session_id, lock=True)
        await tx.session.refresh(row)
        call = calling.next_call(row)
        if call is None or not calling.is_due(row):
            return False
        code = RUN_TIMEOUT if calling.run_is_over(row) else TOOL_TIMEOUT
        row.answers = {**(row.answers or {}), call["toolCallId"]: {"overdue": code}}
        waiting.go_on(row)
    await starting.begin(actor, row)
    return True


def explanation(code: str, tool: str) -> errors.LeafError:
    """What the reader is told of an answer that ended for it.

    Args:
        code: TOOL_TIMEOUT or RUN_TIMEOUT.
        tool: The tool that it waited for, if it did for one.
    """
    settings = config.current()
    if code == TOOL_TIMEOUT:
        text = texts.english("errors.tool_timeout", tool=tool, seconds=round(settings.client_tool_seconds))
    else:
        text = texts.english("errors.run_timeout", seconds=round(settings.client_run_seconds))
    return errors.LeafError(text, status=504, code=code)


async def abandon(actor: Actor, chat_id: UUID) -> bool:
    """Stops the answers of a chat that wait for a tool at their caller, who is the actor; what there is stays.

    Returns:
        Whether there was one.
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
            if calling.next_call(row) is None:
                continue
            found = True
            row.parts, details = waiting.given_up(row)
            row.details = {**details, "status": MessageStatus.STOPPED.value}
            row.status, row.answers, row.client_due_at = MessageStatus.STOPPED, None, None
        if found:
            tx.after_commit(lambda: events.publish([events.chat(chat_id)]))
    return found
