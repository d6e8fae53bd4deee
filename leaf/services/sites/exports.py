"""Exports of an agent's conversations as JSON or CSV.

The CSV has a line for each event, with columns for human readers and two columns with all data as JSON.
"""

import csv
import io
import json
import re
from collections.abc import AsyncGenerator, Iterable
from typing import Any, Final
from uuid import UUID

from leaf import errors
from leaf.db.session import Actor
from leaf.services.sites.agents import read_agent
from leaf.services.sites.conversations import Conversation, conversations
from leaf.services.sites.transcripts import Transcript, transcript

_COLUMNS: Final = (
    "chatId", "title", "visitorKind", "visitor", "pageUrl", "seq", "eventType", "role", "createdAt", "content",
    "toolName", "toolCallId", "value", "feedback", "event", "conversation",
)  # fmt: skip
"""The columns of the CSV. `event` is the event as JSON. `conversation` is the conversation without its events as JSON;
only the first line of a conversation has it."""
_FORMULA: Final = re.compile(r"(?:\A|(?<=[;\t\r\n]))(?=[ ']*[=+\-@\uff1d\uff0b\uff0d\uff20])|\A(?=[\t\r\n'])")
"""Matches the places where an apostrophe keeps a program from reading a formula (OWASP, CSV injection; also full-width
signs): at the beginning of a cell, and after a character by which some programs separate cells, such as the semicolon
in Excel in some countries. A text with an apostrophe there gets another, so that a program can always remove one."""
_CSV_HEAD: Final = (",".join(_COLUMNS) + "\r\n").encode("utf-8-sig")
"""The first line of the CSV, after the byte order mark by which Excel recognises UTF-8."""


async def exported(actor: Actor, agent_id: UUID, kind: str) -> AsyncGenerator[bytes]:
    """All conversations of an agent, the most recently active first. No transaction stays open between two of them.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        kind: json or csv.

    Raises:
        errors.NotFound: The agent does not exist for this member.
    """
    await read_agent(actor, agent_id)
    as_json = kind == "json"
    yield b'{"conversations": [' if as_json else _CSV_HEAD
    separator = b"\n"
    async for found in _every(actor, agent_id):
        if as_json:
            yield separator + json.dumps(found, ensure_ascii=False).encode()
            separator = b",\n"
        else:
            yield _csv_lines(found)
    if as_json:
        yield b"\n]}\n"


async def _every(actor: Actor, agent_id: UUID) -> AsyncGenerator[dict[str, Any]]:
    after = ""
    while True:
        page = await conversations(actor, agent_id, after=after)
        for row in page.rows:
            try:
                read = await transcript(actor, row.id)
            except errors.NotFound:
                continue  # The conversation was deleted in the meantime.
            yield _described(row, read)
        if not page.cursor:
            return
        after = page.cursor


def _described(row: Conversation, read: Transcript) -> dict[str, Any]:
    return {
        "id": str(row.id), "title": row.title, "visitorKind": row.visitor_kind, "visitor": row.visitor,
        "context": row.context, "metadata": read.head.metadata, "startedAt": row.started_at.isoformat(),
        "lastEventAt": row.active_at.isoformat(), "status": "archived" if row.archived else "active",
        "tokens": row.tokens, "costUsd": str(row.cost_usd), "events": read.events, "usage": read.usage,
    }  # fmt: skip


def _csv_lines(conversation: dict[str, Any]) -> bytes:
    """The CSV lines of a conversation, one for each event; a single line if it has no events."""
    head = _json({name: one for name, one in conversation.items() if name != "events"})
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
        own.get("toolCallId", ""), "" if value is None else _json(value),
        metadata.get("feedback", ""),
        "" if event is None else _json(event), head,
    ]  # fmt: skip


def _line(cells: Iterable[object]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerow([_safe(str(cell)) for cell in cells])
    return written.getvalue().encode("utf-8", "surrogatepass")


def _safe(cell: str) -> str:
    return _FORMULA.sub("'", cell)


def _json(value: object) -> str:
    """A value as JSON. Semicolons in its strings are escaped, because some programs separate cells by them."""
    return json.dumps(value, ensure_ascii=False).replace(";", "\\u003b")
