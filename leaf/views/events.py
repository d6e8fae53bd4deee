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
    """The Markdown of an answer; empty while it is being written, because its text is sent apart from the vars."""
    name: str = ""
    """The label of the tool, or the type of the error."""
    feedback: str = ""
    comment: str = ""
    usage: str = ""
    """The usage of the answer in words; only at the answer's last event."""
    at: str = ""
    """The time of the event in ISO 8601; empty while it is being written."""
    response: str = ""
    """The provider's id of the response; only at the response's first event."""
    slot: int = 0
    """The position of the text in the answer being written, by which the page receives this text."""
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
                yield from _called(part)


def _called(part: parts.Part) -> Iterator[EventView]:
    call, name, state = part["toolCallId"], parts.tool_name(part), part["state"]
    yield EventView(f"call-{call}", "tool_call", text=written(part.get("input", "")), name=tool_label(name))
    if state == "output-available":
        yield EventView(
            f"result-{call}", "tool_result", text=_result(name, result_for_team(part)), name=tool_label(name)
        )
    elif state in {"output-error", "output-denied"}:
        why = texts.stored(parts.message_of(part), _noted(part.get("errorText") or "denied"))
        yield EventView(f"result-{call}", "tool_result", text=written(why), name=tool_label(name))


def tool_label(tool: str) -> str:
    """The name of a tool as the site's team sees it."""
    return texts.say("sites.knowledge") if tool in KNOWLEDGE_TOOLS else tool


def _result(tool: str, output: Any) -> str:
    """The result of a tool as text.

    For a knowledge tool, these are the sources that could not be read, and the passages, each under its source.
    """
    if tool not in KNOWLEDGE_TOOLS or not isinstance(output, Mapping):
        return written(output)
    given = cast("Mapping[str, Any]", output)
    passages: list[Mapping[str, Any]] = given.get("passages", [given])
    found = [f"{one.get('source')} · {one.get('part')}\n{one.get('content')}" for one in passages]
    refused = [f"{one.get('source')}: {one.get('reason')}" for one in given.get("unavailable", [])]
    return written("\n\n".join([*refused, *found]) or texts.say("sites.nothing_found"))


def stored_events(found: sites.Transcript) -> Iterator[EventView]:
    """The stored events. The last event of an answer has its usage, the first event of a response the response's id."""
    used = {one["messageId"]: one for one in found.usage if one["durationMs"] is not None}
    last = {event["messageId"]: event["seq"] for event in found.events}
    shown = ""
    for event in found.events:
        view, message = _event(event), event["messageId"]
        response = event.get("providerResponseId", shown)
        ends = message in used and last[message] == event["seq"]
        yield replace(view, usage=_used(used[message]) if ends else "", response=response if response != shown else "")
        shown = response


def _event(event: Mapping[str, Any]) -> EventView:
    kind, role = event["eventType"], event.get("role", "")
    content: dict[str, object] = {
        "message": event.get("content", ""),
        "tool_call": event.get("toolInput"),
        "tool_result": _noted(event["error"])
        if "error" in event
        else _result(event.get("toolName", ""), event.get("toolResult")),
        "error": event.get("errorMessage", ""),
        "system": _noted(event.get("content", "")),
    }
    text = str(content[kind]) if kind == "message" else written(content[kind])
    metadata: Mapping[str, Any] = event.get("metadata") or {}
    return EventView(
        str(event["seq"]), kind, role,
        text="" if role == "assistant" else text,
        blocks=[nesting.flattened(text)] if role == "assistant" else [],
        name=tool_label(event.get("toolName") or event.get("errorType") or ""),
        feedback=str(metadata.get("feedback", "")),
        comment=str(metadata.get("comment") or ""),
        at=event.get("createdAt", ""),
    )  # fmt: skip


def _noted(content: str) -> str:
    return texts.say(_NOTES[content]) if content in _NOTES else content


def _used(usage: Mapping[str, Any]) -> str:
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


def written(value: object) -> str:
    """A value as text (JSON unless it is a string), cut after `_SHOWN_CHARACTERS`."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
