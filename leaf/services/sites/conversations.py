"""Read-only lists of visitors' conversations for the site's team.

SQL functions return the lists. Each function checks the membership and names its columns.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import text

from leaf import errors, texts
from leaf.db.session import Actor, transaction
from leaf.services.chats.lists import Cursor

PAGE: Final = 50
Wanted = Literal["all", "active", "archived", "running", "failed"]
PHRASE_CHARACTERS: Final = 200


@dataclass(frozen=True)
class Filters:
    """Conditions on listed conversations."""

    since: datetime | None = None
    until: datetime | None = None
    wanted: Wanted = "all"
    sentiment: Literal["all", "up", "down"] = "all"
    phrase: str = ""
    """A phrase that the title or a message must contain."""


@dataclass(frozen=True)
class Conversation:
    """A conversation in a list."""

    id: UUID
    title: str
    visitor_kind: str
    visitor: str
    """The site's own id of the user; empty for an anonymous browser."""
    context: dict[str, Any]
    started_at: datetime
    active_at: datetime
    archived: bool
    running: bool
    failed: bool
    messages: int
    thumbs_up: int
    thumbs_down: int
    tokens: int
    cost_usd: Decimal


@dataclass(frozen=True)
class Page:
    """A page of conversations, the most recently active first."""

    rows: list[Conversation]
    cursor: str = ""
    """Cursor of the next page; empty on the last page."""


async def conversations(
    actor: Actor, agent_id: UUID, filters: Filters | None = None, *, after: str = "", limit: int = PAGE
) -> Page:
    """A page of an agent's conversations. Empty if the actor is not in the site's team.

    Raises:
        errors.Invalid: The cursor is unknown, or the phrase is too long.
    """
    wanted = filters or Filters()
    if len(wanted.phrase) > PHRASE_CHARACTERS:
        raise errors.Invalid(texts.english("errors.phrase_length", most=PHRASE_CHARACTERS), field="phrase")
    before = Cursor.parse(after) if after else None
    values = {
        "agent": agent_id, "since": wanted.since, "until": wanted.until, "wanted": wanted.wanted,
        "sentiment": wanted.sentiment, "phrase": wanted.phrase.strip().replace("\0", ""),
        "before_at": before.active_at if before else None, "before_id": before.chat_id if before else None,
        "most": limit + 1,
    }  # fmt: skip
    query = text(
        "SELECT * FROM leaf_tenant_chats(:agent, CAST(:since AS timestamptz), CAST(:until AS timestamptz), :wanted, "
        ":sentiment, :phrase, CAST(:before_at AS timestamptz), CAST(:before_id AS uuid), :most)"
    )
    async with transaction(actor, read_only=True) as tx:
        found = (await tx.execute(query, values)).all()
    rows = [_conversation(row) for row in found[:limit]]
    return Page(rows, str(Cursor(rows[-1].active_at, rows[-1].id)) if len(found) > limit else "")


def _conversation(row: Any) -> Conversation:
    return Conversation(
        row.chat_id, row.title, row.kind, row.subject, row.context, row.started_at, row.active_at, row.archived,
        row.running, row.failed, int(row.messages), int(row.thumbs_up), int(row.thumbs_down), int(row.tokens),
        Decimal(row.cost_usd),
    )  # fmt: skip
