"""The page of an agent's conversations: a list with filters, one transcript, and what was used."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, get_args
from uuid import UUID

import reflex as rx

from leaf import errors
from leaf.db import Actor
from leaf.db.models import utc_now
from leaf.services import tenants
from leaf.services.tenants import Conversation, Filters
from leaf.services.tenants.conversations import Wanted
from leaf.state import session
from leaf.state.site_agent import agent_in

_DAYS: Final = 30
_SHOWN_CHARACTERS: Final = 2000
"""Of what a tool was given or has returned; an export has all of it."""


@dataclass(frozen=True)
class RowView:
    """A conversation in the list."""

    id: str
    title: str
    who: str
    """The site's id of the user; empty for a browser."""
    kind: str
    active: str
    """In ISO 8601."""
    messages: int
    tokens: int
    cost: str
    up: int
    down: int
    running: bool
    failed: bool
    archived: bool


@dataclass(frozen=True)
class EventView:
    """An event of a transcript."""

    seq: int
    kind: str
    role: str
    text: str
    name: str
    """Of a tool, or of an error."""
    feedback: str


@dataclass(frozen=True)
class FactView:
    """A field of what the visitor's page said of itself."""

    name: str
    value: str


@dataclass(frozen=True)
class DayView:
    """What was used on a day."""

    day: str
    answers: int
    failed: int
    visitors: int
    tokens: int
    cost: str
    seconds: str
    """That an answer took; half of them took longer."""


class ConversationsState(rx.State):
    """What the page shows."""

    loaded: bool = False
    agent: str = ""
    name: str = ""
    rows: list[RowView] = []  # noqa: RUF012 - Reflex copies it
    cursor: str = ""
    chat: str = ""
    """Whose transcript is open; empty for none."""
    title: str = ""
    events: list[EventView] = []  # noqa: RUF012
    facts: list[FactView] = []  # noqa: RUF012
    days: list[DayView] = []  # noqa: RUF012
    _filters: dict[str, str] = {}  # noqa: RUF012
    _contexts: dict[str, dict[str, Any]] = {}  # noqa: RUF012

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the newest conversations, and what was used in the last 30 days."""
        try:
            who = await session.required(self)
            agent_id = agent_in(str(self.router.url.path))
            row = await tenants.read_agent(who.actor, agent_id)
            days = await tenants.used(who.actor, agent_id, utc_now().date() - timedelta(days=_DAYS))
        except (errors.Unauthenticated, errors.Unavailable):
            return  # The tab's attendance tells it, and tries again.
        except errors.NotFound:
            async with self:
                self.loaded, self.agent = True, ""
            return
        async with self:
            self.loaded, self.agent, self.name = True, str(agent_id), row.name
            self.days = [_day(one) for one in reversed(days)]
            self._filters, self.chat = {}, ""
        await self._list(who.actor, agent_id, "")

    @rx.event(background=True)
    async def search(self, form: dict[str, Any]) -> None:
        """Lists the conversations that are wanted."""
        who = await session.required(self)
        async with self:
            self._filters = {name: str(value) for name, value in form.items()}
            self.chat = ""
        await self._list(who.actor, agent_in(str(self.router.url.path)), "")

    @rx.event(background=True)
    async def more(self) -> None:
        """Lists the next page."""
        who = await session.required(self)
        await self._list(who.actor, agent_in(str(self.router.url.path)), self.cursor)

    @rx.event(background=True)
    async def look(self, chat: str) -> None:
        """Opens a transcript, or reads it again."""
        who = await session.required(self)
        found = await tenants.transcript(who.actor, session.identifier(chat, "chat"))
        context = self._contexts.get(chat, {})
        title = next((row.title for row in self.rows if row.id == chat), "")
        async with self:
            self.chat, self.title = chat, title
            self.events = [_event(event) for event in found.events]
            self.facts = [FactView(name, _written(value)) for name, value in context.items()]

    @rx.event
    def close(self) -> None:
        """Closes the transcript."""
        self.chat, self.events, self.facts = "", [], []

    async def _list(self, actor: Actor, agent_id: UUID, after: str) -> None:
        page = await tenants.conversations(actor, agent_id, filters_of(self._filters), after=after)
        async with self:
            rows = [_row(row) for row in page.rows]
            contexts = {str(row.id): row.context for row in page.rows}
            self.rows = [*self.rows, *rows] if after else rows
            self._contexts = {**self._contexts, **contexts} if after else contexts
            self.cursor = page.cursor


def filters_of(form: Mapping[str, str]) -> Filters:
    """What a form asks for; what it does not know is everything."""
    wanted, sentiment = form.get("wanted", ""), form.get("sentiment", "")
    until = _day_of(form.get("until", ""))
    return Filters(
        since=_day_of(form.get("since", "")),
        until=until + timedelta(days=1) if until else None,
        wanted=wanted if wanted in get_args(Wanted) else "all",  # pyright: ignore[reportArgumentType]
        sentiment=sentiment if sentiment in {"up", "down"} else "all",  # pyright: ignore[reportArgumentType]
        phrase=form.get("phrase", "")[:200],
    )


def _day_of(written: str) -> datetime | None:
    try:
        day = date.fromisoformat(written)
        return datetime(day.year, day.month, day.day, tzinfo=UTC) if day < date(9999, 1, 1) else None
    except ValueError:
        return None


def _row(row: Conversation) -> RowView:
    return RowView(
        str(row.id), row.title, row.visitor, row.visitor_kind, row.active_at.isoformat(), row.messages, row.tokens,
        f"{row.cost_usd:.4f}", row.thumbs_up, row.thumbs_down, row.running, row.failed, row.archived,
    )  # fmt: skip


def _day(day: tenants.DayOfUse) -> DayView:
    seconds = "" if day.median_ms is None else f"{day.median_ms / 1000:.1f}"
    return DayView(
        day.day.isoformat(), day.answers, day.failed, day.visitors, day.tokens, f"{day.cost_usd:.4f}", seconds
    )


def _event(event: Mapping[str, Any]) -> EventView:
    kind = event["eventType"]
    texts: dict[str, object] = {
        "message": event.get("content", ""),
        "tool_call": event.get("toolInput"),
        "tool_result": event.get("error", event.get("toolResult")),
        "error": event.get("errorMessage", ""),
        "system": event.get("content", ""),
    }
    name = event.get("toolName") or event.get("errorType") or ""
    metadata: Mapping[str, Any] = event.get("metadata") or {}
    return EventView(
        event["seq"], kind, event.get("role", ""), _written(texts[kind]), name, str(metadata.get("feedback", ""))
    )


def _written(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
