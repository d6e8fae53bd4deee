"""Changes of the row of an answer: it becomes pending, waits for its asker, continues and ends. No I/O."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from leaf import config, errors, parts, texts
from leaf.config import catalog
from leaf.config.catalog import Choice
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.parts import client_tools
from leaf.parts.client_tools import questions
from leaf.services import chats, usage
from leaf.services import models as model_service
from leaf.services.runs import calls
from leaf.telemetry import tracing

if TYPE_CHECKING:
    from leaf.services.runs.assignment import Outcome

log = logging.getLogger(__name__)

EARLIER_MODELS = "earlierModelIds"
"""The field in an answer's details with the models that wrote earlier parts of it and are no longer available."""
UNANSWERED = "You went on without answering."


@dataclass(frozen=True)
class Waited:
    """An answer that waited or was stopped, and the replies since."""

    message: parts.Message
    model_messages: list[dict[str, Any]]
    answers: dict[str, Any]
    """The replies by tool call id: `{"output": …}` or `{"error": …}` for a question or a client tool, `{"approved": …}`
    for an approval. Empty if a stopped answer is continued."""
    used: usage.Usage
    """The usage of all runs so far, including responses of the model that broke off."""


def make_pending(row: models.Message, choice: Choice) -> None:
    """Makes an answer pending, so that a new run writes it from the beginning."""
    row.workflow_run_id = run_id = uuid4()
    row.status, row.model = MessageStatus.PENDING, choice.model
    row.parts, row.model_messages = [], None
    row.details = {
        "searchMode": choice.mode.value,
        "modelType": choice.kind.value,
        "modelId": choice.model,
        "traceId": tracing.trace_id(run_id),
    }
    row.answers = row.error_code = row.error_text = None
    row.client_calls = row.client_due_at = None


def model_of(row: models.Message) -> tuple[str, dict[str, Any]]:
    """The model that writes an answer, and the answer's details with that model.

    An answer may have waited for days, and its provider may not be configured any more. Another model is then selected
    by the answer's mode and type (`leaf.config.catalog`). If there is none, the model stays, and the run ends with an
    error.
    """
    chosen = row.model or model_service.current().id
    if not catalog.why_not(config.current(), chosen):
        return chosen, row.details
    mode, kind = catalog.chosen(row.details.get("searchMode"), row.details.get("modelType"))
    try:
        found = model_service.select(mode, kind).model
    except errors.ConfigurationError:
        return chosen, row.details
    if catalog.why_not(config.current(), found):
        return chosen, row.details
    log.warning("answer %s continues with %s: %s is no longer available", row.id, found, chosen)
    earlier = [*row.details.get(EARLIER_MODELS, []), chosen]
    return found, {**row.details, "modelId": found, EARLIER_MODELS: earlier}


def record_reply(row: models.Message, call_id: str, reply: dict[str, Any]) -> bool:
    """Stores the reply to an open call of an answer that waits.

    Returns:
        Whether no call is open any more.

    Raises:
        errors.Invalid: The reply does not fit the call.
        errors.NotFound: There is no such call.
        errors.Conflict: The call has been answered.
    """
    open_calls = calls.open_calls(row.parts)
    call = errors.found(next((part for part in open_calls if part["toolCallId"] == call_id), None), "question")
    if call_id in (row.answers or {}):
        raise errors.Conflict(texts.english("errors.answered_already"))
    row.answers = {**(row.answers or {}), call_id: _checked(row, call, reply)}
    calls.note(row, call_id, row.answers[call_id])
    return all(part["toolCallId"] in row.answers for part in open_calls)


def go_on(row: models.Message) -> None:
    """Makes an answer pending, so that a new run continues it with the replies in `answers` (none after a stop)."""
    run_id = uuid4()
    row.details = _traced(row, run_id)
    row.workflow_run_id = run_id
    row.status = MessageStatus.PENDING
    row.client_due_at = None


def restart(row: models.Message) -> None:
    """Makes a stopped answer pending, so that a new run continues it."""
    row.answers = {}
    if row.client_calls is not None:
        # The time limit of an answer with tools at the caller starts again.
        row.client_calls = {**row.client_calls, "began": datetime.now(UTC).isoformat()}
    go_on(row)


def close(row: models.Message, status: MessageStatus = MessageStatus.COMPLETED) -> None:
    """Ends an answer that waits. Its open calls stay unanswered."""
    row.parts, details = given_up(row)
    row.details = {**details, "status": status.value}
    row.status, row.answers, row.client_due_at = status, None, None


def given_up(row: models.Message) -> tuple[list[parts.Part], dict[str, Any]]:
    """The parts and details of an answer that waits, with its open calls marked as unanswered."""
    open_ids = {part["toolCallId"] for part in calls.open_calls(row.parts)}
    closed = [_unanswered(row, part) if part.get("toolCallId") in open_ids else part for part in row.parts]
    return closed, {**row.details, "status": MessageStatus.COMPLETED.value}


def waited(row: models.Message, details: dict[str, Any]) -> Waited | None:
    """The state from which a run continues an answer that waited or was stopped; None if the answer begins.

    Args:
        row: The answer.
        details: The details of the answer for the new run.
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


def settle(row: models.Message, model: str, outcome: "Outcome") -> None:
    """Writes the outcome of a run into the row of its answer.

    Args:
        row: The row.
        model: `provider:name` of the model that answered.
        outcome: The outcome.
    """
    row.status = outcome.status
    row.parts = outcome.parts
    row.details = outcome.details
    row.model = model
    row.model_messages = outcome.model_messages
    row.responses = outcome.responses
    for name, value in vars(outcome.used).items():
        setattr(row, name, value)
    row.duration_ms, row.first_text_ms = outcome.duration_ms, outcome.first_text_ms
    row.answers = None
    calls.await_next(row)
    row.error_code, row.error_text = outcome.error_code, outcome.error_text


def runs_of(message: chats.Message) -> list[UUID]:
    """The ids of all runs that have written an answer, the first one first. An answer that had to wait has several."""
    earlier = [UUID(trace) for trace in message.details.get("earlierTraceIds", [])]
    return [*earlier, *([message.run_id] if message.run_id is not None else [])]


def _unanswered(row: models.Message, call: parts.Part) -> parts.Part:
    text = UNANSWERED if calls.tool_of(row, call) is None else texts.english("errors.not_carried_out")
    return parts.failed(call, text)


def _traced(row: models.Message, run_id: UUID) -> dict[str, Any]:
    """The details with the trace of the run that continues the answer, and the traces of the runs before it.

    A run that continues with the result of a tool at the caller belongs to the trace in which the tool was called.
    """
    details, earlier = row.details, [*row.details.get("earlierTraceIds", [])]
    if row.workflow_run_id is not None and "traceId" in details:
        earlier.append(tracing.trace_id(row.workflow_run_id))
    stays = row.client_tools is not None and bool(row.answers) and "traceId" in details
    trace = details["traceId"] if stays else tracing.trace_id(run_id)
    return {**details, "traceId": trace, "earlierTraceIds": earlier}


def _checked(row: models.Message, call: parts.Part, reply: dict[str, Any]) -> dict[str, Any]:
    """A reply in the form in which it is stored.

    Raises:
        errors.Invalid: The reply does not fit the call.
        errors.NotFound: The call takes no reply.
    """
    if call["state"] == "approval-requested":
        approved = reply.get("approved")
        if not isinstance(approved, bool) or len(reply) > 1:
            raise errors.Invalid(texts.english("errors.allow_or_not"), field="approved")
        return {"approved": approved}
    tool = calls.tool_of(row, call)
    if tool is not None:
        return client_tools.outcome(tool, reply).answer()
    if parts.tool_name(call) != questions.TOOL:
        raise errors.NotFound("question")
    return {"output": questions.answered(call.get("input"), reply)}
