"""Sums of a member's own usage, by answer, chat, day, month, model and purpose."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Executable, select
from sqlmodel import col

from leaf.db.models import ChatSession, UsageEntry, utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.usage.budgets import Standing
from leaf.services.usage.limits import read_standings
from leaf.services.usage.totals import Totals, columns

DAYS = 30
CHATS = 20


@dataclass(frozen=True)
class ChatTotals:
    """The usage of one chat, or of all deleted chats together (`id` and `title` are None)."""

    id: UUID | None
    title: str | None
    totals: Totals


@dataclass(frozen=True)
class Report:
    """The recent usage of a member. `models`, `chats` and `purposes` cover the same days as `days`."""

    today: Totals
    month: Totals
    days: list[tuple[date, Totals]]
    """One entry for each day, today last."""
    models: list[tuple[str, Totals]]
    """Usage by `provider:name`, in decreasing order of tokens."""
    chats: list[ChatTotals]
    """The chats with the most tokens, at most `CHATS`, in decreasing order."""
    purposes: list[tuple[str, Totals]]
    standings: list[Standing]


async def report(actor: Actor, *, days: int = DAYS) -> Report:
    """The recent usage of a member, and the state of the member's budgets.

    Args:
        actor: The member.
        days: Number of days including today, 1-366.
    """
    now = utc_now()
    first = now.date() - timedelta(days=max(1, min(days, 366)) - 1)
    async with transaction(actor, read_only=True) as tx:
        mine = col(UsageEntry.user_id) == actor.user_id
        lately = mine & (col(UsageEntry.day) >= first)
        by_day = dict(await _grouped(tx, [col(UsageEntry.day)], lately))
        models = await _grouped(tx, [col(UsageEntry.model)], lately)
        purposes = await _grouped(tx, [col(UsageEntry.purpose)], lately)
        chats = await _chats(tx, lately)
        month = await _total(tx, mine & (col(UsageEntry.day) >= now.date().replace(day=1)))
        standings = await read_standings(tx, actor, now)
    listed = [first + timedelta(days=place) for place in range((now.date() - first).days + 1)]
    return Report(
        today=by_day.get(now.date(), Totals()),
        month=month,
        days=[(day, by_day.get(day, Totals())) for day in listed],
        models=_largest(models),
        chats=chats,
        purposes=_largest(purposes),
        standings=standings,
    )


async def of_chat(actor: Actor, chat_id: UUID) -> Totals:
    """A member's usage in a chat, over all runs."""
    return await _mine(actor, col(UsageEntry.chat_session_id) == chat_id)


async def of_message(actor: Actor, message_id: UUID) -> Totals:
    """A member's usage for an answer, including answers that it has replaced."""
    return await _mine(actor, col(UsageEntry.message_id) == message_id)


async def of_runs(actor: Actor, run_ids: Sequence[UUID]) -> list[tuple[str, str, Totals]]:
    """The usage of runs by purpose and model, without unfinished runs and runs of other members."""
    async with transaction(actor, read_only=True) as tx:
        keys = [col(UsageEntry.purpose), col(UsageEntry.model)]
        mine = (col(UsageEntry.user_id) == actor.user_id) & col(UsageEntry.run_id).in_(run_ids)
        rows = await _rows(tx, select(*keys, *columns()).where(mine).group_by(*keys).order_by(*keys))
    return [(purpose, model, Totals.of_row(numbers)) for purpose, model, *numbers in rows]


async def _mine(actor: Actor, which: ColumnElement[bool]) -> Totals:
    async with transaction(actor, read_only=True) as tx:
        return await _total(tx, (col(UsageEntry.user_id) == actor.user_id) & which)


async def _rows(tx: Transaction, query: Executable) -> Sequence[Any]:
    return (await tx.execute(query)).all()


async def _total(tx: Transaction, which: ColumnElement[bool]) -> Totals:
    return Totals.of_row((await _rows(tx, select(*columns()).where(which)))[0])


async def _grouped(tx: Transaction, keys: list[Any], which: ColumnElement[bool]) -> list[tuple[Any, Totals]]:
    rows = await _rows(tx, select(*keys, *columns()).where(which).group_by(*keys))
    return [(key, Totals.of_row(numbers)) for key, *numbers in rows]


async def _chats(tx: Transaction, which: ColumnElement[bool]) -> list[ChatTotals]:
    # Grouped by the id of the chat, which is NULL for deleted chats.
    keys = [col(ChatSession.id), col(ChatSession.title)]
    query = (
        select(*keys, *columns())
        .select_from(UsageEntry)
        .outerjoin(ChatSession, col(ChatSession.id) == col(UsageEntry.chat_session_id))
        .where(which)
        .group_by(*keys)
    )
    rows = await _rows(tx, query)
    found = [ChatTotals(chat_id, title, Totals.of_row(numbers)) for chat_id, title, *numbers in rows]
    return sorted(found, key=lambda one: -one.totals.tokens)[:CHATS]


def _largest(groups: list[tuple[Any, Totals]]) -> list[tuple[Any, Totals]]:
    return sorted(groups, key=lambda group: (-group[1].tokens, str(group[0])))
