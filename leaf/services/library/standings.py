"""Counts of changed sources of answers, for the head of a chat and for its row in the list of chats.

The head counts the files that Google has just confirmed for its reader (`leaf.services.passages`). A list has no time
to ask Google. It counts the files that the reader's own token has shown before (`drive_sight`), and nothing without a
connection.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from sqlmodel import col, select

from leaf.citations import redaction
from leaf.db import models
from leaf.db.models import IntegrationStatus
from leaf.db.session import Transaction
from leaf.services.integrations import rows
from leaf.services.library import quotes
from leaf.services.library.quotes import Followed

FOLLOWED: Final = "followed"
"""The field of a citation with the state of its quote, if that has changed."""
SEEN: Final = "seen"
"""The field of a citation with the time at which the change was seen."""
CAUSE: Final = "cause"
"""The field of a citation with the reason why the present version of the file could not be read."""

_CITED: Final = text("""
    SELECT m.id, m.created_at, jsonb_agg(jsonb_build_object(
        'n', one -> 'n', 'kind', one -> 'kind', 'reason', one -> 'reason', 'file_id', one -> 'file_id',
        'files', one -> 'files', 'url', one -> 'url', 'name', one -> 'name'
    )) AS cited
    FROM messages m
    CROSS JOIN LATERAL jsonb_path_query(leaf_parts(m), '$[*] ? (@.type == "data-citations").data[*]') one
    WHERE m.id = ANY (:messages) AND m.role = 'assistant' AND m.status NOT IN ('pending', 'streaming')
        AND jsonb_typeof(one) = 'object'
    GROUP BY m.id
""")


@dataclass(frozen=True)
class Standing:
    """The ids of the sources of an answer, and their changes since the answer."""

    sources: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    """Sources that no longer have one of the quotes."""
    hidden: frozenset[str] = frozenset()
    """Sources that Google no longer shows to the reader."""
    unchecked: frozenset[str] = frozenset()
    """Sources whose present version could not be read."""
    since: datetime | None = None
    """The time of the answer."""
    seen: datetime | None = None
    """The time at which the last change was seen, if Drive cannot be asked now; else None."""


@dataclass(frozen=True)
class SourceChanges:
    """The numbers of changed sources of several answers."""

    changed: int
    count: int
    """The number of all sources."""
    hidden: int
    unchecked: int
    since: datetime | None
    """The time of the first answer with a changed source; None if there is none."""
    seen: datetime | None = None
    """The latest time in `Standing.seen`."""


def with_state(one: dict[str, Any], found: Mapping[int, Followed]) -> dict[str, Any]:
    """A citation as its reader may see it, with the state of its quote (`quotes.state_for`)."""
    state = quotes.state_for(one, found)
    if one.get("kind") not in quotes.KINDS or state == "stands":
        return one
    followed = found.get(one.get("n", 0))
    if followed is None:
        return {**one, FOLLOWED: state, SEEN: None}
    cause = {CAUSE: dict(followed.cause)} if state == "unchecked" and followed.cause is not None else {}
    return {**one, FOLLOWED: state, SEEN: followed.changed_at, **cause}


def of_answer(cited: Sequence[Mapping[str, Any]], at: datetime, *, is_lost: bool = False) -> Standing:
    """The state of the sources of an answer; empty if the answer cites no file of Drive, because it is not followed.

    Args:
        cited: The citations of the answer with their states.
        at: The time of the answer.
        is_lost: Whether the reader's Drive cannot be asked at all.
    """
    if all(one.get("kind") not in quotes.KINDS for one in cited):
        return Standing()

    def in_state(*states: str) -> frozenset[str]:
        return frozenset(str(one.get("file_id")) for one in cited if one.get(FOLLOWED) in states)

    sources = frozenset(str(one.get("file_id") or one.get("url") or one.get("name")) for one in cited)
    changed = in_state("changed", "gone", "bin")
    seen = [one[SEEN] for one in cited if one.get(SEEN) and (is_lost or one.get("reason") in quotes.UNASKED)]
    hidden = in_state("hidden") - changed
    unchecked = in_state("unchecked") - changed - hidden
    return Standing(sources, changed, hidden, unchecked, at, max(seen, default=None))


def combined(standings: Iterable[Standing]) -> SourceChanges | None:
    """The numbers of changed sources of several answers; None if all sources are unchanged."""
    several = [*standings]
    sources = frozenset[str]().union(*(one.sources for one in several))
    changed = frozenset[str]().union(*(one.changed for one in several))
    hidden = frozenset[str]().union(*(one.hidden for one in several)) - changed
    unchecked = frozenset[str]().union(*(one.unchecked for one in several)) - changed - hidden
    if not changed and not hidden and not unchecked:
        return None
    since = min((one.since for one in several if one.changed and one.since is not None), default=None)
    seen = max((one.seen for one in several if one.seen is not None), default=None)
    return SourceChanges(len(changed), len(sources), len(hidden), len(unchecked), since, seen)


async def of_messages(tx: Transaction, messages: Sequence[UUID]) -> dict[UUID, Standing]:
    """The state of the sources of answers for the transaction's actor, without asking Google.

    It is empty if the actor has no connection to Drive. If the connection was lost, the last known states count.

    Args:
        tx: A transaction of a participant of the chats.
        messages: The ids of messages.
    """
    status = await _status(tx) if messages else None
    if status is None:
        return {}
    answers = (await tx.execute(_CITED, {"messages": [*messages]})).all()
    mine, files = models.Citation, models.VisibleFile
    followed: dict[UUID, list[models.Citation]] = defaultdict(list)
    for row in (await tx.session.exec(quotes.of(col(mine.message_id).in_(messages)))).all():
        followed[row.message_id].append(row)
    wanted = {file for row in answers for file in redaction.files_cited(row.cited)}
    sight = select(files.file_id, files.can_download).where(
        col(files.user_id) == tx.actor.member_id, col(files.file_id).in_(wanted)
    )
    seen: dict[str, bool] = dict((await tx.session.exec(sight)).all())
    is_lost = status is not IntegrationStatus.ACTIVE
    return {
        row.id: of_answer(_as_read(tx, row.cited, followed[row.id], seen), row.created_at, is_lost=is_lost)
        for row in answers
    }


def _as_read(
    tx: Transaction, cited: Sequence[dict[str, Any]], followed: Sequence[models.Citation], seen: Mapping[str, bool]
) -> list[dict[str, Any]]:
    """The citations of an answer with their states. A file counts as visible if the actor's own token has shown it."""
    left_out: dict[str, redaction.State] = {}
    own = {one.file_id: one.state for one in followed if one.user_id == tx.actor.member_id}
    for file in redaction.files_cited([*cited]):
        if file in seen:
            if not seen[file]:
                left_out[file] = "refused"
        elif own.get(file) == "hidden":
            left_out[file] = "refused"
        elif file not in own:
            # The reader's token has never shown the file. Only Google knows whether the reader may see it.
            left_out[file] = "checking"
    found = quotes.by_number(quotes.of_rows(tx.actor, followed))
    return [with_state(redaction.citation_without(one, left_out), found) for one in cited]


async def _status(tx: Transaction) -> IntegrationStatus | None:
    """The status of the actor's connection to Drive; None if there is no connection."""
    row = await rows.drive(tx) if tx.actor.audience.has_drive else None
    return row.status if row is not None else None
