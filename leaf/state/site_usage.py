"""The usage of an agent by its visitors: a chart by day for each figure, and a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import reflex as rx

from leaf import errors, texts
from leaf.services import sites
from leaf.services.sites import DayOfUse
from leaf.state import session
from leaf.state.site_agent import agent_of
from leaf.texts import dates
from leaf.views.bars import Chart, bars

_USUAL_DAYS: Final = 30


@dataclass(frozen=True)
class DayView:
    """A day's line of the table. A time is empty if it is unknown."""

    day: str
    answers: str
    tokens: str
    cost: str
    visitors: str
    failed: str
    first: str
    whole: str


class SiteUsageState(rx.State):
    """The charts and the table of an agent's usage."""

    loaded: bool = False
    span: int = _USUAL_DAYS
    """The number of days shown."""
    has_any: bool = False
    messages: Chart = Chart()
    tokens: Chart = Chart()
    cost: Chart = Chart()
    visitors: Chart = Chart()
    failures: Chart = Chart()
    first: Chart = Chart()
    whole: Chart = Chart()
    days: list[DayView] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def load(self) -> None:
        await self._show(self.span)

    @rx.event(background=True)
    async def choose(self, span: int) -> None:
        await self._show(span if span in sites.SPANS_DAYS else _USUAL_DAYS)

    async def _show(self, span: int) -> None:
        with session.while_available(errors.NotFound):
            who = await session.required(self)
            agent_id = agent_of(self)
            await sites.read_agent(who.actor, agent_id)
            await self._take(span, await sites.used(who.actor, agent_id, span))

    async def _take(self, span: int, days: list[DayOfUse]) -> None:
        async with self:
            self.loaded, self.span, self.has_any = True, span, any(day.answers or day.tokens for day in days)
            self.messages = chart(days, [day.answers for day in days])
            self.tokens = chart(days, [day.tokens for day in days])
            self.cost = chart(days, [float(day.cost_usd) for day in days], places=4, sign="$")
            self.visitors = chart(days, [day.visitors for day in days], adds_up=False)
            self.failures = chart(days, [day.failed for day in days])
            self.first = chart(days, [_seconds(day.first_ms) for day in days], places=1, adds_up=False)
            self.whole = chart(days, [_seconds(day.median_ms) for day in days], places=1, adds_up=False)
            self.days = [line(day) for day in reversed(days)]


def chart(
    days: Sequence[DayOfUse], values: Sequence[float], *, places: int = 0, sign: str = "", adds_up: bool = True
) -> Chart:
    """A figure as bars, and in words.

    Args:
        days: The days, the oldest first.
        values: The figure of each day.
        places: The number of decimal places.
        sign: The prefix of a number, such as "$".
        adds_up: Whether the sum over days has a meaning. It has none for visitors, who may come on several days.
    """
    if not days or not any(values):
        return Chart("", bars(values), texts.translated(dates.short_day(days[0].day)) if days else "")
    busiest, most = max(zip(days, values, strict=True), key=lambda one: one[1])
    day, peak = texts.translated(dates.day(busiest.day)), sign + _number(most, places)
    if adds_up:
        whole = sign + _number(sum(values), places)
        words = texts.say("insights.chart", amount=whole, days=len(days), day=day, most=peak)
    else:
        words = texts.say("insights.chart_daily", day=day, most=peak)
    return Chart(words, bars(values), texts.translated(dates.short_day(days[0].day)))


def line(day: DayOfUse) -> DayView:
    return DayView(
        day.day.isoformat(), texts.number(day.answers), texts.number(day.tokens), f"${_number(float(day.cost_usd), 4)}",
        texts.number(day.visitors), texts.number(day.failed), _seconds_text(day.first_ms), _seconds_text(day.median_ms),
    )  # fmt: skip


def _seconds(ms: float | None) -> float:
    return (ms or 0) / 1000


def _seconds_text(ms: float | None) -> str:
    return "" if ms is None else _number(ms / 1000, 1)


def _number(value: float, places: int) -> str:
    return texts.number(round(value, places) if places else round(value))
