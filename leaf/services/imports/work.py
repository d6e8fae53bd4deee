"""Imports for workers: claim, progress and end."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy.orm import defer
from sqlmodel import col, select

from leaf import errors, queue
from leaf.db import models
from leaf.db.session import Actor, transaction

MOST_ATTEMPTS: Final = 5
_UNFINISHED: Final = ("waiting", "running")
WITHOUT_DATA: Final = defer(col(models.Import.data))  # pyright: ignore[reportArgumentType] - a mapped column
"""The option of a query that does not read the file."""

JOB: Final = "import_chats"
"""The name of the job that imports the chats of a file."""


class Overtaken(Exception):
    """Another worker has taken over the import."""

    def __init__(self, import_id: UUID) -> None:
        super().__init__(f"import {import_id} has another worker now")


@dataclass(frozen=True)
class Task:
    """An import that a worker has claimed."""

    id: UUID
    actor: Actor
    data: bytes
    total: int | None
    done: int
    """The number of chats that earlier workers have processed."""
    given_up: bool
    """Whether the import is given up, because too many attempts have failed."""


async def enqueue(import_id: UUID, attempt: int) -> bool:
    """Enqueues `import_chats(import_id, attempt)` once, like `queue.enqueue_respond`; returns whether the job is new.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    return await queue.current().enqueue(queue.Job(JOB, (str(import_id), attempt)))


async def owner(import_id: UUID) -> UUID | None:
    """The owner of an import; None if it no longer exists."""
    async with transaction(Actor.system(), read_only=True) as tx:
        return (await tx.call("leaf_import_owner", import_id)).scalar_one()


async def unfinished(older_than: timedelta) -> dict[UUID, int]:
    """Unfinished imports without progress for at least `older_than`, each with its number of attempts."""
    async with transaction(Actor.system(), read_only=True) as tx:
        return {row.import_id: row.attempts for row in await tx.call("leaf_unfinished_imports", older_than)}


async def claim(person: UUID, import_id: UUID) -> Task:
    """Claims an import, and counts the attempt.

    Args:
        person: The owner of the import.
        import_id: The import.

    Raises:
        errors.NotFound: The import does not exist for this member, or it has ended.
    """
    async with transaction(Actor.worker_for(person)) as tx:
        query = select(models.Import).where(col(models.Import.id) == import_id).with_for_update()
        row = (await tx.session.exec(query)).one_or_none()
        if row is None or row.data is None:
            raise errors.NotFound("import")
        row.status, row.attempts = "running", row.attempts + 1
        row.updated_at = models.utc_now()
        tx.session.add(row)
        actor = Actor("worker", person, row.workspace_id)
        return Task(import_id, actor, row.data, row.total, row.done, row.attempts > MOST_ATTEMPTS)


async def beat(actor: Actor, import_id: UUID) -> None:
    """Records that the import is being processed. Raises the same errors as `finish`."""
    await _set(actor, import_id)


async def count(actor: Actor, import_id: UUID, total: int) -> None:
    """Stores the number of chats in the file. Raises the same errors as `finish`."""
    await _set(actor, import_id, total=total)


async def finish(actor: Actor, import_id: UUID, failure: str = "") -> None:
    """Ends an import and deletes its file.

    Args:
        actor: The owner of the import.
        import_id: The import.
        failure: Code of the reason for an early end; empty if the whole file was processed.

    Raises:
        errors.NotFound: The import does not exist for this member, or it has ended.
    """
    await _set(actor, import_id, status="failed" if failure else "done", data=None, failure=failure or None)


async def _set(actor: Actor, import_id: UUID, **values: Any) -> None:
    change = sqlalchemy.update(models.Import).where(
        col(models.Import.id) == import_id, col(models.Import.status).in_(_UNFINISHED)
    )
    async with transaction(actor) as tx:
        if not (await tx.session.exec(change.values({**values, "updated_at": models.utc_now()}))).rowcount:
            raise errors.NotFound("import")
