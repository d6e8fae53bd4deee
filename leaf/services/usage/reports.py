"""What was used, summed up: by answer, chat, day, month, model and purpose. Only one's own."""

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
    """What a chat has used; `id` and `title` are None for all that are deleted, together."""

    id: UUID | None
    title: str | None
    totals: Totals


@dataclass(frozen=True)
class Report:
    """What a person has used lately. `models`, `chats` and `purposes` cover the same days as `days`."""

    today: Totals
    month: Totals
    days: list[tuple[date, Totals]]
    """Each of the last days, today at the end."""
    models: list[tuple[str, Totals]]
    """By `provider:name`, most tokens first."""
    chats: list[ChatTotals]
    """Those with most tokens."""
    purposes: list[tuple[str, Totals]]
    standings: list[Standing]


async def report(actor: Actor, *, days: int = DAYS) -> Report:
    """What a person has used, and how their budgets stand.

    Args:
        actor: The person.
        days: How many days are told of, today included, 1-366.
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
    """What a person has used in a chat, over all of its runs; nothing where they have none there."""
    return await _mine(actor, col(UsageEntry.chat_session_id) == chat_id)


async def of_message(actor: Actor, message_id: UUID) -> Totals:
    """What a person has used for an answer, those included that it has replaced."""
    return await _mine(actor, col(UsageEntry.message_id) == message_id)


async def of_runs(actor: Actor, run_ids: Sequence[UUID]) -> list[tuple[str, str, Totals]]:
    """What runs have used: the amounts by purpose and model; without those that are not theirs, or go on."""
    async with transaction(actor, read_only=True) as tx:
        keys = [col(UsageEntry.purpose), col(UsageEntry.model)]
        mine = (col(UsageEntry.user_id) == actor.user_id) & col(UsageEntry.run_id).in_(run_ids)
        rows = await _rows(tx, select(*keys, *columns()).where(mine).group_by(*keys).order_by(*keys))
    return [(purpose, model, Totals.of_row(numbers)) for purpose, model, *numbers in rows]


async def _mine(actor: Actor, which: ColumnElement[bool]) -> Totals:
    async with transaction(actor, read_only=True) as tx:
        return await _total(tx, (col(UsageEntry.user_id) == actor.user_id) & which)


async def _rows(tx: Transaction, query: Executable) -> Sequence[Any]:
    return (await (await tx.session.connection()).execute(query)).all()


async def _total(tx: Transaction, which: ColumnElement[bool]) -> Totals:
    return Totals.of_row((await _rows(tx, select(*columns()).where(which)))[0])


async def _grouped(tx: Transaction, keys: list[Any], which: ColumnElement[bool]) -> list[tuple[Any, Totals]]:
    rows = await _rows(tx, select(*keys, *columns()).where(which).group_by(*keys))
    return [(key, Totals.of_row(numbers)) for key, *numbers in rows]


async def _chats(tx: Transaction, which: ColumnElement[bool]) -> list[ChatTotals]:
    # The chat's own id: one that is deleted is none any more.
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
