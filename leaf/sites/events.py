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

    @property
    def ended_at(self) -> datetime:
        """The time at which a question was sent, or an answer was last changed."""
        return self.created_at if self.role == "user" else self.updated_at


def events_of(messages: Iterable[ConversationMessage]) -> list[Event]:
    """The events of messages in order, numbered from 1.

    An unfinished answer has no events, because its stored parts are not final. Times never go back within a message.
    The summary of earlier turns is an event of its own, before the first message that ended after the summary.
    """
    events: list[Event] = []
    summaries: list[tuple[datetime, UUID]] = []
    """The summaries whose events are still to come: the time, and the id of the last message that is summarised."""

    def add(message_id: UUID, at: datetime, event: Event) -> None:
        head = {"seq": len(events) + 1, "messageId": str(message_id), "createdAt": at.isoformat()}
        events.append(head | event)

    for message in messages:
        for summary in [one for one in summaries if one[0] <= message.ended_at]:
            summaries.remove(summary)
            add(summary[1], summary[0], _SUMMARY)
        if message.compacted_at is not None:
            summaries.append((message.compacted_at, message.id))
        if message.unfinished:
            continue
        latest = message.created_at
        for event, at in _events_of_message(message):
            latest = max(latest, at)
            add(message.id, latest, event)
    for at, message_id in summaries:
        add(message_id, at, _SUMMARY)
    return events


_SUMMARY: Event = {"eventType": "system", "content": "compacted"}


def _events_of_message(message: ConversationMessage) -> Iterator[tuple[Event, datetime]]:
    """The events of a message, each with the time of its response, of its tool call or result, or of the message."""
    step = -1
    for part in message.parts:
        if part["type"] == "step-start":
            step += 1
            continue
        response = _response(message, max(step, 0))
        at = _parsed_time(response.get("at")) or message.ended_at
        response_id = {"providerResponseId": response["id"]} if message.for_team and response.get("id") else {}
        if part["type"] == "text" and part.get("text"):
            yield _text_event(message, part["text"]) | response_id, at
        elif message_parts.is_tool(part) and part.get("state") != "input-streaming":
            began = ended = at
            if (span := spans.span_of(part)) is not None:
                began, ended = (datetime.fromtimestamp(milliseconds / 1000, UTC) for milliseconds in span)
            call, *results = _tool_events(part, for_team=message.for_team)
            yield call | response_id, began
            for result in results:
                yield result, ended
    for event in _ending(message):
        yield event, message.ended_at


def _response(message: ConversationMessage, step: int) -> Mapping[str, Any]:
    """The response of a step. Text that a limit has added to the end of an answer belongs to the last response."""
    return message.responses[min(step, len(message.responses) - 1)] if message.responses else {}


def _parsed_time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _ending(message: ConversationMessage) -> Iterator[Event]:
    if message.status == "error":
        yield {
            "eventType": "error",
            "errorType": message.error_code or "error",
            "errorMessage": message.error_text or "",
        }
    elif message.status == "stopped":
        yield {"eventType": "system", "content": "stopped"}


def _text_event(message: ConversationMessage, text: str) -> Event:
    event: Event = {"eventType": "message", "role": message.role, "content": text}
    if message.role == "assistant":
        event["model"] = message.model
    elif files := question_files.attachments_of(message.parts):
        event["files"] = files
    if message.metadata:
        event["metadata"] = dict(message.metadata)
    return event


def _tool_events(part: Part, *, for_team: bool) -> Iterator[Event]:
    """The event of a tool call, followed by that of its result or error."""
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
    """A tool's result in which the reasons why sources could not be read are in the reader's language."""
    result = object_of(part.get("output"))
    if "unavailable" not in result:
        return part.get("output")
    shown = [
        {**one, "reason": message_parts.reason_of_entry(part, at, one["reason"])}
        for at, one in enumerate(result["unavailable"])
    ]
    return {**result, "unavailable": shown}
