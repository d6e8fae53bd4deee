"""Watched questions of a member: list, begin, change and end."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats

MOST_WATCHES: Final = 50
"""The largest number of watched questions of one member."""
PERIODS: Final = {"day": timedelta(days=1), "week": timedelta(weeks=1)}
_TITLE_CHARACTERS: Final = 200

Kind = Literal["change", "appear"]
Every = Literal["day", "week"]
State = Literal["watching", "asking", "found", "archived", "drive", "budget", "failed"]
"""The state of a watch.

`asking`: an answer is being written. `found`: the watch has ended with an answer. `archived`: it waits until the chat
is restored from the archive. `drive`: it waits until Drive is connected. `budget`: it waits for the end of a limit.
`failed`: the last answer has failed.
"""

_OF_MEMBER = """
    SELECT w.id, w.chat_session_id, w.question_id, w.kind, w.every, w.asking, w.answer_id, w.asked_at, w.problem,
        w.news_at, w.ended_at, w.created_at, w.next_at, s.title, p.archived_at IS NOT NULL AS archived, q AS question,
        w.news_at IS NOT NULL AND w.news_at > p.read_at AS is_news,
        EXISTS (
            SELECT FROM integrations i WHERE i.user_id = w.user_id AND i.workspace_id = w.workspace_id
                AND i.provider = 'google_drive' AND i.status = 'active'
        ) AS connected
    FROM watches w
    JOIN chat_sessions s ON s.id = w.chat_session_id AND s.deleted_at IS NULL
    JOIN chat_participants p ON p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
    JOIN messages m ON m.id = w.question_id
    CROSS JOIN LATERAL (SELECT left(coalesce(jsonb_path_query_first(
        leaf_parts(m), '$[*] ? (@.type == "text").text') #>> ARRAY[]::text[], ''), :characters)) AS one (q)
    WHERE w.user_id = :person AND {condition}
    ORDER BY is_news DESC, w.created_at DESC, w.id
"""


@dataclass(frozen=True)
class Watch:
    """A watched question of a member."""

    id: UUID
    chat_id: UUID
    question_id: UUID
    kind: Kind
    every: Every
    state: State
    question: str
    """The beginning of the question's text."""
    title: str
    """The title of the chat."""
    is_news: bool
    """Whether there is a different answer that the member has not seen."""
    answer_id: UUID | None
    """The last answer for which Leaf has asked."""
    asked_at: datetime | None
    """The time of the check after which Leaf asked."""
    news_at: datetime | None
    next_at: datetime
    created_at: datetime


async def listed(actor: Actor) -> list[Watch]:
    """The member's watched questions, questions with news first, then the newest first."""
    async with transaction(actor, read_only=True) as tx:
        return await read_all(tx)


async def read_all(tx: Transaction) -> list[Watch]:
    """The same as `listed`, read in a transaction of the member."""
    return await _read(tx, "true")


async def unmailed(tx: Transaction) -> list[Watch]:
    """The member's watched questions with news that the member has not seen and that no e-mail has reported."""
    return await _read(tx, "w.news_at > p.read_at AND w.mailed_at IS DISTINCT FROM w.news_at")


async def of_message(actor: Actor, message_id: UUID) -> Watch | None:
    """The member's watch of a question, by the question or an answer to it; None if the question is not watched.

    Raises:
        errors.NotFound: The member has no such message.
    """
    async with transaction(actor, read_only=True) as tx:
        message = errors.found(await tx.session.get(models.Message, message_id), "message")
        question_id = message.id if message.role is MessageRole.USER else message.parent_id
        found = await _read(tx, "w.question_id = :thing", question_id)
        return found[0] if found else None


async def begin(actor: Actor, message_id: UUID, *, kind: Kind = "change", every: Every = "day") -> Watch:
    """Watches a question. If it is already watched, changes the kind and the period.

    Args:
        actor: A participant of the chat. Leaf asks for this member, with their own Drive and budget.
        message_id: The question, or an answer to it.
        kind: `change` reports differences. `appear` reports the first answer that declares a checked quote to be the
            awaited information.
        every: The least time between two answers.

    Raises:
        errors.NotFound: The member has no such message.
        errors.Invalid: The kind or the period is unknown, or the member has 50 watched questions.
        errors.Conflict: This Leaf keeps no index, or the question has no answer yet.
    """
    if kind not in {"change", "appear"}:
        raise errors.Invalid(texts.english("watches.unknown_kind"), field="kind")
    require_period(every)
    if not config.current().index:
        raise errors.Conflict(texts.english("watches.no_index"))
    async with transaction(actor) as tx:
        message = await tx.session.get(models.Message, message_id)
        question_id = message_id if message is None or message.role is MessageRole.USER else message.parent_id
        if message is None or question_id is None:
            raise errors.NotFound("message")
        await chats.find(tx, message.chat_session_id)
        await tx.lock(f"watches:{actor.user_id}")
        answer = await current(tx, question_id)
        if answer is None:
            raise errors.Conflict(texts.english("watches.unanswered"))
        others = select(func.count()).where(
            col(models.Watch.user_id) == actor.user_id,
            col(models.Watch.question_id) != question_id,
            col(models.Watch.ended_at).is_(None),
        )
        if (await tx.session.exec(others)).one() >= MOST_WATCHES:
            raise errors.Invalid(texts.english("watches.too_many", most=MOST_WATCHES), field="message")
        made = insert(models.Watch).values(
            user_id=actor.member_id, workspace_id=actor.own_workspace_id, chat_session_id=message.chat_session_id,
            question_id=question_id, kind=kind, every=every, looked_at=answer.created_at,
        )  # fmt: skip
        put = made.on_conflict_do_update(
            index_elements=["user_id", "question_id"],
            set_={"kind": kind, "every": every, "ended_at": None, "problem": "", "next_at": _earliest(every)},
        )
        watch_id = (await tx.session.exec(put.returning(col(models.Watch.id)))).scalar_one()
        announce(tx, message.chat_session_id)
        (found,) = await _read(tx, "w.id = :thing", watch_id)
        return found


def _earliest(every: Every) -> Any:
    """The time of the next check: now, or the end of the period since Leaf asked last, if that is later."""
    # `greatest` ignores NULL, so a question that Leaf has not asked yet may be asked at once.
    return func.greatest(func.now(), col(models.Watch.asked_at) + PERIODS[every])


def require_period(every: str) -> None:
    """Raises errors.Invalid if a period is neither `day` nor `week`."""
    if every not in PERIODS:
        raise errors.Invalid(texts.english("watches.unknown_period"), field="every")


async def change(actor: Actor, watch_id: UUID, *, every: Every) -> Watch:
    """Sets the least time between two answers to a watched question.

    Raises:
        errors.Invalid: The period is unknown.
        errors.NotFound: The member has no such watch.
    """
    require_period(every)
    async with transaction(actor) as tx:
        statement = sqlalchemy.update(models.Watch).where(col(models.Watch.id) == watch_id)
        await tx.session.exec(statement.values(every=every, next_at=_earliest(every)))
        found = errors.found(await _read(tx, "w.id = :thing", watch_id), "watch")
        announce(tx, found[0].chat_id)
        return found[0]


async def end(actor: Actor, watch_id: UUID) -> None:
    """Stops watching a question. Its answers stay, including one that is being written.

    Raises:
        errors.NotFound: The member has no such watch.
    """
    watch = models.Watch
    statement = sqlalchemy.delete(watch).where(col(watch.id) == watch_id).returning(col(watch.chat_session_id))
    async with transaction(actor) as tx:
        chat_id = errors.found((await tx.session.exec(statement)).scalar_one_or_none(), "watch")
        announce(tx, chat_id)


def announce(tx: Transaction, chat_id: UUID) -> None:
    """Notifies open pages of the member, and of the chat."""
    tx.after_commit(events.publish, [events.user(tx.actor.member_id), events.chat(chat_id)])


async def current(tx: Transaction, question_id: UUID) -> models.Message | None:
    """The newest completed or stopped answer to a question; None if there is none."""
    message = models.Message
    query = select(message).where(
        col(message.parent_id) == question_id,
        col(message.role) == MessageRole.ASSISTANT,
        col(message.status).in_([MessageStatus.COMPLETED, MessageStatus.STOPPED]),
    )
    return (await tx.session.exec(query.order_by(col(message.position).desc()).limit(1))).first()


async def _read(tx: Transaction, condition: str, thing: UUID | None = None) -> list[Watch]:
    """The member's watches that meet an SQL condition. The condition must be a constant of this module."""
    values = {"person": tx.actor.member_id, "characters": _TITLE_CHARACTERS}
    values |= {"thing": thing} if thing is not None else {}
    rows = (await tx.execute(_OF_MEMBER.format(condition=condition), values)).all()
    return [_watch(row) for row in rows]


def _watch(row: Any) -> Watch:
    return Watch(
        row.id, row.chat_session_id, row.question_id, row.kind, row.every, _state(row), " ".join(row.question.split()),
        row.title or "", row.is_news, row.answer_id, row.asked_at, row.news_at, row.next_at, row.created_at,
    )  # fmt: skip


def _state(row: Any) -> State:
    if row.ended_at is not None:
        return "found"
    if row.asking:
        return "asking"
    if row.archived:
        return "archived"
    if not row.connected:
        return "drive"
    if row.problem:
        return "budget" if row.problem in {errors.BudgetReached.code, errors.LimitReached.code} else "failed"
    return "watching"
