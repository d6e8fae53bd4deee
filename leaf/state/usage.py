"""The Usage page: usage, budgets and limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import reflex as rx

from leaf import config, texts
from leaf.db.models import utc_now
from leaf.services import models, usage
from leaf.services.usage import Standing, Totals
from leaf.state import session
from leaf.texts import dates
from leaf.views import amounts
from leaf.views.amounts import Fact
from leaf.views.bars import Chart, bars


@dataclass(frozen=True)
class BudgetView:
    name: str
    used: str
    left: str
    reset: str
    percent: int
    """The used share, 0 to 100."""
    full: bool


@dataclass(frozen=True)
class DayView:
    label: str
    tokens: str
    cost: str


@dataclass(frozen=True)
class LineView:
    name: str
    path: str
    """The path to which the name links; empty if there is none."""
    requests: str
    input: str
    output: str
    cost: str


class UsageState(rx.State):
    """The charts, tables and budgets of the Usage page."""

    loaded: bool = False
    budgets: list[BudgetView] = []  # noqa: RUF012 - Reflex copies it
    rate: str = ""
    """The rate limit of questions, in words; empty if there is none."""
    today: list[Fact] = []  # noqa: RUF012
    month: list[Fact] = []  # noqa: RUF012
    days: list[DayView] = []  # noqa: RUF012
    tokens: Chart = Chart()
    cost: Chart = Chart()
    by_model: list[LineView] = []  # noqa: RUF012
    by_chat: list[LineView] = []  # noqa: RUF012
    by_purpose: list[LineView] = []  # noqa: RUF012

    @rx.event(background=True)
    async def load(self) -> None:
        with session.while_available():
            who = await session.required(self)
            await self._take(await usage.report(who.actor))

    async def _take(self, found: usage.Report) -> None:
        now = utc_now()
        async with self:
            self.budgets = [budget_view(standing, now) for standing in found.standings]
            self.rate = rate()
            self.today, self.month = facts(found.today), facts(found.month)
            self.days = [_day(day, totals) for day, totals in found.days]
            self.tokens, self.cost = charts(found.days)
            self.by_model = [line(models.label_of(model), totals) for model, totals in found.models]
            self.by_chat = [_chat(chat) for chat in found.chats]
            self.by_purpose = [line(amounts.purpose(name), totals) for name, totals in found.purposes]
            self.loaded = True


def budget_view(standing: Standing, now: datetime) -> BudgetView:
    """A budget in words, and the length of its bar."""
    percent = int(min(Decimal(100), 100 * standing.used / standing.limit))
    amount = usage.amount(standing.unit, standing.left)
    left = texts.say("spent.left", amount=amount)
    if standing.reserved:
        reserved = usage.amount(standing.unit, min(standing.reserved, standing.left))
        left = texts.say("spent.left_reserved", amount=amount, reserved=reserved)
    return BudgetView(
        name=texts.say(_NAMES[standing.period, standing.unit]),
        used=texts.say("spent.used", used=_used(standing), limit=usage.amount(standing.unit, standing.limit)),
        left=left,
        reset=texts.say("spent.anew", reset=standing.reset(now)),
        percent=percent,
        full=standing.left <= 0,
    )


_NAMES: dict[tuple[str, str], str] = {
    ("day", "tokens"): "spent.today_tokens",
    ("day", "usd"): "spent.today_dollars",
    ("month", "tokens"): "spent.month_tokens",
    ("month", "usd"): "spent.month_dollars",
}


def _used(standing: Standing) -> str | int:
    """The used amount. A number of tokens has no unit, because the limit after it has one."""
    return int(standing.used) if standing.unit == "tokens" else usage.amount(standing.unit, standing.used)


def rate() -> str:
    """The rate limit of questions, in words; empty if there is none."""
    most = config.current().requests_per_minute
    return texts.say("spent.rate", count=most) if most else ""


def facts(totals: Totals) -> list[Fact]:
    """The usage of a day or month: tokens, cost and requests."""
    return [
        Fact(texts.say("spent.tokens"), texts.number(totals.tokens)),
        Fact(texts.say("spent.cost"), amounts.cost(totals)),
        Fact(texts.say("spent.requests"), texts.number(totals.requests)),
    ]


def _day(day: date, totals: Totals) -> DayView:
    return DayView(texts.translated(dates.short_day(day)), texts.number(totals.tokens), amounts.short_cost(totals))


def charts(days: Sequence[tuple[date, Totals]]) -> tuple[Chart, Chart]:
    """The charts of tokens and of cost (US dollars). A chart has no words if all its values are zero."""
    dated = [day for day, _ in days]
    tokens, cost = [Decimal(totals.tokens) for _, totals in days], [totals.cost_usd for _, totals in days]
    return _chart(dated, tokens, "tokens"), _chart(dated, cost, "usd")


def _chart(days: Sequence[date], values: Sequence[Decimal], unit: usage.Unit) -> Chart:
    if not days:
        return Chart()
    most, busiest = max(zip(values, days, strict=True), key=lambda one: one[0])
    peak = int(most) if unit == "tokens" else usage.amount(unit, most)
    whole = usage.amount(unit, sum(values, Decimal()))
    words = texts.say("spent.chart", amount=whole, days=len(days), day=dates.day(busiest), most=peak)
    first = texts.translated(dates.short_day(days[0]))
    return Chart(words if most else "", bars([float(value) for value in values]), first)


def _chat(chat: usage.ChatTotals) -> LineView:
    if chat.title is None:
        name = texts.say("spent.deleted_chats") if chat.id is None else texts.say("spent.untitled_chat")
        return line(name, chat.totals)
    return line(chat.title, chat.totals, path=f"/chat/{chat.id}")


def line(name: str, totals: Totals, *, path: str = "") -> LineView:
    return LineView(
        name=name,
        path=path,
        requests=texts.number(totals.requests),
        input=texts.number(totals.input_tokens),
        output=texts.number(totals.output_tokens),
        cost=amounts.short_cost(totals),
    )
