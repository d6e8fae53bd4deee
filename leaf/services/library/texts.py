"""The texts of files: which are to be read, what was read, and what is forgotten."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal
from uuid import UUID

import orjson
import sqlalchemy
from sqlalchemy import ColumnElement, case, func, or_
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import texts as user_texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.documents import READER, Document
from leaf.documents.chunks import Chunk
from leaf.google.links import DriveLink
from leaf.services.library import sight

LEASE: Final = timedelta(seconds=60)
"""The time after which another worker takes a file whose reader has not been heard of (`renew`)."""
FIRST_RETRY: Final = timedelta(seconds=30)
ATTEMPTS: Final = 8
"""The number of times that a file is tried, in about two hours, before it is skipped."""
REST: Final = timedelta(days=1)
"""The time after which a file is tried again that was skipped for a failure that may pass."""
_LARGE_BYTES: Final = 2_000_000
"""Larger files are read after the small ones."""
_BATCH: Final = 200
_FORGOTTEN: Final = 1_000
_SAMPLE_CHARACTERS: Final = 4_000
_FOLDED_KINDS: Final = ("folder", "shortcut")
_NOT_READ: Final = ("reading", "failed")

Cited = Literal["quick", "slow"]


@dataclass(frozen=True)
class Waiting:
    """A file whose text is to be read."""

    link: DriveLink
    revision: str
    name: str
    mime_type: str
    kind: str


@dataclass(frozen=True)
class Taken:
    """A text that a worker reads."""

    id: UUID
    file_id: str
    revision: str
    attempt: int


async def unread(most: int) -> list[Actor]:
    """Members with files that wait to be read, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_unread_drives", most, READER)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def waiting(actor: Actor, most: int, cited: Cited | None = None) -> list[Waiting]:
    """The member's next files: the wanted ones, then those that changed last, the small ones before the large ones.

    Args:
        actor: The member.
        most: The largest number of them.
        cited: Only files whose quotes or figures are due: those that can be expected to be read in no time (`quick`),
            or the others, which are large or could not be read at once (`slow`).
    """
    seen, text = models.DriveSight, models.DriveText
    query = (
        select(seen)
        .outerjoin(text, (col(text.file_id) == seen.file_id) & (col(text.revision) == seen.revision))
        .where(
            col(seen.user_id) == actor.member_id,
            col(seen.can_download),
            col(seen.kind).not_in(_FOLDED_KINDS),
            or_(col(text.id).is_(None), _is_due()),
            *((_is_cited(), _is_quick() if cited == "quick" else ~_is_quick()) if cited is not None else ()),
        )
        .order_by(
            col(seen.wanted_at).desc().nulls_last(),
            func.coalesce(seen.size_bytes, 0) > _LARGE_BYTES,
            col(seen.modified_at).desc().nulls_last(),
            col(seen.file_id),
        )
        .limit(most)
    )
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.session.exec(query)).all()
    return [
        Waiting(DriveLink(row.file_id, row.resource_key), row.revision, row.name, row.mime_type, row.kind)
        for row in rows
    ]


async def take(actor: Actor, file: Waiting) -> Taken | None:
    """Takes a file; None if another worker has it, or if the member does not see this revision any more."""
    seen = select(models.DriveSight.file_id).where(
        col(models.DriveSight.user_id) == actor.member_id,
        col(models.DriveSight.file_id) == file.link.id,
        col(models.DriveSight.revision) == file.revision,
        col(models.DriveSight.can_download),
    )
    text = models.DriveText
    until = models.utc_now() + LEASE
    made = insert(text).values(
        file_id=file.link.id, revision=file.revision, mime_type=file.mime_type, kind=file.kind, retry_at=until,
        reader=READER,
    )  # fmt: skip
    taken = made.on_conflict_do_update(
        index_elements=["file_id", "revision"],
        set_={
            "state": "reading",
            "retry_at": until,
            "kind": file.kind,
            "reader": READER,
            "attempts": case((col(text.state) == "skipped", 1), else_=col(text.attempts) + 1),
        },
        where=_is_due(),
    ).returning(col(text.id), col(text.attempts))
    async with transaction(actor) as tx:
        if (await tx.session.exec(seen.with_for_update(read=True))).first() is None:
            return None
        row = (await tx.session.exec(taken)).first()
    return None if row is None else Taken(row[0], file.link.id, file.revision, row[1])


async def renew(actor: Actor, taken: Taken) -> None:
    """Keeps a text that is being read for another `LEASE`."""
    async with transaction(actor) as tx:
        if await _is_mine(tx, taken):
            until = {"retry_at": models.utc_now() + LEASE}
            await tx.session.exec(
                sqlalchemy.update(models.DriveText).where(col(models.DriveText.id) == taken.id).values(until)
            )


def _is_due() -> ColumnElement[bool]:
    """Whether a text is to be read now: for the first time, once more, or because this reader may read more."""
    text = models.DriveText
    again = col(text.state).in_((*_NOT_READ, "skipped")) & (col(text.retry_at) <= func.now())
    return again | ((col(text.state) == "skipped") & (col(text.reader) < READER))


def _is_cited() -> ColumnElement[bool]:
    """Whether a quote or a figure of the member's is due, and waits for the text of the file."""
    cited, seen = models.Citation, models.DriveSight
    is_due = or_(col(cited.due_at) <= func.now(), col(cited.compute_at) <= func.now())
    of_file = (col(cited.user_id) == col(seen.user_id)) & (col(cited.file_id) == col(seen.file_id))
    return select(cited.message_id).where(of_file, is_due).exists()


def _is_quick() -> ColumnElement[bool]:
    """Whether a file is small, and has not failed to be read."""
    text = models.DriveText
    has_failed = col(text.state).in_(_NOT_READ) & (col(text.attempts) > 0)
    return (func.coalesce(models.DriveSight.size_bytes, 0) <= _LARGE_BYTES) & ~func.coalesce(
        has_failed, sqlalchemy.false()
    )


async def keep(actor: Actor, taken: Taken, document: Document, chunks: Sequence[Chunk]) -> None:
    """Stores a text with its passages. It is found when all of them are stored.

    Args:
        actor: The member with whose token it was read.
        taken: The text.
        document: The file that was read.
        chunks: Its passages (`documents.chunks`).
    """
    body = document.body()
    digest = hashlib.sha256(orjson.dumps(body)).digest()
    async with transaction(actor) as tx:
        if (await tx.call("leaf_keep_drive_text", taken.file_id, taken.revision, digest)).scalar_one():
            return
        if not await _is_mine(tx, taken):
            return
        sample = "\n".join(chunk.text for chunk in chunks[:4])[:_SAMPLE_CHARACTERS]
        language = (await tx.call("leaf_text_language", sample)).scalar_one()
        await tx.session.exec(sqlalchemy.delete(models.DriveChunk).where(col(models.DriveChunk.text_id) == taken.id))
    for start in range(0, len(chunks), _BATCH):
        rows = [
            {
                "text_id": taken.id, "n": n, "place": chunk.place, "heading": chunk.heading, "text": chunk.text,
                "words": func.leaf_chunk_words(language, chunk.heading, chunk.text),
            }
            for n, chunk in enumerate(chunks[start : start + _BATCH], start)
        ]  # fmt: skip
        async with transaction(actor) as tx:
            if not await _is_mine(tx, taken):
                return
            await tx.session.exec(insert(models.DriveChunk).values(rows))
    values = {
        "state": "read",
        "body": body,
        "kind": document.kind,
        "digest": digest,
        "language": language,
        "chunks": len(chunks),
        "vector_model": None,
        "vectors_claimed_until": None,
    }
    async with transaction(actor) as tx:
        await _finish(tx, taken, reason=None, **values)


async def skip(actor: Actor, taken: Taken, reason: str, *, again: bool = False) -> None:
    """Notes that a file cannot be read, and why.

    Args:
        actor: The member with whose token it was tried.
        taken: The text.
        reason: Why.
        again: Whether it is tried once a day, as that may pass without another version.
    """
    retry_at = models.utc_now() + REST if again else None
    async with transaction(actor) as tx:
        await _finish(tx, taken, state="skipped", retry_at=retry_at, reason=_reason(reason))


async def retry(actor: Actor, taken: Taken, reason: str) -> None:
    """Notes a failure that may pass: the file is tried again later, and after several attempts once a day."""
    async with transaction(actor) as tx:
        if taken.attempt >= ATTEMPTS:
            await _finish(tx, taken, state="skipped", retry_at=models.utc_now() + REST, reason=_reason(reason))
        else:
            at = models.utc_now() + FIRST_RETRY * 2 ** (taken.attempt - 1)
            await _finish(tx, taken, state="failed", retry_at=at, reason=_reason(reason))


async def leave(actor: Actor, taken: Taken, *, gone: bool, looks_open: bool = False) -> None:
    """Leaves a file to the other members who see it: Google refuses it to this one, whose sight it goes out of.

    Args:
        actor: The member with whose token it was read.
        taken: The text.
        gone: Whether Google no longer shows the file to the member; else the member may not download it.
        looks_open: Whether Google shows it as a file that may be downloaded (`sight.refuse`).
    """
    async with transaction(actor) as tx:
        # First the text, which this member does not see any more afterwards.
        await _finish(tx, taken, state="failed", retry_at=models.utc_now(), attempts=max(taken.attempt - 1, 0))
        left = [taken.file_id]
        await sight.refuse(tx, gone=left if gone else (), closed=() if gone else left, looks_open=looks_open)


async def give_back(actor: Actor, taken: Taken) -> None:
    """Has a file read again from the beginning: it changed meanwhile, or its worker ends."""
    async with transaction(actor) as tx:
        await _finish(tx, taken, state="failed", retry_at=models.utc_now(), attempts=max(taken.attempt - 1, 0))


async def document(actor: Actor, file_id: str, revision: str) -> Document | None:
    """The text of a file in exactly this revision, if it was read and the member sees the file."""
    return await _document(actor, file_id, col(models.DriveText.revision) == revision)


async def present(actor: Actor, file_id: str) -> Document | None:
    """The text of a file in the revision that the member's feed has shown last, if it was read."""
    return await _document(actor, file_id, col(models.DriveText.revision) == models.DriveSight.revision)


async def _document(actor: Actor, file_id: str, of: ColumnElement[bool]) -> Document | None:
    text, seen = models.DriveText, models.DriveSight
    query = (
        select(text, seen.name)
        .join(seen, (col(seen.file_id) == text.file_id) & (col(seen.user_id) == actor.member_id))
        .where(col(text.file_id) == file_id, col(text.state) == "read", of)
    )
    async with transaction(actor, read_only=True) as tx:
        found = (await tx.session.exec(query)).one_or_none()
    if found is None:
        return None
    row, name = found
    assert row.body is not None  # noqa: S101 - of each text that was read
    return Document.from_body(
        row.body, file_id=file_id, revision=row.revision, name=name, mime_type=row.mime_type, kind=row.kind
    )


async def forget() -> int:
    """Deletes the texts that nobody may see any more, by the SQL function `leaf_forget_drive_texts`; returns how many
    texts were looked at.
    """
    count = 0
    while True:
        async with transaction(Actor.system()) as tx:
            found = (await tx.call("leaf_forget_drive_texts", _FORGOTTEN)).scalar_one()
        count += found
        if found < _FORGOTTEN:
            return count


def _reason(reason: str) -> dict[str, Any]:
    return {"text": str(reason), "message": reason.as_data() if isinstance(reason, user_texts.Message) else None}


async def _is_mine(tx: Transaction, taken: Taken) -> bool:
    """Whether this attempt is still the last one, and the text still there; holds its row until the commit."""
    query = select(models.DriveText.id).where(
        col(models.DriveText.id) == taken.id,
        col(models.DriveText.state) == "reading",
        col(models.DriveText.attempts) == taken.attempt,
    )
    return (await tx.session.exec(query.with_for_update())).first() is not None


async def _finish(tx: Transaction, taken: Taken, **values: Any) -> None:
    changed = (
        sqlalchemy.update(models.DriveText)
        .where(
            col(models.DriveText.id) == taken.id,
            col(models.DriveText.state) == "reading",
            col(models.DriveText.attempts) == taken.attempt,
        )
        .values({"retry_at": None, "updated_at": models.utc_now()} | values)
    )
    await tx.session.exec(changed)
