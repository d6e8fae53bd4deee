"""Answers that wait for their reader: what is asked of them, what they answer, and the run that goes on from there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlmodel import col, select

from leaf import client_tools, errors, parts, questions, texts
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import chats, usage
from leaf.services.runs import calling, starting
from leaf.telemetry import tracing

UNANSWERED = "You went on without answering."


@dataclass(frozen=True)
class Waited:
    """Where an answer stopped to wait, and what it has been told since."""

    message: parts.Message
    model_messages: list[dict[str, Any]]
    answers: dict[str, Any]
    """By tool call id: `{"output": …}` for a question or a tool of the caller's, which may have come to `{"error": …}`,
    `{"approved": …}` for a call that had to be allowed. None where the answer was stopped and goes on."""
    used: usage.Usage
    """What all of its runs before have used, replies included that broke off."""


async def record(actor: Actor, message_id: UUID, answers: Mapping[str, dict[str, Any]]) -> models.Message:
    """Keeps what somebody answers to calls that wait for them: all of it or nothing.

    Args:
        actor: Whoever asked the question of this turn: what is allowed is allowed in their name.
        message_id: The answer that waits.
        answers: By call: for a question see `questions.answered`; for a call that has to be allowed `{"approved":
            bool}`; for a tool of the caller's `{"output": …}` or `{"error": "…"}`.

    Returns:
        The answer's row; it is pending, with a run of its own, where nothing is open any more.

    Raises:
        errors.Invalid: It does not fit.
        errors.NotFound: There is no such answer or call for this person.
        errors.Conflict: It waits no longer, or a call has been answered.
        errors.LimitReached: The person may ask nothing more for a while; it waits on, and this is not kept.
    """
    async with transaction(actor) as tx:
        # The person first and then the chat, as a question does: each would wait for the other else.
        allowance = await usage.reserve(tx, actor)
        row = await locked(tx, actor, message_id)
        for call_id in answers:
            calling.require_free(row, call_id)
        if [take(row, call_id, given) for call_id, given in answers.items()][-1:] == [True]:
            # Going on is asking the model again, like a question; an answer of several that are open is not. Results
            # of tools are no questions of a person's, and have a limit of their own.
            if any(calling.kept(row, call_id) == {} for call_id in answers):
                await usage.throttle(actor)
            row.reserved_tokens, row.reserved_usd = allowance.tokens, allowance.usd
            go_on(row)
    return row


def take(row: models.Message, call_id: str, given: dict[str, Any]) -> bool:
    """Takes an answer down on the row of an answer that waits.

    Returns:
        Whether nothing is open any more.

    Raises:
        errors.Invalid: It does not fit.
        errors.NotFound: There is no such call.
        errors.Conflict: This call has been answered.
    """
    waited_for = calling.open_calls(row.parts)
    call = next((part for part in waited_for if part["toolCallId"] == call_id), None)
    if call is None:
        raise errors.NotFound("question")
    if call_id in (row.answers or {}):
        raise errors.Conflict(texts.english("errors.answered_already"))
    row.answers = {**(row.answers or {}), call_id: _answer(row, call, given)}
    calling.note(row, call_id, row.answers[call_id])
    return all(part["toolCallId"] in row.answers for part in waited_for)


def go_on(row: models.Message) -> None:
    """Has a new run go on with an answer; `answers` says with what, and is empty where it was stopped."""
    run_id = uuid4()
    row.details = _traced(row, run_id)
    row.workflow_run_id = run_id
    row.status = MessageStatus.PENDING
    row.client_due_at = None


async def give_up(tx: Transaction, chat_id: UUID) -> None:
    """Ends the answers of a chat that wait for the transaction's actor, who goes on with something else."""
    query = select(models.Message).where(
        col(models.Message.chat_session_id) == chat_id,
        col(models.Message.status) == MessageStatus.WAITING,
        col(models.Message.user_id) == tx.actor.user_id,
    )
    for row in (await tx.session.exec(query)).all():
        row.parts, row.details = given_up(row)
        row.status, row.answers, row.client_due_at = MessageStatus.COMPLETED, None, None


async def require_none(tx: Transaction, message_id: UUID | None) -> None:
    """Has nothing follow an answer that waits for another participant: it will go on.

    Raises:
        errors.Conflict: This one does.
    """
    query = select(models.Message.status).where(col(models.Message.id) == message_id)
    if (await tx.session.exec(query)).one_or_none() is MessageStatus.WAITING:
        raise errors.Conflict(texts.english("sharing.refused_waits"))


def given_up(row: models.Message) -> tuple[list[parts.Part], dict[str, Any]]:
    """The parts and details of an answer that waits, as they are when nobody answers what it asks."""
    open_ids = {part["toolCallId"] for part in calling.open_calls(row.parts)}
    closed = [_unanswered(row, part) if part.get("toolCallId") in open_ids else part for part in row.parts]
    return closed, {**row.details, "status": MessageStatus.COMPLETED.value}


def _unanswered(row: models.Message, call: parts.Part) -> parts.Part:
    said = UNANSWERED if calling.tool_of(row, call) is None else texts.english("errors.not_carried_out")
    return {**call, "state": "output-error", "errorText": str(said)}


def waited(row: models.Message, details: dict[str, Any]) -> Waited | None:
    """Where a run goes on from, if it goes on with an answer that waited or was stopped.

    Args:
        row: The answer.
        details: What it says of itself from here on.
    """
    if row.answers is None or row.model_messages is None:
        return None
    message = {"id": str(row.id), "parts": row.parts, "metadata": details}
    used = usage.Usage(
        row.input_tokens or 0,
        row.output_tokens or 0,
        row.cache_read_tokens or 0,
        row.cache_write_tokens or 0,
        row.cost_usd,
        row.thinking_tokens or 0,
        row.requests or 0,
    )
    return Waited(message, row.model_messages, row.answers, used)


async def locked(tx: Transaction, actor: Actor, message_id: UUID) -> models.Message:
    """An answer that waits for the actor, who asked; its chat is locked.

    Raises:
        errors.NotFound: There is no such answer for this person.
        errors.Conflict: It waits no longer.
    """
    found = await tx.session.get(models.Message, message_id)
    if found is None or found.role is not MessageRole.ASSISTANT or found.user_id != actor.user_id:
        raise errors.NotFound("question")
    await chats.find(tx, found.chat_session_id, lock=True)
    if await starting.is_busy(tx, found.chat_session_id):
        raise errors.Conflict(texts.english("errors.still_answering"))
    # Another tab may have answered while the lock was waited for.
    await tx.session.refresh(found)
    if found.status is not MessageStatus.WAITING:
        raise errors.Conflict(texts.english("errors.answered_already"))
    return found


def runs_of(answer: chats.Message) -> list[UUID]:
    """All runs that have written an answer, the first one first: several where it had to wait."""
    earlier = [UUID(trace) for trace in answer.details.get("earlierTraceIds", [])]
    return [*earlier, *([answer.run_id] if answer.run_id is not None else [])]


def _traced(row: models.Message, run_id: UUID) -> dict[str, Any]:
    """The details with the trace of the run that goes on, and those of the runs before it.

    One that goes on with what a tool at the caller came to belongs to the trace in which it was called.
    """
    details, earlier = row.details, [*row.details.get("earlierTraceIds", [])]
    if row.workflow_run_id is not None and "traceId" in details:
        earlier.append(tracing.trace_id(row.workflow_run_id))
    stays = row.client_tools is not None and bool(row.answers) and "traceId" in details
    trace = details["traceId"] if stays else tracing.trace_id(run_id)
    return {**details, "traceId": trace, "earlierTraceIds": earlier}


def _answer(row: models.Message, call: parts.Part, given: dict[str, Any]) -> dict[str, Any]:
    if call["state"] == "approval-requested":
        approved = given.get("approved")
        if not isinstance(approved, bool) or len(given) > 1:
            raise errors.Invalid(texts.english("errors.allow_or_not"), field="approved")
        return {"approved": approved}
    tool = calling.tool_of(row, call)
    if tool is not None:
        return client_tools.outcome(tool, given).answer()
    if parts.tool_name(call) != questions.TOOL:
        raise errors.NotFound("question")
    return {"output": questions.answered(call.get("input"), given)}
