"""The list of an agent's conversations, with filters."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, get_args

import reflex as rx

from leaf import texts
from leaf.db import Actor
from leaf.services import sites, usage
from leaf.services.sites import Conversation, Filters
from leaf.services.sites.conversations import Wanted
from leaf.state import session
from leaf.state.page import Page
from leaf.state.site_agent import agent_of
from leaf.views.alerts import in_words


@dataclass(frozen=True)
class RowView:
    id: str
    title: str
    who: str
    """The site's own id of the user; empty for an anonymous browser."""
    kind: str
    active: str
    """The time of the last activity in ISO 8601."""
    used: str
    """The numbers of messages and tokens, and the cost, in words."""
    up: int
    down: int
    running: bool
    failed: bool
    archived: bool


@dataclass(frozen=True)
class Form:
    phrase: str = ""
    wanted: str = ""
    sentiment: str = ""
    since: str = ""
    until: str = ""


class ConversationsState(Page, rx.State):
    """The list, its filters and the agent's budgets."""

    agent: str = ""
    name: str = ""
    site: str = ""
    site_name: str = ""
    alerts: list[str] = []  # noqa: RUF012
    """The alerts about budgets, in words."""
    rows: list[RowView] = []  # noqa: RUF012 - Reflex copies it
    cursor: str = ""
    form: Form = Form()
    """The filters. They stay during a visit to a transcript."""

    async def _read(self, actor: Actor) -> None:
        agent_id = agent_of(self)
        row = await sites.read_agent(actor, agent_id)
        site = await sites.read(actor, row.site_id)
        alerts = await sites.alerts(actor, agent_id)
        async with self:
            self.loaded, self.agent, self.name = True, str(agent_id), row.name
            self.site, self.site_name = str(site.id), site.name
            self.alerts = [in_words(alert) for alert in alerts]
        await self._list(actor, "")

    @rx.event(background=True)
    async def search(self, form: dict[str, Any]) -> None:
        """Lists the conversations that match the filters."""
        who = await session.required(self)
        async with self:
            self.form = Form(**{name: str(form.get(name) or "")[:200] for name in Form.__dataclass_fields__})
        await self._list(who.actor, "")

    @rx.event(background=True)
    async def more(self) -> None:
        who = await session.required(self)
        await self._list(who.actor, self.cursor)

    async def _list(self, actor: Actor, after: str) -> None:
        page = await sites.conversations(actor, agent_of(self), filters_of(asdict(self.form)), after=after)
        async with self:
            rows = [row_view(row) for row in page.rows]
            self.rows = [*self.rows, *rows] if after else rows
            self.cursor = page.cursor


def filters_of(form: Mapping[str, str]) -> Filters:
    """The filters of a form. Unknown values do not filter."""
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


def row_view(row: Conversation) -> RowView:
    amounts = (usage.amount("tokens", Decimal(row.tokens)), usage.amount("usd", row.cost_usd))
    messages = texts.say("sites.message_count", count=row.messages)
    used = " · ".join((messages, *map(texts.translated, amounts)))
    return RowView(
        str(row.id), row.title, row.visitor, row.visitor_kind, row.active_at.isoformat(), used, row.thumbs_up,
        row.thumbs_down, row.running, row.failed, row.archived,
    )  # fmt: skip
