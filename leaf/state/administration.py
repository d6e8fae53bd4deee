"""The administration page. Only configured administrators can see that it exists."""

import re
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

import reflex as rx

from leaf import __version__, errors
from leaf.services import administration, models, operation, usage
from leaf.services.usage import Totals
from leaf.state import session
from leaf.state.security import EventView, view
from leaf.texts import say, translated
from leaf.views import amounts, user_agents
from leaf.views.bars import Bar, bars


@dataclass(frozen=True)
class PersonView:
    """A line of the list of people. Times are in ISO 8601."""

    id: str
    name: str
    email: str
    seen: str
    chats: int
    tokens: int
    cost: str


@dataclass(frozen=True)
class DayView:
    day: str
    people: int
    tokens: int
    cost: str


@dataclass(frozen=True)
class FeedbackView:
    id: str
    at: str
    sentiment: str
    comment: str
    page: str
    device: str
    email: str
    run_id: str
    model: str


@dataclass(frozen=True)
class FailureView:
    run_id: str
    trace_id: str
    at: str
    code: str
    model: str


@dataclass(frozen=True)
class ModelView:
    """A model. `off` is the reason why it cannot be chosen, and `trial` the outcome of the last trial."""

    id: str
    label: str
    provider: str
    usual: bool
    off: str = ""
    trial: str = ""
    failed: bool = False


@dataclass(frozen=True)
class PackageView:
    name: str
    version: str


class AdministrationState(rx.State):
    """The figures and lists of the page."""

    phase: str = "loading"
    """loading, ready, or missing."""
    people: list[PersonView] = []  # noqa: RUF012 - Reflex copies it
    days: list[DayView] = []  # noqa: RUF012
    bars: list[Bar] = []  # noqa: RUF012
    """The bars for the tokens of the days."""
    tokens: int = 0
    """The sum of tokens over all days."""
    wanted: str = "all"
    feedback_entries: list[FeedbackView] = []  # noqa: RUF012
    failures: list[FailureView] = []  # noqa: RUF012
    events: list[EventView] = []  # noqa: RUF012
    version: str = __version__
    alerts: list[str] = []  # noqa: RUF012
    """Problems that an administrator can solve."""
    models: list[ModelView] = []  # noqa: RUF012
    keys: list[operation.Key] = []  # noqa: RUF012
    tried: str = ""
    """The id of the model that is being tried; empty if none is."""
    database: str = ""
    revision: str = ""
    megabytes: int = 0
    unfinished: int = 0
    large_chats: int = 0
    redis: str = ""
    redis_memory: str = ""
    queue: int = 0
    worker: str = ""
    packages: list[PackageView] = []  # noqa: RUF012

    @rx.event(background=True)
    async def load(self) -> None:
        try:
            who = await session.required(self)
            people = await administration.people(who)
            days = await administration.usage_by_day(who)
            entries = await administration.feedback(who, self.wanted)
            failures = await administration.failures(who)
            health = await administration.health(who)
            alerts = [translated(one) for one in await operation.alerts(who)]
            known, keys = await operation.known_models(who), await operation.keys(who)
            await administration.opened(who)
            events = [view(event) for event in await administration.security_events(who)]
        except errors.NotFound:
            async with self:
                self.reset()
                self.phase = "missing"
            return
        except (errors.Unauthenticated, errors.Unavailable):
            return  # The tab's attendance shows the failure.
        async with self:
            self.people, self.days = [_person(one) for one in people], [_day(*one) for one in days]
            self.bars = bars([totals.tokens for _, totals, _ in days])
            self.tokens = sum(totals.tokens for _, totals, _ in days)
            self.feedback_entries = [_feedback_view(one) for one in entries]
            self.failures = [_failure(one) for one in failures]
            self.events = events
            self._show_health(health)
            self.alerts, self.models = alerts, [_model(one) for one in known]
            self.keys, self.phase = keys, "ready"

    @rx.event(background=True)
    async def choose(self, wanted: str) -> None:
        """Filters the feedback by all, up, down, or commented."""
        who = await session.required(self)
        entries = await administration.feedback(who, wanted)
        async with self:
            self.wanted = wanted if wanted in administration.WANTED else "all"
            self.feedback_entries = [_feedback_view(one) for one in entries]

    @rx.event(background=True)
    async def try_model(self, model_id: str) -> None:
        """Tries a model in a worker, and shows the outcome beside it. Only one trial runs at a time."""
        who = await session.required(self)
        async with self:
            if self.tried:
                return
            self.tried = model_id
        try:
            trial = await operation.try_model(who, model_id)
        finally:
            async with self:
                self.tried = ""
        outcome = trial.failure or say("operation.answered", seconds=trial.seconds)
        async with self:
            self.models = [
                replace(one, trial=outcome, failed=bool(trial.failure)) if one.id == model_id else one
                for one in self.models
            ]

    @rx.event(background=True)
    async def look_for_servers(self) -> None:
        """Looks for model servers, and reads the models and alerts again."""
        who = await session.required(self)
        await operation.look_for_servers(who)
        known, alerts = await operation.known_models(who), [translated(one) for one in await operation.alerts(who)]
        async with self:
            self.models, self.alerts = [_model(one) for one in known], alerts

    def _show_health(self, health: administration.Health) -> None:
        self.database, self.revision, self.unfinished = health.database, health.revision, health.unfinished
        self.large_chats = health.large_chats
        self.megabytes = round(health.database_bytes / 1_000_000)
        self.redis, self.redis_memory = health.redis or "", amounts.size(health.redis_bytes or 0)
        self.queue, self.worker = health.queue or 0, _worker_text(health.worker or "")
        self.packages = [PackageView(name, version) for name, version in health.versions.items()]


def _model(one: operation.Known) -> ModelView:
    return ModelView(one.id, one.label, one.provider, one.usual, translated(one.off) if one.off is not None else "")


def _worker_text(heartbeat: str) -> str:
    """The counts of a worker's heartbeat in words. A heartbeat of unknown form is returned unchanged."""
    counts = {name: int(count) for name, count in re.findall(r"j_(\w+)=(\d+)", heartbeat)}
    if not {"complete", "failed", "retried", "ongoing"} <= counts.keys():
        return heartbeat
    return say(
        "account.worker_said",
        done=counts["complete"],
        failed=counts["failed"],
        again=counts["retried"],
        ongoing=counts["ongoing"],
    )


def _day(day: date, totals: Totals, people: int) -> DayView:
    return DayView(day.isoformat(), people, totals.tokens, _usd(totals.cost_usd))


def _person(one: administration.Person) -> PersonView:
    seen = one.last_seen_at.isoformat() if one.last_seen_at is not None else ""
    return PersonView(str(one.id), one.name, one.email, seen, one.chats, one.tokens, _usd(one.cost_usd))


def _feedback_view(one: administration.FeedbackEntry) -> FeedbackView:
    return FeedbackView(
        id=str(one.id),
        at=one.at.isoformat(),
        sentiment=one.sentiment or "",
        comment=one.comment,
        page=one.page,
        device=user_agents.device(one.user_agent),
        email=one.email or "",
        run_id=str(one.run_id or ""),
        model=models.label_of(one.model) if one.model else "",
    )


def _failure(one: administration.Failure) -> FailureView:
    model = models.label_of(one.model) if one.model else ""
    return FailureView(str(one.run_id), one.trace_id, one.at.isoformat(), one.code, model)


def _usd(amount: Decimal) -> str:
    return translated(usage.amount("usd", amount))
