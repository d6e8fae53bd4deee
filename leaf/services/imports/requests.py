"""Imports as members see them: start, progress and removal."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import exc
from sqlalchemy.orm import defer
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.parts import portable
from leaf.redis import events, rates
from leaf.services.files import too_large
from leaf.services.imports.work import enqueue

log = logging.getLogger(__name__)

MOST_LISTED: Final = 10
AN_HOUR: Final = 20
_NAME_CHARACTERS: Final = 200
_WITHOUT_DATA: Final = defer(col(models.Import.data))  # pyright: ignore[reportArgumentType] - a mapped column


@dataclass(frozen=True)
class Import:
    """An import as its person sees it."""

    id: UUID
    name: str
    status: str
    """waiting, running, done or failed."""
    total: int | None
    done: int
    imported: int
    known: int
    refused: int
    left_out: int
    problems: list[dict[str, Any]]
    failure: str
    created_at: datetime

    @property
    def unfinished(self) -> bool:
        """Whether a worker has still to do with it."""
        return self.status in {"waiting", "running"}


async def begin(actor: Actor, name: str, data: bytes) -> UUID:
    """Keeps a file, and has a worker make chats of it.

    Args:
        actor: Whose chats they become.
        name: The name of the file.
        data: All of it; nothing of it has been looked at.

    Raises:
        errors.Invalid: It is empty.
        errors.LeafError: 413, it is larger than 50 MB.
        errors.Conflict: Another one of the person's is not done.
        errors.LimitReached: The person has begun 20 within an hour.
    """
    person, workspace_id = actor.member_id, actor.own_workspace_id
    if not data:
        raise errors.Invalid(texts.english("exchange.empty_file"), field="file")
    if len(data) > portable.FILE_BYTES:
        raise too_large(portable.FILE_BYTES)
    if wait := await rates.take(f"import:{person}", AN_HOUR, seconds=3600):
        raise errors.LimitReached(texts.english("exchange.too_often"), resets_in_seconds=max(1, round(wait)))
    row = models.Import(
        user_id=person,
        workspace_id=workspace_id,
        name=name[:_NAME_CHARACTERS],
        size_bytes=len(data),
        data=data,
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
    """The newest imports of a person, the newest first."""
    query = select(models.Import).options(_WITHOUT_DATA).order_by(col(models.Import.created_at).desc())
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.session.exec(query.limit(MOST_LISTED))).all()
    return [_import(row) for row in rows]


async def remove(actor: Actor, import_id: UUID) -> None:
    """Removes an import; an unfinished one ends and keeps the chats it has created.

    Raises:
        errors.NotFound: The import does not exist for this member.
    """
    gone = sqlalchemy.delete(models.Import).where(col(models.Import.id) == import_id)
    async with transaction(actor) as tx:
        if not (await tx.session.exec(gone)).rowcount:
            raise errors.NotFound("import")


def _import(row: models.Import) -> Import:
    return Import(
        row.id, row.name, row.status, row.total, row.done, row.imported, row.known, row.refused, row.left_out,
        row.problems, row.failure or "", row.created_at,
    )  # fmt: skip
