"""Vectors of passages: the texts that need vectors, their storage, and the search for passages of similar meaning.

This module does not call the model. The caller of a search passes a function that computes the vectors of a question
(`Embed`), and the worker passes the vectors of passages.
"""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import ColumnElement, func, or_, text
from sqlmodel import col, select

from leaf import config, errors, queue
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.documents import READER_VERSION
from leaf.services.library.words import BEST, Hit

log = logging.getLogger(__name__)

LEASE: Final = timedelta(minutes=2)
"""The time for which a claim of a text lasts. Each stored batch extends it."""
RETRY: Final = timedelta(minutes=2)
"""The pause after a failure before a text is processed again."""
JOB: Final = "embed_queries"
"""The name of the job that computes vectors of questions for a web process."""
_LARGE: Final = 500
"""Texts with more passages than this come last. Most of them are tables of numbers."""
WAIT_SECONDS: Final = 3.0
"""The time for which a search waits for the vectors of its question."""
_LEAST: Final = 0.1
"""The least cosine similarity of a found passage. Without a limit, some passage would always be found."""
_WAITING = text("""
    SELECT c.n, c.heading, c.text FROM drive_chunks c
    LEFT JOIN drive_vectors v ON v.text_id = c.text_id AND v.n = c.n AND v.model = :model
    WHERE c.text_id = :text_id AND v.n IS NULL ORDER BY c.n LIMIT :most
""")
_TABLE_EXISTS = text("SELECT to_regclass('public.drive_vectors') IS NOT NULL")
_HITS = text("SELECT * FROM leaf_vector_hits(:vectors, :model, :files, :most)")
_LIKENESSES = text("""
    WITH wanted AS MATERIALIZED (
        SELECT CAST(w.vector AS leaf_vectors.halfvec) AS vector FROM unnest(CAST(:vectors AS text[])) AS w (vector)
    )
    SELECT v.text_id, v.n, 1 - min(v.vector OPERATOR(leaf_vectors.<=>) w.vector) AS likeness
    FROM unnest(CAST(:texts AS uuid[]), CAST(:numbers AS integer[])) AS one (text_id, n)
    JOIN drive_vectors v ON v.text_id = one.text_id AND v.n = one.n AND v.model = :model
    CROSS JOIN wanted w
    GROUP BY v.text_id, v.n
""")

Vector = Sequence[float]


@dataclass(frozen=True)
class Embedded:
    """The vectors of the wordings of a question."""

    model: str
    """The model that has computed them (`Settings.vector_model`). Vectors of different models cannot be compared."""
    vectors: Sequence[Vector]


Embed = Callable[[Sequence[str]], Awaitable[Embedded | None]]
"""Computes the vectors of the wordings of a question; returns None if that is not possible now."""


@dataclass(frozen=True)
class Unembedded:
    """A member who sees texts without vectors."""

    actor: Actor
    unread: bool
    """Whether files of the member still wait to be read."""


@dataclass(frozen=True)
class Claimed:
    """A text whose vectors a worker computes."""

    id: UUID
    model: str


@dataclass(frozen=True)
class Waiting:
    """A passage without a vector."""

    n: int
    text: str
    """The text from which the vector is computed."""
    digest: UUID


async def are_possible(tx: Transaction) -> bool:
    """Whether the database has the table of vectors, which needs the extension `vector`."""
    return bool((await tx.execute(_TABLE_EXISTS)).scalar_one())


async def have_table() -> bool:
    """The same as `are_possible`, in a transaction of its own."""
    async with transaction(Actor.system(), read_only=True) as tx:
        return await are_possible(tx)


async def unembedded(most: int) -> list[Unembedded]:
    """Members who see texts without vectors, members without unread files first. Empty if vectors are not possible."""
    model = config.current().vector_model
    if not model:
        return []
    async with transaction(Actor.system(), read_only=True) as tx:
        if not await are_possible(tx):
            return []
        rows = await tx.call("leaf_unembedded_drives", most, model, READER_VERSION)
        return [Unembedded(Actor.worker_for(row.user_id, row.workspace_id), row.unread) for row in rows]


async def claim(actor: Actor) -> Claimed | None:
    """Claims the member's next text; None if there is none.

    Large texts come after all others. Within each group, wanted files come first, then the files that changed last.
    """
    seen, row = models.VisibleFile, models.DriveText
    model = config.current().vector_model
    query = (
        select(row.id)
        .join(seen, (col(seen.file_id) == row.file_id) & (col(seen.revision) == row.revision))
        .where(col(seen.user_id) == actor.member_id, col(seen.can_download), col(row.state) == "read", _is_due(model))
        .order_by(
            col(row.chunks) > _LARGE, col(seen.wanted_at).desc().nulls_last(),
            col(seen.modified_at).desc().nulls_last(), col(row.id),
        )
        .limit(1)
        .with_for_update(skip_locked=True, of=row)
    )  # fmt: skip
    async with transaction(actor) as tx:
        found = (await tx.session.exec(query)).first()
        if found is None:
            return None
        claimed = Claimed(found, model)
        await _note(tx, claimed, vectors_claimed_until=func.now() + LEASE)
        return claimed


def _is_due(model: str) -> ColumnElement[bool]:
    row = models.DriveText
    free = or_(col(row.vectors_claimed_until).is_(None), col(row.vectors_claimed_until) <= func.now())
    return col(row.vector_model).is_distinct_from(model) & free


async def missing(actor: Actor, claimed: Claimed, most: int) -> list[Waiting]:
    """The next passages of a text without a vector of this model. Vectors of equal passages are copied first.

    Args:
        actor: The member.
        claimed: The text.
        most: The largest number of passages.
    """
    async with transaction(actor) as tx:
        while True:
            values = {"text_id": claimed.id, "model": claimed.model, "most": most}
            rows = (await tx.execute(_WAITING, values)).all()
            found = [Waiting(row.n, body := _embedded_text(row), _digest(body)) for row in rows]
            numbers, digests = [one.n for one in found], [one.digest for one in found]
            copied = await tx.call("leaf_copy_vectors", claimed.id, claimed.model, numbers, digests)
            known = set(copied.scalars())
            left = [one for one in found if one.n not in known]
            if left or not found:
                return left


async def store(actor: Actor, claimed: Claimed, passages: Sequence[Waiting], vectors: Sequence[Vector]) -> None:
    """Stores vectors of passages and extends the claim."""
    async with transaction(actor) as tx:
        await tx.call(
            "leaf_keep_vectors", claimed.id, claimed.model, [one.n for one in passages],
            [one.digest for one in passages], [as_text(vector) for vector in vectors],
        )  # fmt: skip
        await _note(tx, claimed, vectors_claimed_until=func.now() + LEASE)


async def finish(actor: Actor, claimed: Claimed) -> None:
    """Stores that all passages of a text have vectors, and ends the claim."""
    async with transaction(actor) as tx:
        await _note(tx, claimed, vector_model=claimed.model, vectors_claimed_until=None)


async def release(actor: Actor, claimed: Claimed, *, failed: bool) -> None:
    """Releases the claim of a text. After a failure the text is not processed for `RETRY`."""
    async with transaction(actor) as tx:
        await _note(tx, claimed, vectors_claimed_until=func.now() + RETRY if failed else None)


async def _note(tx: Transaction, claimed: Claimed, **values: Any) -> None:
    changed = sqlalchemy.update(models.DriveText).where(col(models.DriveText.id) == claimed.id).values(values)
    await tx.session.exec(changed)


def _embedded_text(row: Any) -> str:
    """The text from which the vector of a passage is computed, with the file's name and the headings."""
    return f"{row.heading.replace(' › ', '. ')}. {row.text}"


def _digest(body: str) -> UUID:
    return UUID(bytes=hashlib.sha256(body.encode()).digest()[:16])


def as_text(vector: Vector) -> str:
    """A vector in PostgreSQL's text format."""
    return f"[{','.join(f'{number:.5g}' for number in vector)}]"


async def hits(tx: Transaction, embedded: Embedded | None, files: Sequence[str] | None) -> list[Hit]:
    """The passages most similar to the question in meaning, the best first; empty without vectors.

    Args:
        tx: A transaction of the member.
        embedded: The vectors of the question.
        files: The ids of the files to search; None for all.
    """
    if embedded is None or not embedded.vectors or not await are_possible(tx):
        return []
    values = {
        "vectors": [as_text(vector) for vector in embedded.vectors], "model": embedded.model, "files": files,
        "most": BEST,
    }  # fmt: skip
    rows = (await tx.execute(_HITS, values)).all()
    return [Hit(row.text_id, row.n, row.likeness) for row in rows if row.likeness >= _LEAST]


async def likenesses(tx: Transaction, embedded: Embedded | None, passages: Sequence[Hit]) -> list[Hit]:
    """The similarity in meaning of passages found by words, most of which are not in the result of `hits`.

    Args:
        tx: A transaction of the member.
        embedded: The vectors of the question.
        passages: The passages. Passages without a vector, or with too little similarity, are left out.
    """
    if embedded is None or not passages or not await are_possible(tx):
        return []
    values = {
        "texts": [one.text_id for one in passages], "numbers": [one.n for one in passages],
        "vectors": [as_text(vector) for vector in embedded.vectors], "model": embedded.model,
    }  # fmt: skip
    rows = (await tx.execute(_LIKENESSES, values)).all()
    return [Hit(row.text_id, row.n, row.likeness) for row in rows if row.likeness >= _LEAST]


async def by_worker(queries: Sequence[str]) -> Embedded | None:
    """The vectors of a question, computed by a worker, because a web process loads no model.

    None if no worker answers in time.
    """
    if not config.current().vector_model:
        return None
    try:
        result = await queue.current().call(JOB, list(queries), seconds=WAIT_SECONDS, every_seconds=0.02)
    except (TimeoutError, errors.RedisUnavailable, queue.Failed):
        # A worker of an earlier version does not know the job.
        log.info("a search uses words only: no worker has computed the vectors of its question")
        return None
    return None if result is None else Embedded(result["model"], result["vectors"])
