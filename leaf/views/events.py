"""The events of a site visitor's conversation for its page: the stored ones and the answer being written. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from leaf import parts, texts
from leaf.parts import nesting
from leaf.services import models, sites
from leaf.sites import KNOWLEDGE_TOOLS, result_for_team
from leaf.views.frames import Frame
from leaf.views.steps import THOUGHT

_SHOWN_CHARACTERS: Final = 2000
"""How many characters of a tool's input or output are shown. An export has all of them."""
_NOTES: Final = {"stopped": "doing.was_stopped", "compacted": "chat.summarised", "denied": "asking.denied"}
"""The texts of system events, by their content, and of calls that were not allowed."""


@dataclass(frozen=True)
class EventView:
    key: str
    kind: str
    role: str = ""
    text: str = ""
    blocks: list[str] = field(default_factory=list[str])
    """The Markdown of an answer; empty while the answer is being written, because its text is then not in a var."""
    name: str = ""
    """The label of the tool, or the type of the error."""
    feedback: str = ""
    comment: str = ""
    usage: str = ""
    """The usage of the answer in words. Only the last event of an answer has it."""
    at: str = ""
    """The time of the event in ISO 8601; empty while it is being written."""
    response: str = ""
    """The provider's id of the response. Only the first event of a response has it."""
    slot: int = 0
    """The index of a text in the answer that is being written. The page receives the text under this index."""
    growing: bool = False


@dataclass(frozen=True)
class FactView:
    """A field of the context of the visitor's page."""

    name: str
    value: str


@dataclass(frozen=True)
class LogView:
    """A logged request to the model."""

    id: str
    address: str
    status: int
    """The HTTP status; 0 if there was no answer."""
    took: str
    """The duration in seconds."""
    sent: int
    """The size of the request in bytes."""
    received: int
    """The size of the response in bytes."""
    made: str
    """The time of the request, in ISO 8601."""
    ends: str
    """The time when the log is deleted, in ISO 8601."""


def live_events(frame: Frame) -> Iterator[EventView]:
    """The events of an answer that is being written."""
    for item in frame.items:
        if item.kind == "text":
            growing = item.state == "open"
            yield EventView(f"text-{item.slot}", "message", "assistant", slot=item.slot, growing=growing)
        for step in item.steps:
            part = frame.tools.get(step.id)
            if step.icon != THOUGHT and part is not None:
                yield from _tool_events(part)


def _tool_events(part: parts.Part) -> Iterator[EventView]:
    """The event of a tool call, followed by that of its result or error."""
    call, tool, state = part["toolCallId"], parts.tool_name(part), part["state"]
    label = tool_label(tool)
    yield EventView(f"call-{call}", "tool_call", text=shortened(part.get("input", "")), name=label)
    if state == "output-available":
        yield EventView(f"result-{call}", "tool_result", text=_result_text(tool, result_for_team(part)), name=label)
    elif state in {"output-error", "output-denied"}:
        error = texts.stored(parts.message_of(part), _note_text(part.get("errorText") or "denied"))
        yield EventView(f"result-{call}", "tool_result", text=shortened(error), name=label)


def tool_label(tool: str) -> str:
    """The name of a tool as the site's team sees it."""
    return texts.say("sites.knowledge") if tool in KNOWLEDGE_TOOLS else tool


def _result_text(tool: str, output: Any) -> str:
    """The result of a tool as text.

    The text of a knowledge tool lists the sources that could not be read, and then the passages under their sources.
    """
    if tool not in KNOWLEDGE_TOOLS or not isinstance(output, Mapping):
        return shortened(output)
    result = cast("Mapping[str, Any]", output)
    passages: list[Mapping[str, Any]] = result.get("passages", [result])
    found = [f"{one.get('source')} · {one.get('part')}\n{one.get('content')}" for one in passages]
    unread = [f"{one.get('source')}: {one.get('reason')}" for one in result.get("unavailable", [])]
    return shortened("\n\n".join([*unread, *found]) or texts.say("sites.nothing_found"))


def stored_events(found: sites.Transcript) -> Iterator[EventView]:
    """The stored events, with the usage of answers and the ids of responses."""
    usage = {one["messageId"]: one for one in found.usage if one["durationMs"] is not None}
    last_events = {event["messageId"]: event["seq"] for event in found.events}
    shown = ""
    for event in found.events:
        message = event["messageId"]
        response = event.get("providerResponseId", shown)
        is_last = message in usage and last_events[message] == event["seq"]
        yield replace(
            _event(event),
            usage=_usage_text(usage[message]) if is_last else "",
            response=response if response != shown else "",
        )
        shown = response


def _event(event: Mapping[str, Any]) -> EventView:
    role = event.get("role", "")
    text = _event_text(event)
    metadata: Mapping[str, Any] = event.get("metadata") or {}
    return EventView(
        str(event["seq"]),
        event["eventType"],
        role,
        text="" if role == "assistant" else text,
        blocks=[nesting.flattened(text)] if role == "assistant" else [],
        name=tool_label(event.get("toolName") or event.get("errorType") or ""),
        feedback=str(metadata.get("feedback", "")),
        comment=str(metadata.get("comment") or ""),
        at=event.get("createdAt", ""),
    )


def _event_text(event: Mapping[str, Any]) -> str:
    match event["eventType"]:
        case "message":
            return str(event.get("content", ""))
        case "tool_call":
            return shortened(event.get("toolInput"))
        case "tool_result" if "error" in event:
            return shortened(_note_text(event["error"]))
        case "tool_result":
            return _result_text(event.get("toolName", ""), event.get("toolResult"))
        case "error":
            return shortened(event.get("errorMessage", ""))
        case _:
            return shortened(_note_text(event.get("content", "")))


def _note_text(content: str) -> str:
    return texts.say(_NOTES[content]) if content in _NOTES else content


def _usage_text(usage: Mapping[str, Any]) -> str:
    """The usage of an answer in words."""
    cost, first = usage["costUsd"], usage["firstTextMs"]
    return texts.say(
        "insights.used",
        model=models.label_of(usage["model"] or ""),
        input=usage["inputTokens"] or 0,
        output=usage["outputTokens"] or 0,
        cost="—" if cost is None else f"${float(cost):.4f}",
        seconds=f"{usage['durationMs'] / 1000:.1f}",
        first="—" if first is None else f"{first / 1000:.1f}",
    )


def log_view(row: sites.LogRow) -> LogView:
    """A logged request to the model as the list shows it."""
    return LogView(
        str(row.id), row.address, row.status or 0, f"{row.latency_ms / 1000:.1f}", row.request_bytes,
        row.response_bytes, row.created_at.isoformat(), row.expires_at.isoformat(),
    )  # fmt: skip


def shortened(value: object) -> str:
    """A value as text (JSON unless it is a string), cut after `_SHOWN_CHARACTERS`."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
