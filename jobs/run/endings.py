"""Builds the end of a run: its last chunks, its status, and the outcome that is stored. Pure.

The `fold` of an ending is the answer so far.
"""

from dataclasses import dataclass
from typing import Any

from pydantic_ai import DeferredToolRequests

from jobs.run.usage import Limit
from leaf import config, parts, texts
from leaf.agent.translate import Failure
from leaf.db.models import MessageStatus
from leaf.parts import Chunk
from leaf.services import runs
from leaf.services.usage import Usage


@dataclass(frozen=True)
class Ending:
    """The end of a run. The last of its chunks is `finish`."""

    status: MessageStatus
    chunks: list[Chunk]
    failure: Failure | None = None


def completed(fold: parts.Fold, finish_reason: str, usage: Usage, task: runs.Assignment) -> Ending:
    """The model has completed the answer. If the caller has its own tools, the metadata contain a summary.

    The finish reason is named as in the AI SDK.
    """
    summary = {"summary": _summary(fold)} if task.tools is not None else {}
    metadata = _metadata("completed", usage=_usage(usage), **summary)
    chunks = [*parts.close_open_parts(fold), metadata, *_last_step(fold), _finish(finish_reason)]
    return Ending(MessageStatus.COMPLETED, chunks)


def waiting(fold: parts.Fold, requests: DeferredToolRequests, usage: Usage) -> Ending:
    """The answer waits for its reader. Tool calls without a result stay open until the reader answers."""
    approvals: list[Chunk] = []
    for call in requests.approvals:
        chunk = {"type": "tool-approval-request", "approvalId": call.tool_call_id, "toolCallId": call.tool_call_id}
        reason = requests.metadata.get(call.tool_call_id, {}).get("reason")
        approvals.append(chunk | (_approval_reason(reason) if reason else {}))
    chunks = [*approvals, _metadata("waiting", usage=_usage(usage)), *_last_step(fold), _finish("tool-calls")]
    return Ending(MessageStatus.WAITING, chunks)


def stopped(fold: parts.Fold) -> Ending:
    """A reader has stopped the answer. The text so far is kept.

    Clients of the AI SDK ignore `abort`; they show the status in `message-metadata`. `finish` must follow `abort`,
    because some clients reconnect until they receive `finish`.
    """
    chunks = [
        *parts.close_open_parts(fold, texts.english("failures.stopped")),
        _metadata("stopped"),
        {"type": "abort", "reason": "stopped"},
        *_last_step(fold),
        _finish("other"),
    ]
    return Ending(MessageStatus.STOPPED, chunks)


def failed(fold: parts.Fold, failure: Failure) -> Ending:
    """An exception ended the answer. Clients stop reading at `error`, so this chunk comes as late as possible."""
    chunks = [
        *parts.close_open_parts(fold, texts.english("failures.broke_off")),
        _metadata("error", errorCode=failure.code, **_message(failure.text)),
        {"type": "error", "errorText": str(failure.text)},
        *_last_step(fold),
        _finish("error"),
    ]
    return Ending(MessageStatus.ERROR, chunks, failure)


_SUMMARY_CHARACTERS = 280


def limited(fold: parts.Fold, limit: Limit, usage: Usage, *, steps: int) -> Ending:
    """The answer has reached one of its limits. The text so far is kept. A last sentence states that it is partial."""
    settings = config.current()
    most = {
        "steps": texts.english("budgets.steps", count=steps),
        "tokens": texts.english("amounts.tokens", count=settings.token_limit or 0),
        "cost": texts.english("amounts.usd", value=settings.cost_limit_usd or 0),
        "time": texts.english("budgets.minutes", minutes=f"{settings.run_seconds / 60:g}"),
    }
    return partial(fold, limit, texts.english("budgets.answer_limit", most=most[limit]), usage)


def partial(fold: parts.Fold, limit: str, text: str, usage: Usage) -> Ending:
    """The answer ends before it is complete. Its last sentence, `text`, states the reason.

    The metadata name the limit: steps, tokens, cost, time or budget.
    """
    text_id = f"{limit}-limit"
    chunks: list[Chunk] = [
        *parts.close_open_parts(fold, texts.english("failures.limit")),
        {"type": "text-start", "id": text_id},
        {"type": "text-delta", "id": text_id, "delta": text},
        {"type": "text-end", "id": text_id},
        _metadata("completed", limit=limit, usage=_usage(usage)),
        *_last_step(fold),
        _finish("other"),
    ]
    return Ending(MessageStatus.COMPLETED, chunks)


def outcome(
    closing: Ending, message: parts.Message, model_messages: list[dict[str, Any]], usage: Usage
) -> runs.Outcome:
    """The values that are stored at the end of a run, except its times."""
    return runs.Outcome(
        status=closing.status,
        parts=message["parts"],
        details=message["metadata"],
        model_messages=model_messages,
        used=usage,
        error_code=closing.failure.code if closing.failure else None,
        error_text=str(closing.failure.text) if closing.failure else None,
    )


def _message(text: str) -> dict[str, Any]:
    """The key and parameters of a failure's text, from which pages make a sentence in the reader's language."""
    return {"errorMessage": text.as_data()} if isinstance(text, texts.Message) else {}


def _approval_reason(reason: str) -> dict[str, Any]:
    """The reason of an approval request in English, with its key and parameters for a translation."""
    described = {"approvalDescriptor": {"reason": reason.as_data()}} if isinstance(reason, texts.Message) else {}
    return {"reason": str(reason), **described}


def _summary(fold: parts.Fold) -> str:
    texts = [" ".join(str(part.get("text", "")).split()) for part in fold.parts if part["type"] == "text"]
    last = next((text for text in reversed(texts) if text), "")
    return last if len(last) <= _SUMMARY_CHARACTERS else f"{last[:_SUMMARY_CHARACTERS]}…"


def _last_step(fold: parts.Fold) -> list[Chunk]:
    return [{"type": "finish-step"}] if fold.step_open else []


def _metadata(status: str, **further: Any) -> Chunk:
    return {"type": "message-metadata", "messageMetadata": {"status": status, **further}}


def _finish(reason: str) -> Chunk:
    return {"type": "finish", "finishReason": reason}


def _usage(usage: Usage) -> dict[str, Any]:
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
