"""The texts of files in the index: the queue of files to read, the texts that were read, and their deletion."""

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
from leaf.documents import READER_VERSION, Document
from leaf.documents.chunks import Chunk
from leaf.google.links import DriveLink
from leaf.services.library import sight

LEASE: Final = timedelta(seconds=60)
"""The time after which another worker may claim a file, unless its reader extends the claim (`renew`)."""
FIRST_RETRY: Final = timedelta(seconds=30)
"""The pause after the first failure. It doubles with each further failure."""
ATTEMPTS: Final = 8
"""The number of attempts to read a file before it is skipped. The pauses between them add up to about an hour."""
REST: Final = timedelta(days=1)
"""The pause before the next attempt for a file that was skipped because of a temporary failure."""
_LARGE_BYTES: Final = 2_000_000
"""Larger files are read after the small ones."""
_BATCH: Final = 200
_FORGOTTEN: Final = 1_000
_SAMPLE_CHARACTERS: Final = 4_000
_FOLDED_KINDS: Final = ("folder", "shortcut")
_NOT_READ: Final = ("reading", "failed")

Lane = Literal["quick", "slow"]


@dataclass(frozen=True)
class Waiting:
    """A file that waits to be read."""

    link: DriveLink
    revision: str
    name: str
    mime_type: str
    kind: str


@dataclass(frozen=True)
class Claimed:
    """A text that a worker has claimed to read it."""

    id: UUID
    file_id: str
    revision: str
    attempt: int


async def unread(most: int) -> list[Actor]:
    """Members with files that wait to be read, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_unread_drives", most, READER_VERSION)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def waiting(actor: Actor, most: int, cited: Lane | None = None) -> list[Waiting]:
    """The member's next files to read: first wanted, then small, then large files; in each group the latest first.

    Args:
        actor: The member.
        most: The largest number of files.
        cited: Limits the result to files with quotes or figures that are due. `quick` selects files that are small and
            have no failed attempt, `slow` all others.
    """
    seen, text = models.VisibleFile, models.DriveText
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


async def claim_file(actor: Actor, file: Waiting) -> Claimed | None:
    """Claims a file. Returns None if another worker has claimed it, or the member no longer sees this revision."""
    seen = select(models.VisibleFile.file_id).where(
        col(models.VisibleFile.user_id) == actor.member_id,
        col(models.VisibleFile.file_id) == file.link.id,
        col(models.VisibleFile.revision) == file.revision,
        col(models.VisibleFile.can_download),
    )
    text = models.DriveText
    until = models.utc_now() + LEASE
    made = insert(text).values(
        file_id=file.link.id, revision=file.revision, mime_type=file.mime_type, kind=file.kind, retry_at=until,
        reader=READER_VERSION,
    )  # fmt: skip
    taken = made.on_conflict_do_update(
        index_elements=["file_id", "revision"],
        set_={
            "state": "reading",
            "retry_at": until,
            "kind": file.kind,
            "reader": READER_VERSION,
            "attempts": case((col(text.state) == "skipped", 1), else_=col(text.attempts) + 1),
        },
        where=_is_due(),
    ).returning(col(text.id), col(text.attempts))
    async with transaction(actor) as tx:
        if (await tx.session.exec(seen.with_for_update(read=True))).first() is None:
            return None
        row = (await tx.session.exec(taken)).first()
    return None if row is None else Claimed(row[0], file.link.id, file.revision, row[1])


async def renew(actor: Actor, taken: Claimed) -> None:
    """Extends the claim of a text that is being read by `LEASE`."""
    async with transaction(actor) as tx:
        renewed = sqlalchemy.update(models.DriveText).where(*_mine(taken))
        await tx.session.exec(renewed.values(retry_at=models.utc_now() + LEASE))


def _is_due() -> ColumnElement[bool]:
    """The condition for texts to read now. A newer `READER_VERSION` may also be able to read a skipped file."""
    text = models.DriveText
    again = col(text.state).in_((*_NOT_READ, "skipped")) & (col(text.retry_at) <= func.now())
    return again | ((col(text.state) == "skipped") & (col(text.reader) < READER_VERSION))


def _is_cited() -> ColumnElement[bool]:
    """The condition for files with a quote or figure of the member that is due."""
    cited, seen = models.Citation, models.VisibleFile
    is_due = or_(col(cited.due_at) <= func.now(), col(cited.compute_at) <= func.now())
    of_file = (col(cited.user_id) == col(seen.user_id)) & (col(cited.file_id) == col(seen.file_id))
    return select(cited.message_id).where(of_file, is_due).exists()


def _is_quick() -> ColumnElement[bool]:
    """The condition for files that are small and have no failed attempt."""
    text = models.DriveText
    has_failed = col(text.state).in_(_NOT_READ) & (col(text.attempts) > 0)
    return (func.coalesce(models.VisibleFile.size_bytes, 0) <= _LARGE_BYTES) & ~func.coalesce(
        has_failed, sqlalchemy.false()
    )


async def keep(actor: Actor, taken: Claimed, document: Document, chunks: Sequence[Chunk]) -> None:
    """Stores a text with its passages. Searches find it when all passages are stored.

    Args:
        actor: The member whose token was used.
        taken: The text.
        document: The file that was read.
        chunks: The passages of the file (`documents.chunks`).
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


async def skip(actor: Actor, taken: Claimed, reason: str, *, again: bool = False) -> None:
    """Stores that a file cannot be read.

    Args:
        actor: The member whose token was used.
        taken: The text.
        reason: The reason.
        again: Whether to try again once a day, because the reason may pass without a new revision.
    """
    retry_at = models.utc_now() + REST if again else None
    async with transaction(actor) as tx:
        await _finish(tx, taken, state="skipped", retry_at=retry_at, reason=_reason(reason))


async def retry(actor: Actor, taken: Claimed, reason: str) -> None:
    """Stores a temporary failure. The file is tried again later, and after `ATTEMPTS` attempts once a day."""
    if taken.attempt >= ATTEMPTS:
        await skip(actor, taken, reason, again=True)
        return
    at = models.utc_now() + FIRST_RETRY * 2 ** (taken.attempt - 1)
    async with transaction(actor) as tx:
        await _finish(tx, taken, state="failed", retry_at=at, reason=_reason(reason))


async def release_refused(actor: Actor, taken: Claimed, *, gone: bool, looks_open: bool = False) -> None:
    """Releases a file that Google refuses to this member, so that it can be read for other members who see it.

    Args:
        actor: The member whose token was used.
        taken: The text.
        gone: Whether Google no longer shows the file to the member. If false, the member may not download it.
        looks_open: Whether Google lists the file as downloadable (`sight.refuse`).
    """
    async with transaction(actor) as tx:
        # Change the text first, because the member can no longer see it after the refusal is stored.
        await _release(tx, taken)
        refused = [taken.file_id]
        await sight.refuse(tx, gone=refused if gone else (), closed=() if gone else refused, looks_open=looks_open)


async def release_file(actor: Actor, taken: Claimed) -> None:
    """Releases a file so that it is read again from the beginning, because it has changed or its worker ends."""
    async with transaction(actor) as tx:
        await _release(tx, taken)


async def _release(tx: Transaction, taken: Claimed) -> None:
    await _finish(tx, taken, state="failed", retry_at=models.utc_now(), attempts=max(taken.attempt - 1, 0))


async def document(actor: Actor, file_id: str, revision: str) -> Document | None:
    """The text of a file in exactly this revision; None if it was not read, or the member does not see the file."""
    return await _document(actor, file_id, col(models.DriveText.revision) == revision)


async def present(actor: Actor, file_id: str) -> Document | None:
    """The text of a file in the last revision that the member's feed has shown; None if it was not read."""
    return await _document(actor, file_id, col(models.DriveText.revision) == models.VisibleFile.revision)


async def _document(actor: Actor, file_id: str, of: ColumnElement[bool]) -> Document | None:
    text, seen = models.DriveText, models.VisibleFile
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
    assert row.body is not None  # noqa: S101 - a text in the state `read` has one
    return Document.from_body(
        row.body, file_id=file_id, revision=row.revision, name=name, mime_type=row.mime_type, kind=row.kind
    )


async def forget() -> int:
    """Deletes the texts that nobody may see any more (`leaf_forget_drive_texts`).

    Returns:
        The number of texts that were checked.
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


async def _is_mine(tx: Transaction, taken: Claimed) -> bool:
    """Whether the text still exists and this attempt is the last one. Locks the row of the text until the commit."""
    query = select(models.DriveText.id).where(*_mine(taken)).with_for_update()
    return (await tx.session.exec(query)).first() is not None


async def _finish(tx: Transaction, taken: Claimed, **values: Any) -> None:
    changed = sqlalchemy.update(models.DriveText).where(*_mine(taken))
    await tx.session.exec(changed.values({"retry_at": None, "updated_at": models.utc_now()} | values))


def _mine(taken: Claimed) -> tuple[ColumnElement[bool], ...]:
    """The condition for the text while this attempt is the last one."""
    text = models.DriveText
    return col(text.id) == taken.id, col(text.state) == "reading", col(text.attempts) == taken.attempt
