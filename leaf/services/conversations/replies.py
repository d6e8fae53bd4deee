"""Replies to the calls that an answer waits for: questions of the agent, approvals, and tools at the caller."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from leaf import errors, parts, texts
from leaf.db import models
from leaf.db.actor import Actor
from leaf.db.models import MessageRole, MessageStatus
from leaf.parts import client_tools
from leaf.services.conversations import dispatch, steps
from leaf.services.conversations.store import Draft, Turn
from leaf.services.runs import answer as answers
from leaf.services.runs import call_claims, calls


async def answer(actor: Actor, message_id: UUID, call_id: str, reply: dict[str, Any]) -> Turn:
    """Replies to a tool call of an answer. The answer continues when no call is open any more.

    Args:
        actor: The asker of this turn, in whose name an approval is given.
        message_id: The answer that waits.
        call_id: The tool call that waits.
        reply: For a question see `questions.answered`; for an approval `{"approved": bool}`; for a tool at the caller
            `{"output": …}` or `{"error": "…"}`.

    Returns:
        The turn. Its answer is unfinished if it continues.

    Raises:
        errors.Invalid: The reply does not fit the call.
        errors.NotFound: The actor has no such answer or call.
        errors.Conflict: The answer waits no longer, or the call has been answered.
        errors.LimitReached: The actor may ask nothing more for a while; the answer still waits.
        errors.RateLimited: The actor has replied too often within the last minute.
        errors.RedisUnavailable: The answer cannot continue; nothing was stored.
    """
    actor.audience.require("answer")
    await call_claims.throttle(actor)

    async def work(draft: Draft) -> Turn:
        row = await _waiting(draft, actor, message_id)
        await _take(draft, row, {call_id: reply})
        return await steps.turn_of(draft, row)

    return await dispatch.of(actor).change(actor, work, message_id=message_id)


async def carry_on(
    actor: Actor,
    chat_id: UUID,
    message_id: UUID,
    replies: Mapping[str, dict[str, Any]],
    versions: Mapping[str, int],
    *,
    document: str | None = None,
) -> UUID:
    """Replies to all calls that an answer waits for, as clients of the AI SDK do.

    If the same replies are sent again, the run that continued with them is returned.

    Args:
        actor: The asker.
        chat_id: The chat of the answer.
        message_id: The answer.
        replies: By tool call id (`answer`); replies to other calls are ignored.
        versions: The versions of the caller's tools by name, for the tools whose version the client states.
        document: The document on which the caller's tools have worked.

    Returns:
        The run that continues the answer.

    Raises:
        errors.Invalid: A result does not fit its tool.
        errors.NotFound: The person has no such answer in this chat.
        errors.Forbidden: A tool has worked on another document.
        errors.Conflict: The answer does not wait, waits for a call without a reply, or waits for another version of a
            tool.
        errors.LimitReached: The person may ask nothing more for a while; the answer still waits.
        errors.RateLimited: The person has replied too often within the last minute.
        errors.RedisUnavailable: The answer cannot continue; nothing was stored.
    """
    actor.audience.require("answer")
    await call_claims.throttle(actor)

    async def work(draft: Draft) -> UUID | None:
        row = await draft.find(message_id, MessageRole.ASSISTANT)
        earlier = _run_with(row, replies)
        if earlier is not None:
            return earlier
        if row.status is not MessageStatus.WAITING:
            raise errors.Conflict(texts.english("errors.no_longer_waits"))
        for call in calls.open_calls(row.parts):
            calls.require_version(row, call, versions.get(parts.tool_name(call)))
            calls.require_document(row, call, document)
        wanted = _wanted(row, replies)
        await _waiting(draft, actor, message_id)
        await _take(draft, row, wanted)
        await draft.store(row)
        return row.workflow_run_id

    return errors.found(await dispatch.of(actor).change(actor, work, chat=chat_id), "answer")


async def _waiting(draft: Draft, actor: Actor, message_id: UUID) -> models.Message:
    """The answer, if it waits for the actor."""
    row = await draft.find(message_id, MessageRole.ASSISTANT)
    if row.user_id != actor.user_id:
        raise errors.NotFound("question")
    await draft.require_free()
    if row.status is not MessageStatus.WAITING:
        raise errors.Conflict(texts.english("errors.answered_already"))
    return row


async def _take(draft: Draft, row: models.Message, replies: Mapping[str, dict[str, Any]]) -> None:
    """Records all replies, or none if one is refused. The answer continues if no call is open any more."""
    for call_id in replies:
        calls.require_free(row, call_id)
    is_complete = False
    for call_id, reply in replies.items():
        is_complete = answers.record_reply(row, call_id, reply)
    if not is_complete:
        return
    # A continuation is another request to the model, and counts like a question. Results of tools do not count as
    # questions, because they have a limit of their own.
    await draft.admit(is_question=any(calls.record(row, call_id) == {} for call_id in replies))
    answers.go_on(row)
    draft.begin(row)


def _wanted(row: models.Message, replies: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    open_ids = [call["toolCallId"] for call in calls.open_calls(row.parts)]
    left = [call_id for call_id in open_ids if call_id not in (row.answers or {})]
    missing = [call_id for call_id in left if call_id not in replies]
    if missing:
        raise errors.Conflict(f"The call {missing[0]} is still open. Send the results of all calls together.")
    return {call_id: replies[call_id] for call_id in left}


def _run_with(row: models.Message, replies: Mapping[str, dict[str, Any]]) -> UUID | None:
    """The run that continued with exactly these replies; None if there is none."""
    if row.status is MessageStatus.WAITING:
        return None
    if row.answers and all(replies.get(call_id) == reply for call_id, reply in row.answers.items()):
        return row.workflow_run_id
    if calls.last(row) not in replies:
        return None
    for call_id, reply in replies.items():
        taken = calls.record(row, call_id).get("result")
        if taken is not None and taken != client_tools.Outcome.of(reply).digest:
            return None
    return row.workflow_run_id
