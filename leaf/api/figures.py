"""Offered models, and the caller's usage and budgets."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel

from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.services import models as model_service
from leaf.services import usage
from leaf.services.usage import reports


class Model(BaseModel):
    """A model that may be chosen for an answer."""

    id: str
    label: str


class Used(BaseModel):
    """The usage of several model requests. Input includes cached tokens, output includes thinking."""

    requests: int
    inputTokens: int  # noqa: N815 - the wire's own spelling
    outputTokens: int  # noqa: N815
    costUsd: Decimal  # noqa: N815
    """Cost of the requests whose price is known."""


class Day(Used):
    """The usage of a day (UTC)."""

    day: date


class ModelUse(Used):
    """The usage of a model."""

    model: str


class ChatUse(Used):
    """The usage of a chat; the entry without an id sums up all deleted chats."""

    id: UUID | None
    title: str | None


class Budget(BaseModel):
    """The state of a budget."""

    period: Literal["day", "month"]
    unit: Literal["tokens", "usd"]
    limit: Decimal
    used: Decimal
    reserved: Decimal
    """The amount that is reserved for running answers."""
    resetsAt: datetime  # noqa: N815


class UsageReport(BaseModel):
    """The caller's recent usage."""

    today: Used
    month: Used
    days: list[Day]
    """The last days in order, ending with today."""
    models: list[ModelUse]
    chats: list[ChatUse]
    budgets: list[Budget]


async def list_models(caller: Known) -> list[Model]:  # noqa: ARG001 - for those who may read
    """Lists the models that may be chosen for an answer, the default first."""
    return [Model(id=model.id, label=model.label) for model in model_service.offered()]


async def report_usage(caller: Known, days: Annotated[int, Query(ge=1, le=366)] = reports.DAYS) -> UsageReport:
    """Returns the caller's usage and the state of the caller's budgets."""
    report = await usage.report(caller.person.actor, days=days)
    return UsageReport(
        today=Used(**_used(report.today)),
        month=Used(**_used(report.month)),
        days=[Day(day=day, **_used(totals)) for day, totals in report.days],
        models=[ModelUse(model=model, **_used(totals)) for model, totals in report.models],
        chats=[ChatUse(id=chat.id, title=chat.title, **_used(chat.totals)) for chat in report.chats],
        budgets=[
            Budget(
                period=one.period, unit=one.unit, limit=one.limit, used=one.used, reserved=one.reserved,
                resetsAt=one.resets_at,
            )
            for one in report.standings
        ],
    )  # fmt: skip


def _used(totals: usage.Totals) -> dict[str, Any]:
    return {
        "requests": totals.requests,
        "inputTokens": totals.input_tokens,
        "outputTokens": totals.output_tokens,
        "costUsd": totals.cost_usd,
    }


routes = [
    Route("/api/models", list_models, scope="read", tag="Models and usage"),
    Route("/api/usage", report_usage, scope="read", tag="Models and usage"),
]
