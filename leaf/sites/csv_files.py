"""Conversations as CSV: a line for each event, with columns for people, and two columns with everything as JSON."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any, Final

COLUMNS: Final = (
    "chatId", "title", "visitorKind", "visitor", "pageUrl", "seq", "eventType", "role", "createdAt", "content",
    "toolName", "toolCallId", "value", "feedback", "event", "conversation",
)  # fmt: skip
"""`event` is the event as JSON; `conversation`, in the first line of each, all but its events."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "'")
"""Cells that begin with one of these get an apostrophe in front: formulas, and cells with an apostrophe of their own,
so that a reader removes the first one of a cell."""

CSV_HEAD: Final = (",".join(COLUMNS) + "\r\n").encode()
"""The first line."""


def csv_lines(conversation: dict[str, Any]) -> bytes:
    """The lines of a conversation as it is exported; one line if it has no events."""
    head = json.dumps({name: one for name, one in conversation.items() if name != "events"}, ensure_ascii=False)
    events: list[dict[str, Any] | None] = conversation["events"] or [None]
    return b"".join(_line(_cells(conversation, event, "" if place else head)) for place, event in enumerate(events))


def _cells(conversation: dict[str, Any], event: dict[str, Any] | None, head: str) -> list[object]:
    own = event or {}
    metadata: dict[str, Any] = own.get("metadata") or {}
    value = own.get("toolInput", own.get("toolResult", own.get("error", own.get("errorMessage"))))
    return [
        conversation["id"], conversation["title"], conversation["visitorKind"], conversation["visitor"],
        conversation["context"].get("pageUrl", ""), own.get("seq", ""), own.get("eventType", ""), own.get("role", ""),
        own.get("createdAt", ""), own.get("content", ""), own.get("toolName", own.get("errorType", "")),
        own.get("toolCallId", ""), "" if value is None else json.dumps(value, ensure_ascii=False),
        metadata.get("feedback", ""),
        "" if event is None else json.dumps(event, ensure_ascii=False), head,
    ]  # fmt: skip


def _line(cells: Iterable[object]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerow([_safe(str(cell)) for cell in cells])
    return written.getvalue().encode("utf-8", "surrogatepass")


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
