"""The Usage page: what was used, and what may be used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import reflex as rx

from leaf import config, errors
from leaf.db.models import utc_now
from leaf.services import models, usage
from leaf.services.usage import Standing, Totals
from leaf.state import session, spent
from leaf.state.spent import Fact

COLUMN_WIDTH = 20
CHART_HEIGHT = 1000
_SMALLEST_BAR = 15


@dataclass(frozen=True)
class BudgetView:
    """A budget as its bar shows it."""

    name: str
    used: str
    left: str
    reset: str
    percent: int
    """0-100 of it are used."""
    full: bool


@dataclass(frozen=True)
class DayView:
    """A day of the charts; `x`, `y` and heights are in the charts' own units."""

    label: str
    tokens: str
    cost: str
    x: int
    token_y: int
    token_height: int
    cost_y: int
    cost_height: int


@dataclass(frozen=True)
class LineView:
    """A line of a table."""

    name: str
    path: str
    """Where its name leads, if anywhere."""
    requests: str
    input: str
    output: str
    cost: str


class UsageState(rx.State):
    """What the Usage page shows."""

    loaded: bool = False
    budgets: list[BudgetView] = []  # noqa: RUF012 - Reflex copies it
    rate: str = ""
    """How often one may ask; empty where that is not limited."""
    today: list[Fact] = []  # noqa: RUF012
    month: list[Fact] = []  # noqa: RUF012
    days: list[DayView] = []  # noqa: RUF012
    any_tokens: bool = False
    any_cost: bool = False
    tokens_told: str = ""
    """The chart of tokens in words."""
    cost_told: str = ""
    by_model: list[LineView] = []  # noqa: RUF012
    by_chat: list[LineView] = []  # noqa: RUF012
    by_purpose: list[LineView] = []  # noqa: RUF012

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads what the page shows."""
        try:
            who = await session.required(self)
            found = await usage.report(who.actor)
        except (errors.Unauthenticated, errors.Unavailable):
            return  # The tab's attendance tells it, and tries again.
        now = utc_now()
        async with self:
            self.budgets = [budget_view(standing, now) for standing in found.standings]
            self.rate = rate()
            self.today, self.month = facts(found.today), facts(found.month)
            self.days = day_views(found.days)
            self.any_tokens = any(totals.tokens for _, totals in found.days)
            self.any_cost = any(totals.cost_usd for _, totals in found.days)
            self.tokens_told, self.cost_told = chart_words(found.days)
            self.by_model = [line(models.label_of(model), totals) for model, totals in found.models]
            self.by_chat = [_chat(chat) for chat in found.chats]
            self.by_purpose = [line(spent.PURPOSES.get(name, name), totals) for name, totals in found.purposes]
            self.loaded = True


def budget_view(standing: Standing, now: datetime) -> BudgetView:
    """A budget in words, and the length of its bar."""
    percent = int(min(Decimal(100), 100 * standing.used / standing.limit))
    reserved = ""
    if standing.reserved:
        reserved = f", of which {usage.amount(standing.unit, min(standing.reserved, standing.left))} are set aside"
    return BudgetView(
        name=("Today" if standing.period == "day" else "This month")
        + (", tokens" if standing.unit == "tokens" else ", US dollars"),
        used=f"{_bare(standing)} of {usage.amount(standing.unit, standing.limit)} used",
        left=f"{usage.amount(standing.unit, standing.left)} left{reserved}",
        reset=f"Begins anew at {standing.reset(now)}",
        percent=percent,
        full=standing.left <= 0,
    )


def _bare(standing: Standing) -> str:
    told = usage.amount(standing.unit, standing.used)
    return told.partition(" ")[0] if standing.unit == "tokens" else told


def rate() -> str:
    """How often one may ask, in words."""
    most = config.current().requests_per_minute
    return "" if most is None else f"At most {most:,} {'question' if most == 1 else 'questions'} a minute."


def facts(totals: Totals) -> list[Fact]:
    """What was used in a day or a month."""
    return [
        Fact("Tokens", f"{totals.tokens:,}"),
        Fact("Cost", spent.cost(totals)),
        Fact("Requests to the model", f"{totals.requests:,}"),
    ]


def day_views(days: Sequence[tuple[date, Totals]]) -> list[DayView]:
    """The days with their bars, each chart as high as its highest day."""
    most_tokens = max((totals.tokens for _, totals in days), default=0)
    most_cost = max((totals.cost_usd for _, totals in days), default=Decimal(0))
    views: list[DayView] = []
    for place, (day, totals) in enumerate(days):
        token_height = _bar(totals.tokens / most_tokens if most_tokens else 0)
        cost_height = _bar(float(totals.cost_usd / most_cost) if most_cost else 0)
        views.append(
            DayView(
                label=f"{day.day} {day.strftime('%b')}",
                tokens=f"{totals.tokens:,}",
                cost=spent.short_cost(totals),
                x=place * COLUMN_WIDTH + COLUMN_WIDTH * 3 // 20,
                token_y=CHART_HEIGHT - token_height,
                token_height=token_height,
                cost_y=CHART_HEIGHT - cost_height,
                cost_height=cost_height,
            )
        )
    return views


def _bar(part: float) -> int:
    return round(max(part * CHART_HEIGHT, _SMALLEST_BAR)) if part > 0 else 0


def chart_words(days: Sequence[tuple[date, Totals]]) -> tuple[str, str]:
    """The two charts in words: tokens and US dollars."""
    if not days:
        return "", ""
    busiest, most = max(days, key=lambda day: day[1].tokens)
    dearest, highest = max(days, key=lambda day: day[1].cost_usd)
    whole = sum((totals for _, totals in days), Totals())
    lately = f"in the last {len(days)} days, most on"
    tokens = f"{spent.tokens(whole.tokens)} {lately} {_named(busiest)}: {most.tokens:,}"
    cost = f"{usage.amount('usd', whole.cost_usd)} {lately} {_named(dearest)}: {usage.amount('usd', highest.cost_usd)}"
    return tokens, cost


def _named(day: date) -> str:
    return f"{day.day} {day.strftime('%B')}"


def _chat(chat: usage.ChatTotals) -> LineView:
    if chat.title is None:
        return line("Deleted chats" if chat.id is None else "A chat without a title", chat.totals)
    return line(chat.title, chat.totals, path=f"/chat/{chat.id}")


def line(name: str, totals: Totals, *, path: str = "") -> LineView:
    """A line of a table."""
    return LineView(
        name=name,
        path=path,
        requests=f"{totals.requests:,}",
        input=f"{totals.input_tokens:,}",
        output=f"{totals.output_tokens:,}",
        cost=spent.short_cost(totals),
    )
