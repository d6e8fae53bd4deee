"""Conversations as CSV: a line for each event, with columns to read and sort by, and two with everything as JSON."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from leaf import errors

COLUMNS: Final = (
    "chatId", "title", "visitorKind", "visitor", "pageUrl", "seq", "eventType", "role", "createdAt", "content",
    "toolName", "toolCallId", "value", "feedback", "event", "conversation",
)  # fmt: skip
"""`event` is the event as JSON; `conversation`, in the first line of each, all but its events."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings of cells that get an apostrophe in front: of formulas, and an apostrophe, so that it can be taken away."""
_MOST_CHARACTERS: Final = 50_000_000


CSV_HEAD: Final = (",".join(COLUMNS) + "\r\n").encode()
"""The first line."""


def csv_lines(conversation: dict[str, Any]) -> bytes:
    """The lines of a conversation as it is exported; one line if it has no events."""
    head = json.dumps({name: one for name, one in conversation.items() if name != "events"}, ensure_ascii=False)
    events: list[dict[str, Any] | None] = conversation["events"] or [None]
    return b"".join(_line(_cells(conversation, event, "" if place else head)) for place, event in enumerate(events))


def conversations_of(text: str) -> list[dict[str, Any]]:
    """The conversations of an exported CSV file, as they were exported.

    Raises:
        errors.Invalid: It is no such file.
    """
    try:
        return [*_conversations(csv.DictReader(io.StringIO(text, newline=""), strict=True))]
    except (csv.Error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise errors.Invalid("This is not a CSV file of exported conversations.", field="file") from error


def _conversations(lines: Iterable[dict[str, str]]) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] | None = None
    csv.field_size_limit(_MOST_CHARACTERS)
    for line in lines:
        if line["conversation"]:
            if found is not None:
                yield found
            head = json.loads(_cell(line["conversation"]))
            usage = head.pop("usage", [])
            # In the order of the JSON file.
            found = {**head, "events": [], "usage": usage}
        if found is None:
            raise ValueError("an event before its conversation")
        if line["event"]:
            found["events"].append(json.loads(_cell(line["event"])))
    if found is not None:
        yield found


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


def _cell(written: str) -> str:
    return written.removeprefix("'")
