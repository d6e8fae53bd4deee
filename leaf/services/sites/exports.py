"""An agent's conversations as files: JSON, or CSV with a line for each event (columns:
`leaf.sites.csv_files`). Both hold everything.
"""

import json
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

from leaf import errors, sites
from leaf.db.session import Actor
from leaf.services.sites.agents import read_agent
from leaf.services.sites.conversations import PAGE, Conversation, Filters, conversations
from leaf.services.sites.transcripts import Transcript, transcript


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
    yield b'{"conversations": [' if as_json else sites.CSV_HEAD
    separator = b"\n"
    async for found in _every(actor, agent_id, filters):
        if as_json:
            yield separator + json.dumps(found, ensure_ascii=False).encode()
            separator = b",\n"
        else:
            yield sites.csv_lines(found)
    if as_json:
        yield b"\n]}\n"


async def _every(actor: Actor, agent_id: UUID, filters: Filters | None) -> AsyncGenerator[dict[str, Any]]:
    after = ""
    while True:
        page = await conversations(actor, agent_id, filters, after=after, limit=PAGE)
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
