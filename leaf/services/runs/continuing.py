"""Going on with an answer that waits, with all that it waits for at once: the way of the AI SDK's clients."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from leaf import client_tools, errors, parts
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, transaction
from leaf.services.runs import calling, starting, waiting

NO_VERSION = "tool_version"


async def carry_on(
    actor: Actor,
    chat_id: UUID,
    message_id: UUID,
    answers: Mapping[str, dict[str, Any]],
    versions: Mapping[str, int],
) -> UUID:
    """Goes on with an answer; the same answers that are sent once more find the run that went on with them.

    Args:
        actor: Whoever asked.
        chat_id: The chat of the answer.
        message_id: The answer.
        answers: What its calls came to (`runs.answer`), by tool call id; those of others are left alone.
        versions: The versions of the caller's tools, by their names, as far as it says.

    Returns:
        The run that goes on.

    Raises:
        errors.Invalid: A result does not fit its tool.
        errors.NotFound: There is no such answer in this chat for this person.
        errors.Conflict: It does not wait for this, or for more than this, or for another version of a tool.
        errors.LimitReached: The person may ask nothing more for a while; it waits on.
        errors.RedisUnavailable: It cannot go on; nothing was stored.
    """
    await starting.ready()
    async with transaction(actor, read_only=True) as tx:
        row = await tx.session.get(models.Message, message_id)
    if row is None or row.chat_session_id != chat_id or row.role is not MessageRole.ASSISTANT:
        raise errors.NotFound("answer")
    again = _known(row, answers)
    if again is not None:
        return again
    if row.status is not MessageStatus.WAITING:
        raise errors.Conflict("This answer waits for nothing any more. Load the chat again.")
    for call in calling.open_calls(row.parts):
        require_version(row, call, versions.get(parts.tool_name(call)))
    row = await waiting.record(actor, message_id, _wanted(row, answers))
    await starting.begin(actor, row)
    if row.workflow_run_id is None:
        raise errors.NotFound("answer")
    return row.workflow_run_id


def require_version(row: models.Message, call: parts.Part, version: int | None) -> None:
    """Has a caller run a tool only as the model was told of it.

    Args:
        row: The answer.
        call: The call.
        version: The version that the caller has; None where it does not say.

    Raises:
        errors.Conflict: The caller has another one.
    """
    tool = calling.tool_of(row, call)
    if tool is not None and version is not None and version != tool.version:
        raise errors.Conflict(
            f"This call of {tool.name} was made with version {tool.version} of the tool, and you have version "
            f"{version}. Load the page again, or send the question again.",
            code=NO_VERSION,
        )


def _wanted(row: models.Message, answers: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    open_ids = [call["toolCallId"] for call in calling.open_calls(row.parts)]
    left = [call_id for call_id in open_ids if call_id not in (row.answers or {})]
    missing = [call_id for call_id in left if call_id not in answers]
    if missing:
        raise errors.Conflict(f"The call {missing[0]} is still open: an answer goes on with all of its results.")
    return {call_id: answers[call_id] for call_id in left}


def _known(row: models.Message, answers: Mapping[str, dict[str, Any]]) -> UUID | None:
    """The run that went on with these very results; None where none did."""
    if row.status is MessageStatus.WAITING:
        return None
    going_on = {call_id: answers[call_id] for call_id in row.answers or {} if call_id in answers}
    if going_on and going_on == row.answers:
        return row.workflow_run_id
    if calling.last(row) not in answers:
        return None
    for call_id, given in answers.items():
        taken = calling.kept(row, call_id).get("result")
        if taken is not None and taken != client_tools.Outcome.of(given).digest:
            return None
    return row.workflow_run_id
