"""Imports for members: start, progress and removal."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import exc
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.parts import portable
from leaf.redis import events, rates
from leaf.services.files import too_large
from leaf.services.imports.work import WITHOUT_DATA, enqueue

log = logging.getLogger(__name__)

MOST_LISTED: Final = 10
AN_HOUR: Final = 20
_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True)
class Import:
    """An import as its owner sees it."""

    id: UUID
    name: str
    status: str
    """waiting, running, done or failed."""
    total: int | None
    """Number of chats in the file; None until the file has been read."""
    done: int
    """Number of chats that have been processed."""
    imported: int
    """Number of chats that were created."""
    known: int
    """Number of chats that the owner already had."""
    refused: int
    """Number of chats that could not be imported."""
    left_out: int
    """The sum of `portable.Read.left_out` over the imported chats."""
    problems: list[dict[str, Any]]
    """`title` and `code` of the first refused chats."""
    failure: str
    """The code of the reason for an early end; empty if there is none."""
    created_at: datetime

    @property
    def unfinished(self) -> bool:
        """Whether the import has not ended."""
        return self.status in {"waiting", "running"}


async def begin(actor: Actor, name: str, data: bytes) -> UUID:
    """Stores a file, and enqueues the job that creates chats from it. Returns the id of the import.

    Args:
        actor: The owner of the new chats.
        name: The name of the file.
        data: The whole file, unchecked.

    Raises:
        errors.Invalid: The file is empty.
        errors.LeafError: The file is larger than 50 MB (status 413).
        errors.Conflict: Another import of this member has not ended.
        errors.LimitReached: The member has begun 20 imports within an hour.
    """
    person, workspace_id = actor.member_id, actor.own_workspace_id
    if not data:
        raise errors.Invalid(texts.english("exchange.empty_file"), field="file")
    if len(data) > portable.FILE_BYTES:
        raise too_large(portable.FILE_BYTES)
    if wait := await rates.take(f"import:{person}", AN_HOUR, seconds=3600):
        raise errors.LimitReached(texts.english("exchange.too_often"), resets_in_seconds=wait)
    row = models.Import(
        user_id=person, workspace_id=workspace_id, name=name[:_NAME_CHARACTERS], size_bytes=len(data), data=data
    )
    try:
        async with transaction(actor) as tx:
            tx.session.add(row)
            await tx.session.flush()
    except exc.IntegrityError as error:
        raise errors.Conflict(texts.english("exchange.under_way")) from error
    try:
        await enqueue(row.id, 1)
    except errors.RedisUnavailable:
        log.warning("import %s was stored and could not be enqueued; a worker will find it", row.id)
    await events.publish([events.user(person)])
    return row.id


async def listed(actor: Actor) -> list[Import]:
    """The last imports of a member, at most `MOST_LISTED`, the newest first."""
    query = select(models.Import).options(WITHOUT_DATA).order_by(col(models.Import.created_at).desc())
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.session.exec(query.limit(MOST_LISTED))).all()
    return [_import(row) for row in rows]


async def remove(actor: Actor, import_id: UUID) -> None:
    """Removes an import. An unfinished import ends, and the chats that it has created stay.

    Raises:
        errors.NotFound: The import does not exist for this member.
    """
    gone = sqlalchemy.delete(models.Import).where(col(models.Import.id) == import_id)
    async with transaction(actor) as tx:
        errors.found((await tx.session.exec(gone)).rowcount, "import")


def _import(row: models.Import) -> Import:
    return Import(
        row.id, row.name, row.status, row.total, row.done, row.imported, row.known, row.refused, row.left_out,
        row.problems, row.failure or "", row.created_at,
    )  # fmt: skip
