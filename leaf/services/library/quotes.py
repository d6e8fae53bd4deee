"""Tracks whether the quotes and figures of stored answers still hold.

Database triggers (`alembic/sql`) add a row for each quote or figure of an answer. They mark the row as due when the
file changes, or the member's access to the file. A worker claims the quotes of a file for a short time. The outcome is
stored only if no later change has marked them as due again.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Row, func, text
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from leaf import citations
from leaf import texts as user_texts
from leaf.citations import redaction
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.google.links import DriveLink
from leaf.services import notices
from leaf.services.library import sight

LEASE: Final = timedelta(seconds=60)
"""The time for which a worker holds the quotes that it has claimed. After that they are due again."""
MOST: Final = 200
"""The largest number of quotes that a worker claims at a time."""
MOST_FIGURES: Final = 10
"""The largest number of figures that a worker claims at a time. Each of them is a computation."""
FOLLOWED_FOR: Final = timedelta(days=90)
"""The age of an answer up to which its quotes are followed and their states shown. `alembic/sql` has the same limit."""
KINDS: Final = frozenset({"drive", citations.figures.COMPUTED})
"""Kinds of sources that are followed."""
UNASKED: Final = frozenset({"unanswered", "lost"})
"""The reasons of withheld citations if a connected Drive cannot be asked at the moment."""

State = Literal["stands", "unchecked", "changed", "gone", "hidden"]
"""The state of a quote. `unchecked` means that the present version of the file could not be read. The database stores a
cause for it, next to the last known state."""
_ORDER: Final[Sequence[State]] = ("stands", "unchecked", "hidden", "changed", "gone")

_READY = """
    SELECT c.message_id, c.n, c.file_id, d.revision, d.resource_key, coalesce(d.can_download, false) AS seen,
        d.file_id IS NOT NULL AS listed, t.id IS NOT NULL AS has_text, coalesce(t.state <> 'read', false) AS unread,
        t.reason
    FROM citations c
    LEFT JOIN drive_sight d ON d.user_id = c.user_id AND d.file_id = c.file_id
    LEFT JOIN drive_texts t ON t.file_id = d.file_id AND t.revision = d.revision
        AND (t.state IN ('read', 'skipped') OR t.state = 'failed' AND t.attempts >= 3)
    WHERE c.user_id = :person AND c.{due} <= now()
        AND (d.file_id IS NULL OR NOT d.can_download OR t.id IS NOT NULL OR d.wanted_at IS NULL)
    ORDER BY c.{due}, c.file_id LIMIT :most FOR UPDATE OF c SKIP LOCKED
"""
_DUE, _FIGURES_DUE = text(_READY.format(due="due_at")), text(_READY.format(due="compute_at"))
_TAKE = text("""
    UPDATE citations c SET due_at = clock_timestamp() + :lease
    FROM unnest(CAST(:messages AS uuid[]), CAST(:numbers AS integer[])) AS taken (message_id, n)
    JOIN messages m ON m.id = taken.message_id
    WHERE c.message_id = taken.message_id AND c.n = taken.n
    RETURNING c.chat_session_id, c.message_id, c.n, c.due_at, coalesce(jsonb_path_query_first(
        leaf_parts(m), '$[*] ? (@.type == "data-citations").data[*] ? (@.n == $n)', jsonb_build_object('n', c.n)
    ) ->> 'quote', '') AS quote
""")
_TAKE_FIGURES = text("""
    UPDATE citations c SET compute_at = clock_timestamp() + :lease
    FROM unnest(CAST(:messages AS uuid[]), CAST(:numbers AS integer[]), CAST(:files AS text[]))
        AS taken (message_id, n, file_id)
    JOIN messages m ON m.id = taken.message_id
    WHERE c.message_id = taken.message_id AND c.n = taken.n AND c.file_id = taken.file_id
    RETURNING c.message_id, c.n, c.file_id, c.compute_at, jsonb_path_query_first(
        leaf_parts(m), '$[*] ? (@.toolCallId == $call).output', jsonb_build_object('call', c.call)
    ) AS output, (SELECT e.output FROM cell_edits e WHERE e.message_id = c.message_id AND e.call = c.call) AS edited
""")
_SETTLE = """
    UPDATE citations c SET state = coalesce(:state, c.state), revision = :revision, {due} = NULL,
        unchecked = CAST(:unchecked AS jsonb) || jsonb_build_object('revision', CAST(:revision AS text)),
        changed_at = CASE WHEN c.state <> :state THEN now() ELSE c.changed_at END
    FROM (SELECT state, unchecked FROM citations WHERE message_id = :message AND n = :n AND file_id = :file) before
    WHERE c.message_id = :message AND c.n = :n AND c.file_id = :file AND c.{due} = :due
    RETURNING c.chat_session_id, before.state <> c.state OR before.unchecked IS DISTINCT FROM c.unchecked AS changed
"""
_STORE, _STORE_FIGURE = text(_SETTLE.format(due="due_at")), text(_SETTLE.format(due="compute_at"))
_STORE_OTHERS = text("""
    UPDATE citations c SET state = :state, changed_at = now()
    WHERE c.message_id = :message AND c.n = :n AND c.file_id <> :file AND c.state NOT IN ('hidden', :state)
""")


@dataclass(frozen=True)
class Quote:
    """A quote that a worker has claimed."""

    chat_id: UUID
    message_id: UUID
    n: int
    text: str
    due_at: datetime
    """The end of the worker's claim."""


@dataclass(frozen=True)
class Cited:
    """A file whose quotes must be checked again."""

    link: DriveLink
    revision: str | None
    """The present revision; None if the member cannot see or download the file any more."""
    quotes: Sequence[Quote]
    unread: Mapping[str, Any] | None = None
    """The reason why this revision could not be read (`text`, and `message`); None if it was read."""
    is_listed: bool = False
    """Whether the member's listings show the file, even if the member cannot download it."""


@dataclass(frozen=True)
class Figure:
    """A computed figure that a worker has claimed, because one of its files has changed."""

    message_id: UUID
    n: int
    link: DriveLink
    """The changed file."""
    revision: str | None
    """The revision of the file, as in `Cited`."""
    output: Mapping[str, Any]
    """The output of the tool call that computed it; empty if the message has no such call."""
    edited: Mapping[str, Any]
    """The output of the computation with cells that were edited by hand; empty if none was edited."""
    due_at: datetime
    """The end of the worker's claim."""
    unread: Mapping[str, Any] | None = None
    """As in `Cited`."""
    is_listed: bool = False


@dataclass(frozen=True)
class Followed:
    """The present state of a quote. A figure has a state for each of its files."""

    n: int
    file_id: str
    state: State
    is_own: bool = False
    """Whether the state was found in the reader's own Drive."""
    changed_at: datetime | None = None
    """The time of the last change of the state; None if there is none."""
    cause: Mapping[str, Any] | None = None
    """The reason why the present version of the file could not be checked (`text`, and `message`)."""


async def due(most: int) -> list[Actor]:
    """Members with quotes or figures that can be checked now, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_quotes", most)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def claim_due(actor: Actor) -> list[Cited]:
    """Claims the member's due quotes; returns them by file.

    Files whose text is not in the index yet are moved to the front of its queue. Their quotes are left out.
    """
    async with transaction(actor) as tx:
        rows = (await tx.execute(_DUE, {"person": actor.member_id, "most": MOST})).all()
        ready = {(row.message_id, row.n): row for row in rows if row.has_text or not row.seen}
        keys = {"messages": [key[0] for key in ready], "numbers": [key[1] for key in ready], "lease": LEASE}
        taken = (await tx.execute(_TAKE, keys)).all() if ready else []
    await sight.prioritise(actor, {row.file_id for row in rows if row.seen and not row.has_text})
    found: dict[str, list[Quote]] = defaultdict(list)
    files = {row.file_id: row for row in ready.values()}
    for one in taken:
        quote = Quote(one.chat_session_id, one.message_id, one.n, one.quote, one.due_at)
        found[ready[one.message_id, one.n].file_id].append(quote)
    cited: list[Cited] = []
    for file_id, several in found.items():
        row = files[file_id]
        cited.append(Cited(_link(row), row.revision if row.seen else None, several, _unread(row), row.listed))
    return cited


def _link(row: Row[Any]) -> DriveLink:
    return DriveLink(row.file_id, row.resource_key)


def _unread(row: Row[Any]) -> dict[str, Any] | None:
    """The reason why the present version of a file could not be read. None if it was read, or if it is not visible."""
    return (row.reason or {}) if row.seen and row.unread else None


async def claim_due_figures(actor: Actor) -> list[Figure]:
    """Claims the member's due figures. Files whose text is not in the index yet are treated as in `claim_due`."""
    async with transaction(actor) as tx:
        rows = (await tx.execute(_FIGURES_DUE, {"person": actor.member_id, "most": MOST_FIGURES})).all()
        ready = {(row.message_id, row.n, row.file_id): row for row in rows if row.has_text or not row.seen}
        messages, numbers, files = zip(*ready, strict=True) if ready else ((), (), ())
        keys = {"messages": [*messages], "numbers": [*numbers], "files": [*files], "lease": LEASE}
        taken = (await tx.execute(_TAKE_FIGURES, keys)).all() if ready else []
    await sight.prioritise(actor, {row.file_id for row in rows if row.seen and not row.has_text})
    figures: list[Figure] = []
    for one in taken:
        row = ready[one.message_id, one.n, one.file_id]
        output = one.output if isinstance(one.output, dict) else {}
        figures.append(
            Figure(
                one.message_id, one.n, _link(row), row.revision if row.seen else None, output, one.edited or {},
                one.compute_at, _unread(row), row.listed,
            )
        )  # fmt: skip
    return figures


async def settle_figure(
    actor: Actor, figure: Figure, state: State | None, unchecked: Mapping[str, Any] | None = None
) -> None:
    """Stores the state of a figure for all files of the figure that the member can see. A change notifies open pages.

    Args:
        actor: The member.
        figure: The figure.
        state: The new state. `hidden` applies to this file only. None keeps the stored state.
        unchecked: The reason why the figure could not be computed from the present version of the file; None if it was.
    """
    key = {"message": figure.message_id, "n": figure.n, "file": figure.link.id}
    revision = "" if state == "hidden" else figure.revision or ""
    async with transaction(actor) as tx:
        values = {
            **key, "state": state, "revision": revision, "due": figure.due_at, "unchecked": _json(unchecked)
        }  # fmt: skip
        row = (await tx.execute(_STORE_FIGURE, values)).one_or_none()
        if row is None:
            return
        if state not in {None, "hidden"}:
            await tx.execute(_STORE_OTHERS, {**key, "state": state})
        if row.changed:
            await notices.announce(tx, {row.chat_session_id})


async def settle(
    actor: Actor,
    cited: Cited,
    states: Mapping[Quote, State | None],
    unchecked: Mapping[str, Any] | None = None,
) -> None:
    """Stores the states of quotes. A change notifies open pages.

    Args:
        actor: The member.
        cited: The file of the quotes.
        states: The checked quotes with their new states; None keeps the stored state. Quotes that are left out are due
            again when the lease ends.
        unchecked: The reason why the present version of the file could not be checked; None if it was checked.
    """
    revision = cited.revision or ""
    chats: set[UUID] = set()
    async with transaction(actor) as tx:
        # Each change also updates the lists of all participants. The fixed order prevents deadlocks between workers of
        # several participants.
        for quote, state in sorted(states.items(), key=lambda one: (one[0].chat_id, one[0].message_id, one[0].n)):
            values = {
                "state": state, "revision": "" if state == "hidden" else revision, "message": quote.message_id,
                "n": quote.n, "file": cited.link.id, "due": quote.due_at, "unchecked": _json(unchecked),
            }  # fmt: skip
            row = (await tx.execute(_STORE, values)).one_or_none()
            if row is not None and row.changed:
                chats.add(row.chat_session_id)
        if chats:
            await notices.announce(tx, chats)


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps({**value})


async def followed(actor: Actor, messages: Collection[UUID]) -> dict[UUID, list[Followed]]:
    """The followed quotes of messages, by message. Messages that the actor may not see have none.

    Args:
        actor: A participant of the chats.
        messages: Ids of answers.
    """
    found: dict[UUID, list[Followed]] = defaultdict(list)
    if messages:
        async with transaction(actor, read_only=True) as tx:
            for row in (await tx.session.exec(of(col(models.Citation.message_id).in_(messages)))).all():
                found[row.message_id].append(_followed(actor, row))
    return found


async def of_run(actor: Actor, run_id: UUID) -> list[Followed]:
    """The followed quotes of the answer that a run has written, if the actor may see it."""
    of_answer = select(models.Message.id).where(col(models.Message.workflow_run_id) == run_id)
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.session.exec(of(col(models.Citation.message_id).in_(of_answer)))).all()
    return of_rows(actor, rows)


def closed() -> dict[str, Any]:
    """The reason for a file that Google shows to the member but does not let them download."""
    reason = user_texts.english("living.closed")
    return {"text": str(reason), "message": reason.as_data()}


def by_number(found: Iterable[Followed]) -> dict[int, Followed]:
    """The quotes and figures of an answer by their numbers. A figure has the worst state of its files."""
    return {one.n: one for one in sorted(found, key=lambda one: _ORDER.index(one.state))}


def state_for(one: Mapping[str, Any], found: Mapping[int, Followed]) -> State | Literal["bin"]:
    """The state of a citation for its reader.

    `bin` means that the file is in the reader's own bin, where Google does not show its contents. A change that the
    reader's own Drive has shown is returned even if Drive cannot be asked at the moment. The state of other withheld
    files is not disclosed.

    Args:
        one: The citation, without its quote if the reader may not see the file (`redaction.citation_without`).
        found: The result of `by_number` for the answer.
    """
    followed = found.get(one.get("n", 0))
    state: State = followed.state if followed is not None else "stands"
    if one.get("reason") == "refused":
        return "bin" if state == "gone" and followed is not None and followed.is_own else "hidden"
    if one.get("reason") in redaction.TEXTS:
        is_known = followed is not None and followed.is_own and one["reason"] in UNASKED
        return state if is_known and state in {"changed", "gone"} else "stands"
    return "stands" if state == "hidden" else state


def of_rows(actor: Actor, rows: Iterable[models.Citation]) -> list[Followed]:
    """The followed quotes in rows that the actor may see."""
    return [_followed(actor, row) for row in rows]


def of(messages: ColumnElement[bool]) -> SelectOfScalar[models.Citation]:
    """The query for the quotes and figures of answers that are followed today, in the order of their numbers."""
    is_followed = col(models.Citation.quoted_at) > func.now() - FOLLOWED_FOR
    query = select(models.Citation).where(messages, is_followed)
    return query.order_by(col(models.Citation.message_id), col(models.Citation.n))


def _followed(actor: Actor, row: models.Citation) -> Followed:
    state: State = row.state  # pyright: ignore[reportAssignmentType] - checked by the database
    cause = row.unchecked if state != "hidden" else None
    # During an upgrade, a worker of the older version may check a later revision and keep the cause of an earlier one.
    if cause is not None and cause.get("revision") != row.revision:
        cause = None
    is_own = row.user_id == actor.user_id
    return Followed(row.n, row.file_id, "unchecked" if cause is not None else state, is_own, row.changed_at, cause)
