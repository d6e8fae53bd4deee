"""Checked quotes of answers, followed in the Drive of who asked: which are due, and where they stand by now.

Triggers make the rows with their answers and mark them as due when sight of their file changes (`alembic/sql`). A
worker takes the quotes of a file for a short time; the outcome is stored only if no later change has marked them again.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, text
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.google.links import DriveLink
from leaf.redis import events
from leaf.services.library import sight

LEASE: Final = timedelta(seconds=60)
"""The time for which a worker has the quotes that it takes; then they are due again."""
MOST: Final = 200
"""The largest number of quotes that a worker takes at a time."""

State = Literal["stands", "changed", "gone", "hidden"]

_DUE = text("""
    SELECT c.message_id, c.n, c.file_id, d.revision, d.resource_key, coalesce(d.can_download, false) AS seen,
        t.id IS NOT NULL AS read
    FROM citations c
    LEFT JOIN drive_sight d ON d.user_id = c.user_id AND d.file_id = c.file_id
    LEFT JOIN drive_texts t ON t.file_id = d.file_id AND t.revision = d.revision AND t.state = 'read'
    WHERE c.user_id = :person AND c.due_at <= now()
        AND (d.file_id IS NULL OR NOT d.can_download OR t.id IS NOT NULL OR d.wanted_at IS NULL)
    ORDER BY c.due_at, c.file_id LIMIT :most FOR UPDATE OF c SKIP LOCKED
""")
_TAKE = text("""
    UPDATE citations c SET due_at = clock_timestamp() + :lease
    FROM unnest(CAST(:messages AS uuid[]), CAST(:numbers AS integer[])) AS taken (message_id, n)
    JOIN messages m ON m.id = taken.message_id
    WHERE c.message_id = taken.message_id AND c.n = taken.n
    RETURNING c.message_id, c.n, c.due_at, coalesce(jsonb_path_query_first(
        leaf_parts(m), '$[*] ? (@.type == "data-citations").data[*] ? (@.n == $n)', jsonb_build_object('n', c.n)
    ) ->> 'quote', '') AS quote
""")
_STORE = text("""
    UPDATE citations c SET state = coalesce(:state, c.state), revision = :revision, due_at = NULL,
        changed_at = CASE WHEN c.state <> :state THEN now() ELSE c.changed_at END
    FROM (SELECT state FROM citations WHERE message_id = :message AND n = :n) before
    WHERE c.message_id = :message AND c.n = :n AND c.due_at = :due
    RETURNING c.chat_session_id, before.state <> c.state AS changed
""")


@dataclass(frozen=True)
class Quote:
    """A quote that a worker has taken."""

    message_id: UUID
    n: int
    text: str
    due_at: datetime
    """The end of the time for which the worker has it."""


@dataclass(frozen=True)
class Cited:
    """A file whose quotes are to be looked for again."""

    link: DriveLink
    revision: str | None
    """The revision that was read; None of a file that the member does not see any more, or may not download."""
    quotes: Sequence[Quote]


@dataclass(frozen=True)
class Followed:
    """The present state of a quote."""

    n: int
    file_id: str
    state: State


async def due(most: int) -> list[Actor]:
    """Members with quotes that can be looked for now, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_quotes", most)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def take_due(actor: Actor) -> list[Cited]:
    """Takes the member's due quotes, by file; files that have not been read yet are wanted, so that they come next."""
    async with transaction(actor) as tx:
        rows = (await tx.execute(_DUE, {"person": actor.member_id, "most": MOST})).all()
        ready = {(row.message_id, row.n): row for row in rows if row.read or not row.seen}
        keys = {"messages": [key[0] for key in ready], "numbers": [key[1] for key in ready], "lease": LEASE}
        taken = (await tx.execute(_TAKE, keys)).all() if ready else []
    await sight.want(actor, {row.file_id for row in rows if row.seen and not row.read})
    found: dict[tuple[DriveLink, str | None], list[Quote]] = defaultdict(list)
    for row in taken:
        of = ready[row.message_id, row.n]
        key = DriveLink(of.file_id, of.resource_key), of.revision if of.seen else None
        found[key].append(Quote(row.message_id, row.n, row.quote, row.due_at))
    return [Cited(link, revision, quotes) for (link, revision), quotes in found.items()]


async def settle(actor: Actor, cited: Cited, states: Mapping[Quote, State | None]) -> None:
    """Stores where quotes stand, and has open pages look again where that is news.

    Args:
        actor: The member.
        cited: Their file.
        states: The quotes that need not be looked for until their file changes again, each with its state, or None for
            the state that it has. The others are due again when the worker's time is over.
    """
    revision = cited.revision or ""
    chats: set[UUID] = set()
    async with transaction(actor) as tx:
        for quote, state in states.items():
            values = {
                "state": state, "revision": "" if state == "hidden" else revision, "message": quote.message_id,
                "n": quote.n, "due": quote.due_at,
            }  # fmt: skip
            row = (await tx.execute(_STORE, values)).one_or_none()
            if row is not None and row.changed:
                chats.add(row.chat_session_id)
        if chats:
            tx.after_commit(events.publish, [events.user(actor.member_id), *(events.chat(chat) for chat in chats)])


async def followed(actor: Actor, messages: Collection[UUID]) -> dict[UUID, list[Followed]]:
    """The followed quotes of messages that the actor may see, by message.

    Args:
        actor: A participant of their chats.
        messages: Ids of answers.
    """
    found: dict[UUID, list[Followed]] = defaultdict(list)
    if messages:
        async with transaction(actor, read_only=True) as tx:
            for row in (await tx.session.exec(_of(col(models.Citation.message_id).in_(messages)))).all():
                found[row.message_id].append(_followed(row))
    return found


async def of_run(actor: Actor, run_id: UUID) -> list[Followed]:
    """The followed quotes of the answer that a run has written, if the actor may see it."""
    of_answer = select(models.Message.id).where(col(models.Message.workflow_run_id) == run_id)
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.session.exec(_of(col(models.Citation.message_id).in_(of_answer)))).all()
    return [_followed(row) for row in rows]


def _of(messages: ColumnElement[bool]) -> SelectOfScalar[models.Citation]:
    return select(models.Citation).where(messages).order_by(col(models.Citation.message_id), col(models.Citation.n))


def _followed(row: models.Citation) -> Followed:
    state: State = row.state  # pyright: ignore[reportAssignmentType] - checked by the database
    return Followed(row.n, row.file_id, state)
