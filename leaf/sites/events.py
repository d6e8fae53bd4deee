"""Events of a conversation. They are a view of messages and their parts, numbered without gaps, and are not stored.

The events do not depend on the provider that answered, or on the way in which the parts were made.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from leaf import parts as message_parts
from leaf import texts
from leaf.parts import Part, question_files, spans
from leaf.parts.objects import object_of
from leaf.sites.knowledge import without_passages

Event = dict[str, Any]


@dataclass(frozen=True)
class ConversationMessage:
    """A message with the data from which events are made."""

    id: UUID
    role: str
    """user or assistant."""
    parts: list[Part]
    status: str
    created_at: datetime
    updated_at: datetime
    model: str | None = None
    """The name of the model; None if the reader may not see it."""
    error_code: str | None = None
    error_text: str | None = None
    metadata: Mapping[str, Any] | None = None
    """Metadata of the message. Its text events contain it."""
    responses: Sequence[Mapping[str, Any]] = ()
    """`id` and `at` of each response of the model, in order. Each response is a step of the message."""
    compacted_at: datetime | None = None
    """The time at which the turns up to this message were summarised for the model."""
    for_team: bool = False
    """Whether the reader belongs to the site's team. Visitors see neither the provider's ids of responses nor passages
    of knowledge."""

    @property
    def unfinished(self) -> bool:
        """Whether the message is being written. It has no events yet."""
        return self.status in {"pending", "streaming"}


def events_of(messages: Iterable[ConversationMessage]) -> list[Event]:
    """The events of messages in order, numbered from 1.

    An unfinished answer has no events, because its stored parts are not final. Times never go back within a message.
    The summary of earlier turns is a separate event, before the first message that is later.
    """
    found: list[Event] = []
    compacted: list[ConversationMessage] = []
    for message in messages:
        until = message.created_at if message.role == "user" else message.updated_at
        for done in [one for one in compacted if _compacted_at(one) <= until]:
            compacted.remove(done)
            found.append(_compaction(len(found) + 1, done))
        if message.compacted_at is not None:
            compacted.append(message)
        if message.unfinished:
            continue
        latest = message.created_at
        for event, at in _of(message):
            latest = max(latest, at)
            place = {"seq": len(found) + 1, "messageId": str(message.id), "createdAt": latest.isoformat()}
            found.append(place | event)
    for done in compacted:
        found.append(_compaction(len(found) + 1, done))
    return found


def _compacted_at(message: ConversationMessage) -> datetime:
    return message.compacted_at or message.updated_at


def _compaction(seq: int, message: ConversationMessage) -> Event:
    return {
        "seq": seq,
        "messageId": str(message.id),
        "createdAt": _compacted_at(message).isoformat(),
        "eventType": "system",
        "content": "compacted",
    }


def _of(message: ConversationMessage) -> Iterator[tuple[Event, datetime]]:
    """The events of a message, each with the time of its response, of its tool call or result, or of the message."""
    step = -1
    end = message.created_at if message.role == "user" else message.updated_at
    for part in message.parts:
        if part["type"] == "step-start":
            step += 1
            continue
        response = _response(message, max(step, 0))
        at = _time(response.get("at")) or end
        own = {"providerResponseId": response["id"]} if message.for_team and response.get("id") else {}
        if part["type"] == "text" and part.get("text"):
            yield _text(message, part["text"]) | own, at
        elif message_parts.is_tool(part) and part.get("state") != "input-streaming":
            span = spans.span_of(part)
            began, ended = (_of_ms(span[0]), _of_ms(span[1])) if span is not None else (at, at)
            call, *results = _call(part, for_team=message.for_team)
            yield call | own, began
            for result in results:
                yield result, ended
    for event in _ending(message):
        yield event, end


def _response(message: ConversationMessage, step: int) -> Mapping[str, Any]:
    """The response of a step. Text that a limit has added to the end of an answer counts to the last response."""
    return message.responses[min(step, len(message.responses) - 1)] if message.responses else {}


def _time(written: object) -> datetime | None:
    try:
        return datetime.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None


def _of_ms(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _ending(message: ConversationMessage) -> Iterator[Event]:
    if message.status == "error":
        yield {
            "eventType": "error",
            "errorType": message.error_code or "error",
            "errorMessage": message.error_text or "",
        }
    elif message.status == "stopped":
        yield {"eventType": "system", "content": "stopped"}


def _text(message: ConversationMessage, text: str) -> Event:
    event: Event = {"eventType": "message", "role": message.role, "content": text}
    if message.role == "assistant":
        event["model"] = message.model
    elif files := question_files.attachments_of(message.parts):
        event["files"] = files
    if message.metadata:
        event["metadata"] = dict(message.metadata)
    return event


def _call(part: Part, *, for_team: bool) -> Iterator[Event]:
    call = {"toolCallId": part["toolCallId"], "toolName": message_parts.tool_name(part)}
    yield {"eventType": "tool_call", **call, "toolInput": part.get("input")}
    if part["state"] == "output-available":
        shown = result_for_team(part) if for_team else without_passages(call["toolName"], part.get("output"))
        yield {"eventType": "tool_result", **call, "toolResult": shown}
    elif part["state"] in {"output-error", "output-denied"}:
        error = part.get("errorText") or "denied"
        shown = texts.stored(message_parts.message_of(part), error) if for_team else error
        yield {"eventType": "tool_result", **call, "error": shown}


def result_for_team(part: Part) -> Any:
    """A result with the reasons for which sources could not be read in the language of the reader."""
    result = object_of(part.get("output"))
    if "unavailable" not in result:
        return part.get("output")
    shown = [
        {**one, "reason": message_parts.reason_of_entry(part, at, one["reason"])}
        for at, one in enumerate(result["unavailable"])
    ]
    return {**result, "unavailable": shown}
