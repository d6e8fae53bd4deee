"""An agent's conversations as files: JSON with everything, or CSV with a line for each event."""

import csv
import io
import json
from collections.abc import AsyncGenerator
from typing import Any, Final
from uuid import UUID

from leaf import errors
from leaf.db.session import Actor
from leaf.services.sites.agents import read_agent
from leaf.services.sites.conversations import PAGE, Conversation, Filters, conversations
from leaf.services.sites.transcripts import transcript

COLUMNS: Final = (
    "chatId", "title", "visitorKind", "visitor", "pageUrl", "seq", "eventType", "role", "createdAt", "content",
    "toolName", "toolCallId", "value", "feedback",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would work out: it gets an apostrophe in front."""


async def exported(actor: Actor, agent_id: UUID, kind: str, filters: Filters | None = None) -> AsyncGenerator[bytes]:
    """All conversations of an agent, most recently active first. No transaction stays open between two of them.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        kind: json or csv.
        filters: Restricts the conversations.

    Raises:
        errors.NotFound: The agent does not exist for this member.
    """
    await read_agent(actor, agent_id)
    as_json = kind == "json"
    yield b'{"conversations": [' if as_json else _line(COLUMNS)
    separator = b"\n"
    async for found, events, usage in _every(actor, agent_id, filters):
        if as_json:
            yield separator + json.dumps(_told(found, events, usage), ensure_ascii=False).encode()
            separator = b",\n"
        else:
            yield b"".join(_line(_cells(found, event)) for event in events)
    if as_json:
        yield b"\n]}\n"


async def _every(
    actor: Actor, agent_id: UUID, filters: Filters | None
) -> AsyncGenerator[tuple[Conversation, list[dict[str, Any]], list[dict[str, Any]]]]:
    after = ""
    while True:
        page = await conversations(actor, agent_id, filters, after=after, limit=PAGE)
        for row in page.rows:
            try:
                read = await transcript(actor, row.id)
            except errors.NotFound:
                continue  # The conversation was deleted in the meantime.
            yield row, read.events, read.usage
        if not page.cursor:
            return
        after = page.cursor


def _told(row: Conversation, events: list[dict[str, Any]], usage: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": str(row.id), "title": row.title, "visitorKind": row.visitor_kind, "visitor": row.visitor,
        "context": row.context, "startedAt": row.started_at.isoformat(), "lastEventAt": row.active_at.isoformat(),
        "status": "archived" if row.archived else "active", "tokens": row.tokens, "costUsd": str(row.cost_usd),
        "events": events, "usage": usage,
    }  # fmt: skip


def _cells(row: Conversation, event: dict[str, Any]) -> list[object]:
    value = event.get("toolInput", event.get("toolResult", event.get("error", event.get("errorMessage"))))
    return [
        row.id, row.title, row.visitor_kind, row.visitor, row.context.get("pageUrl", ""), event["seq"],
        event["eventType"], event.get("role", ""), event["createdAt"], event.get("content", ""),
        event.get("toolName", event.get("errorType", "")), event.get("toolCallId", ""),
        "" if value is None else json.dumps(value, ensure_ascii=False),
        (event.get("metadata") or {}).get("feedback", ""),
    ]  # fmt: skip


def _line(cells: Any) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerow([_safe(str(cell)) for cell in cells])
    return written.getvalue().encode()


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
