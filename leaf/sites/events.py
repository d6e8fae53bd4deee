"""A conversation as events: a view over messages and their parts, numbered without gaps. Nothing of it is stored.

It is the same whichever provider answered, and whichever way the parts came to be.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from leaf import parts as message_parts
from leaf.parts import Part, attached

Event = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """A message, as events are made of it."""

    id: UUID
    role: str
    """user or assistant."""
    parts: list[Part]
    status: str
    created_at: datetime
    updated_at: datetime
    model: str | None = None
    """Absent (None) if the reader may not see it."""
    error_code: str | None = None
    error_text: str | None = None
    metadata: Mapping[str, Any] | None = None
    """Metadata of the message beside its text events."""

    @property
    def unfinished(self) -> bool:
        """Whether it is being written: nothing of it counts yet."""
        return self.status in {"pending", "streaming"}


def events_of(messages: Iterable[Said]) -> list[Event]:
    """The events of messages in order, numbered from 1.

    An unfinished answer has none, because its stored parts are not final.
    """
    found: list[Event] = []
    for message in messages:
        if message.unfinished:
            continue
        at = message.created_at if message.role == "user" else message.updated_at
        for event in _of(message):
            place = {"seq": len(found) + 1, "messageId": str(message.id), "createdAt": at.isoformat()}
            found.append(place | event)
    return found


def _of(message: Said) -> Iterator[Event]:
    for part in message.parts:
        if part["type"] == "text" and part.get("text"):
            yield _text(message, part["text"])
        elif message_parts.is_tool(part) and part.get("state") != "input-streaming":
            yield from _call(part)
    if message.status == "error":
        yield {
            "eventType": "error",
            "errorType": message.error_code or "error",
            "errorMessage": message.error_text or "",
        }
    elif message.status == "stopped":
        yield {"eventType": "system", "content": "stopped"}


def _text(message: Said, text: str) -> Event:
    event: Event = {"eventType": "message", "role": message.role, "content": text}
    if message.role == "assistant":
        event["model"] = message.model
    elif files := attached.attachments_of(message.parts):
        event["files"] = files
    if message.metadata:
        event["metadata"] = dict(message.metadata)
    return event


def _call(part: Part) -> Iterator[Event]:
    call = {"toolCallId": part["toolCallId"], "toolName": message_parts.tool_name(part)}
    yield {"eventType": "tool_call", **call, "toolInput": part.get("input")}
    if part["state"] == "output-available":
        yield {"eventType": "tool_result", **call, "toolResult": part.get("output")}
    elif part["state"] in {"output-error", "output-denied"}:
        yield {"eventType": "tool_result", **call, "error": part.get("errorText") or "denied"}
