"""The work of a worker on watched questions: it checks for changes, and compares answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

import sqlalchemy
from sqlalchemy import func, text
from sqlmodel import col, select

from leaf import citations, errors, parts
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts.objects import object_of, strings_in
from leaf.services import comparisons
from leaf.services.library import lookup, search
from leaf.services.library.scope import EVERYTHING, ChatScope, Scope
from leaf.services.watches.questions import PERIODS, Every, Kind, announce, current

LEASE: Final = timedelta(seconds=60)
"""The time for which a worker holds a watch. After that another worker may claim it."""
PAUSE: Final = timedelta(hours=1)
"""The time until the next check after a check that finds nothing, or after a refusal."""
SETTLED: Final = timedelta(minutes=1)
"""The age from which a change counts, because a transaction may commit a moment after the time that it stores."""
MATCHES: Final = 5
"""The number of files, from the top of the search results, that can match a question."""
LEAST_SCORE: Final = 0.35
"""The least score of a file that matches a question. It is about the share of the question's words, weighted by rarity,
that a passage of the file contains."""
_AT_ONCE: Final = 10

_TAKE = text("""
    UPDATE watches w SET next_at = clock_timestamp() + :lease
    FROM (
        SELECT o.id FROM watches o
        JOIN chat_sessions s ON s.id = o.chat_session_id AND s.deleted_at IS NULL
        JOIN chat_participants p ON p.chat_session_id = o.chat_session_id AND p.user_id = o.user_id
        WHERE o.user_id = :person AND o.workspace_id = :workspace AND o.ended_at IS NULL AND NOT o.asking
            AND o.next_at <= now() AND p.archived_at IS NULL
        ORDER BY o.next_at LIMIT :most FOR UPDATE OF o SKIP LOCKED
    ) taken
    WHERE w.id = taken.id
    RETURNING w.id, w.chat_session_id, w.question_id, w.kind, w.every, w.looked_at, w.next_at, w.attempt,
        (SELECT s.scope FROM chat_sessions s WHERE s.id = w.chat_session_id) AS scope, now() - :settled AS horizon
""")
_PASS_OVER = text("""
    UPDATE watches w SET looked_at = greatest(w.looked_at, now() - :settled), next_at = now() + :pause, problem = ''
    FROM chat_participants p
    WHERE w.user_id = :person AND w.workspace_id = :workspace AND w.ended_at IS NULL AND NOT w.asking
        AND w.next_at <= now() AND p.chat_session_id = w.chat_session_id AND p.user_id = w.user_id
        AND p.archived_at IS NULL
        AND NOT EXISTS (
            SELECT FROM leaf_changed_files(w.looked_at, (
                SELECT m.id FROM messages m WHERE m.parent_id = w.question_id AND m.role = 'assistant'
                    AND m.status IN ('completed', 'stopped') ORDER BY m.position DESC LIMIT 1
            ))
        )
        AND NOT EXISTS (
            SELECT FROM citations c WHERE c.chat_session_id = w.chat_session_id AND c.user_id = w.user_id
                AND c.state <> 'stands' AND c.changed_at > w.looked_at
        )
        AND NOT EXISTS (
            SELECT FROM messages m WHERE m.parent_id = w.question_id AND m.created_at > w.looked_at
        )
""")
_CHANGED_QUOTES = text("""
    SELECT c.changed_at FROM citations c
    WHERE c.chat_session_id = :chat AND c.message_id = :answer AND c.user_id = :person
        AND c.state <> 'stands' AND c.changed_at > :since
""")
_QUOTES_NEW = text("""
    SELECT EXISTS (
        SELECT FROM messages m
        CROSS JOIN LATERAL (
            SELECT b.id FROM messages b WHERE b.parent_id = m.parent_id AND b.role = 'assistant'
                AND b.status IN ('completed', 'stopped') AND b.position < m.position ORDER BY b.position DESC LIMIT 1
        ) before
        CROSS JOIN LATERAL leaf_changed_files(:since, before.id) f
        JOIN citations c ON c.message_id = m.id AND c.user_id = :person AND c.file_id = f.file_id
        WHERE m.id = :answer
    )
""")
_ENDED = text("""
    SELECT w.id, w.chat_session_id, w.kind, w.every, w.attempt, w.answer_id, w.asked_at, w.looked_at, s.answered_at
    FROM watches w JOIN chat_sessions s ON s.id = w.chat_session_id
    LEFT JOIN messages m ON m.id = w.answer_id
    WHERE w.user_id = :person AND w.asking AND (m.id IS NULL OR m.status NOT IN ('pending', 'streaming'))
""")


@dataclass(frozen=True)
class Due:
    """A watch that a worker has claimed."""

    id: UUID
    chat_id: UUID
    kind: Kind
    every: Every
    looked_at: datetime
    horizon: datetime
    """The time up to which changes count in this check: the time of the claim, less `SETTLED`."""
    leased_until: datetime
    """The end of the worker's claim. The lease is kept in the column `next_at`."""
    attempt: int
    answer_id: UUID | None
    """The answer that the member has, which is the newest completed or stopped version; None if there is none."""
    wordings: Sequence[str]
    """The question, and the search queries of that answer, which may be in the languages of the files."""
    scope: Scope
    has_answer: bool
    """Whether the answer of this attempt is already stored, because a worker has died after it asked."""

    @property
    def claimed_at(self) -> datetime:
        """The time of the claim."""
        return self.horizon + SETTLED

    @property
    def next_answer_id(self) -> UUID:
        """The id of the next answer."""
        return _answer_id(self.id, self.attempt)


def _answer_id(watch_id: UUID, attempt: int) -> UUID:
    return uuid5(watch_id, str(attempt))


async def due(most: int) -> list[Actor]:
    """Members with a watch that is due, or with an answer that has ended, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_watches", most)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def postpone_unchanged(actor: Actor) -> bool:
    """Postpones the member's due watches for which nothing has changed since their last check.

    One statement does this, so an unchanged Drive costs next to nothing. A watch whose question has a newer answer is
    not postponed, because a worker may have died after it asked.

    Returns:
        Whether any watch was postponed.
    """
    values = {
        "person": actor.member_id, "workspace": actor.own_workspace_id, "settled": SETTLED, "pause": PAUSE,
    }  # fmt: skip
    async with transaction(actor) as tx:
        return (await tx.execute(_PASS_OVER, values)).rowcount > 0


async def claim_due(actor: Actor) -> list[Due]:
    """Claims some of the member's watches that are due."""
    person = actor.member_id
    values = {
        "person": person, "workspace": actor.own_workspace_id, "most": _AT_ONCE, "lease": LEASE, "settled": SETTLED,
    }  # fmt: skip
    async with transaction(actor) as tx:
        rows = (await tx.execute(_TAKE, values)).all()
        return [await _claimed_watch(tx, row) for row in rows]


async def _claimed_watch(tx: Transaction, row: Any) -> Due:
    message = models.Message
    query = select(message.parts).where(col(message.id) == row.question_id)
    words = parts.question_text(list((await tx.session.exec(query)).one()))
    answer = await current(tx, row.question_id)
    made = select(message.id).where(col(message.id) == _answer_id(row.id, row.attempt))
    searches = _searches(answer.parts) if answer is not None else []
    return Due(
        id=row.id,
        chat_id=row.chat_session_id,
        kind=row.kind,
        every=row.every,
        looked_at=row.looked_at,
        horizon=row.horizon,
        leased_until=row.next_at,
        attempt=row.attempt,
        answer_id=answer.id if answer is not None else None,
        wordings=[words, *searches][: lookup.QUERIES],
        scope=ChatScope.of(row.scope).conditions or EVERYTHING,
        has_answer=(await tx.session.exec(made)).first() is not None,
    )


def _searches(message_parts: Sequence[parts.Part]) -> list[str]:
    """The queries with which an answer has searched the index."""
    found: list[str] = []
    for part in message_parts:
        if parts.is_tool(part) and parts.tool_name(part) == "search_files":
            found += strings_in(object_of(part.get("input")).get("queries"))
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class CheckResult:
    """The outcome of a check of the files of a watch."""

    matches: bool
    """Whether a cited or a matching file has changed."""
    looked_at: datetime
    """The time up to which changes have counted. It is before the change of any file that has not been read yet."""
    soon: bool = False
    """Whether there are changes that do not count yet. The next check is then soon."""


async def check(actor: Actor, watch: Due) -> CheckResult:
    """Checks whether a file has changed that the answer cites or that matches the question. No model is called."""
    # With the id of the chat, the query can use the database index of changed quotes. An answer may have thousands.
    values = {
        "chat": watch.chat_id, "answer": watch.answer_id, "since": watch.looked_at, "person": actor.member_id,
    }  # fmt: skip
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.call("leaf_changed_files", watch.looked_at, watch.answer_id)).all()
        quotes_changed_at = (await tx.execute(_CHANGED_QUOTES, values)).scalars().all()
    counted = [row for row in rows if row.ready and row.changed_at <= watch.horizon]
    # The next check finds changes after `looked_at`. It must find the files that are still unread, so `looked_at` is
    # before their changes. A microsecond is the resolution of PostgreSQL's times.
    before_unread = [row.changed_at - timedelta(microseconds=1) for row in rows if not row.ready]
    looked_at = max(watch.looked_at, min([watch.horizon, *before_unread]))
    if any(row.cited for row in counted) or any(at <= watch.horizon for at in quotes_changed_at):
        return CheckResult(True, looked_at)
    # Here, all changed quotes and all rows that do not count are either unread or newer than the horizon.
    has_uncounted = bool(quotes_changed_at) or len(counted) < len(rows)
    matches = bool(counted) and await _matches(actor, watch, {row.file_id for row in counted})
    return CheckResult(matches, looked_at, soon=has_uncounted)


async def _matches(actor: Actor, watch: Due, changed: Collection[str]) -> bool:
    """Whether one of the changed files is among the best `MATCHES` files that the index finds for the question."""
    for file in await search.search(actor, watch.wordings, watch.scope, most=MATCHES):
        if file.score >= LEAST_SCORE and any(one.file_id in changed for one in (file, *file.copies)):
            return True
    return False


async def postpone(actor: Actor, watch: Due, found: CheckResult) -> None:
    """Postpones a watch, because nothing has changed, or no change counts yet."""
    pause = SETTLED if found.soon else PAUSE
    await _store(actor, watch, {"looked_at": found.looked_at, "next_at": func.now() + pause, "problem": ""})


async def refuse(actor: Actor, watch: Due, error: errors.LimitReached) -> None:
    """Stores that a question may not be asked now. The next check is when the limit may have ended."""
    if isinstance(error, errors.RateLimited):
        await _store(actor, watch, {"next_at": func.now() + timedelta(seconds=error.resets_in_seconds)})
    else:
        await _store(actor, watch, {"problem": error.code, "next_at": func.now() + PAUSE})


async def note_asked(actor: Actor, watch: Due) -> None:
    """Stores that the next answer of a watch has begun."""
    message = models.Message
    begun = sqlalchemy.select(col(message.created_at)).where(col(message.id) == watch.next_answer_id).scalar_subquery()
    values = {
        "asking": True, "attempt": watch.attempt + 1, "answer_id": watch.next_answer_id,
        "asked_at": begun if watch.has_answer else watch.claimed_at,
        "next_at": func.now() + PERIODS[watch.every], "problem": "",
    }  # fmt: skip
    await _store(actor, watch, values)


async def _store(actor: Actor, watch: Due, values: dict[str, Any]) -> None:
    """Changes a watch, unless another worker or its member has changed it since it was claimed."""
    table = models.Watch
    async with transaction(actor) as tx:
        await tx.session.exec(
            sqlalchemy.update(table)
            .where(col(table.id) == watch.id, col(table.attempt) == watch.attempt, ~col(table.asking))
            .where(col(table.next_at) == watch.leased_until)
            .values(values)
        )
        announce(tx, watch.chat_id)


async def conclude(actor: Actor) -> bool:
    """Compares the ended answers of the member's watches with the answers before; returns whether there were any."""
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.execute(_ENDED, {"person": actor.member_id})).all()
    for row in rows:
        await _conclude(actor, row)
    return bool(rows)


async def _conclude(actor: Actor, row: Any) -> None:
    async with transaction(actor, read_only=True) as tx:
        answer = await tx.session.get(models.Message, row.answer_id) if row.answer_id is not None else None
    values: dict[str, Any] = {"asking": False}
    if answer is None or answer.status is MessageStatus.ERROR:
        values["problem"] = (answer.error_code if answer is not None else None) or "failed"
    else:
        values["looked_at"] = row.asked_at - SETTLED
        found = row.kind == "appear" and citations.is_found(answer.parts)
        if found or await _is_news(actor, row):
            values["news_at"] = row.answered_at or answer.updated_at
        if found:
            values["ended_at"] = func.now()
    table = models.Watch
    async with transaction(actor) as tx:
        await tx.session.exec(
            sqlalchemy.update(table)
            .where(col(table.id) == row.id, col(table.attempt) == row.attempt, col(table.asking))
            .values(values)
        )
        announce(tx, row.chat_session_id)


async def _is_news(actor: Actor, row: Any) -> bool:
    """Whether an answer that does not declare the awaited information is news. It must differ from the answer before.

    If the member waits for something to appear, it must also quote a new or changed file.
    """
    return await _differs(actor, row.answer_id) and (row.kind == "change" or await _quotes_new(actor, row))


async def _differs(actor: Actor, answer_id: UUID) -> bool:
    try:
        return bool(await comparisons.of_versions(actor, answer_id))
    except errors.NotFound:
        return True


async def _quotes_new(actor: Actor, row: Any) -> bool:
    """Whether an answer has a checked quote from a file that has appeared or changed since the answer before.

    Such a file may have the awaited information, even if the answer does not declare it.
    """
    async with transaction(actor, read_only=True) as tx:
        values = {"answer": row.answer_id, "since": row.looked_at, "person": actor.member_id}
        return (await tx.execute(_QUOTES_NEW, values)).scalar_one()
