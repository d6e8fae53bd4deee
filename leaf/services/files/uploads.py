"""Stores uploads: the original bytes, and a text that the agent's tools can read."""

import asyncio
import hashlib
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy
from sqlmodel import col, select

from leaf import documents, errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.documents import Extract, isolation, textfiles
from leaf.documents.textfiles.rows import Uploaded
from leaf.services import chats
from leaf.services.files import limits
from leaf.services.files.store import CURRENT, STORED_UPLOAD, UPLOADED, Content, Store, StoredUpload, kind_of

_FILE, _VERSION, _ORIGINAL = models.ChatFile, models.ChatFileVersion, models.ChatFileOriginal


@dataclass(frozen=True)
class Upload:
    """A file that was read and is not stored yet (`read`)."""

    name: str
    data: bytes
    digest: bytes
    """The SHA-256 of the bytes."""
    found: Extract
    is_editable: bool
    """Whether the bytes are the text itself, so that no original is stored beside it."""


async def keep(actor: Actor, chat_id: UUID, name: str, data: bytes) -> Uploaded:
    """Reads and stores an upload, in a transaction of its own.

    Raises:
        errors.LeafError: The same exceptions as in `read` and `put`.
    """
    upload = await read(actor, chat_id, name, data)
    async with transaction(actor) as tx:
        return await put(Store(tx, chat_id, actor.user_id), upload)


async def read(actor: Actor, chat_id: UUID, name: str, data: bytes) -> Upload:
    """Reads an upload for a chat, outside any transaction; nothing is stored.

    Args:
        actor: The uploader.
        chat_id: The chat.
        name: Name of the file; only the last part of a path counts.
        data: All bytes.

    Raises:
        errors.Invalid: The file is empty.
        errors.LeafError: The file is too large.
        errors.NotFound: The member is not a participant of the chat.
        documents.Unreadable: The file is of no supported kind, damaged or encrypted.
    """
    name = textfiles.checked(textfiles.safe(name))
    if not data:
        raise errors.Invalid(texts.english("errors.file_empty"), field="file")
    if len(data) > limits.MAX_UPLOAD_BYTES:
        raise too_large()
    async with transaction(actor, read_only=True) as tx:
        await chats.find(tx, chat_id)
    found = await isolation.extract(data, name, limits.MAX_FILE_BYTES, owner=actor)
    if found.kind in documents.SUFFIXES and found.kind != "image" and "." not in name:
        name = textfiles.checked(name + documents.SUFFIXES[found.kind])
    return await asyncio.to_thread(_upload, name, data, found)


def _upload(name: str, data: bytes, found: Extract) -> Upload:
    is_editable = not found.read_only and found.text.encode() == data
    return Upload(name, data, hashlib.sha256(data).digest(), found, is_editable)


async def put(store: Store, upload: Upload) -> Uploaded:
    """Stores an upload under its own name, or as `name (2).ext` if another file has that name.

    The same bytes under the same name are stored once, so that a repeated upload changes nothing.

    Raises:
        errors.Invalid: The chat has no room for the file.
        errors.NotFound: The member is not a participant of the chat.
    """
    await store.begin()
    found, text = upload.found, upload.found.text
    extracted = text if found.read_only else None
    there = await _already(store, upload.name, upload.digest, None if found.read_only else text)
    if there is not None:
        stored = await store.upload_of(await store.version(there, there.version))
        return _upload_result(there, stored, found, created=False)
    original = None
    if not upload.is_editable:
        await _make_room(store, len(upload.data), len((extracted or "").encode()))
        original = await _stored(store, found, extracted, upload.data, upload.digest)
    query = select(_FILE).where(col(_FILE.chat_session_id) == store.chat_id)
    rows = {row.path: row for row in (await store.tx.session.exec(query)).all()}
    path = textfiles.free(upload.name, {one for one, row in rows.items() if not row.deleted})
    await store.put(path, rows.get(path), "upload", Content(text, original))
    row = errors.found(await store.row(path), "file")
    return _upload_result(row, original, found, created=True)


def too_large(most_bytes: int = limits.MAX_UPLOAD_BYTES) -> errors.LeafError:
    """The refusal of an upload that is too large."""
    most = f"{most_bytes / 1e6:.0f} MB"
    return errors.LeafError(texts.english("errors.file_larger", most=most), status=413, code="size")


async def _already(store: Store, name: str, digest: bytes, text: str | None) -> models.ChatFile | None:
    """The file of this name, or of a name like `name (2).ext`, with the same bytes or text; None if there is none."""
    stem, _, suffix = name.rpartition(".")
    of_name = (col(_FILE.path) == name) | col(_FILE.path).startswith(f"{stem or suffix} (", autoescape=True)
    same = col(_ORIGINAL.sha256) == digest
    if text is not None:
        same |= col(_VERSION.original_id).is_(None) & (col(_VERSION.content) == text)
    query = (
        select(_FILE)
        .join(_VERSION, CURRENT)
        .join(_ORIGINAL, UPLOADED, isouter=True)
        .where(col(_FILE.chat_session_id) == store.chat_id, col(_FILE.deleted).is_(False), of_name, same)
        .order_by(col(_FILE.path))
    )
    return (await store.tx.session.exec(query)).first()


async def _stored(store: Store, found: Extract, content: str | None, data: bytes, digest: bytes) -> StoredUpload:
    original = _ORIGINAL(
        chat_session_id=store.chat_id,
        user_id=store.user_id,
        kind=found.kind,
        size_bytes=len(data),
        sha256=digest,
        data=data,
        content=content,
        content_bytes=len((content or "").encode()),
        places=[[line, part] for line, part in found.places],
        notes=found.notes,
    )
    store.tx.session.add(original)
    await store.tx.session.flush()
    return StoredUpload(original.id, original.kind, original.size_bytes, original.content_bytes, content is not None)


async def _make_room(store: Store, size: int, extracted: int) -> None:
    """Deletes originals that no current version uses, the oldest first, until there is room for a new one and its text.

    Args:
        store: The files of the chat.
        size: The size of the new original, in bytes.
        extracted: The size of the text extracted from it, in bytes.

    Raises:
        errors.Invalid: Current uploads leave no room.
    """
    shown = (
        select(_VERSION.original_id)
        .join(_FILE, CURRENT)
        .where(col(_FILE.chat_session_id) == store.chat_id, col(_FILE.deleted).is_(False))
    )
    in_use = {one for one in (await store.tx.session.exec(shown)).all() if one is not None}
    query = sqlalchemy.select(*STORED_UPLOAD).where(col(_ORIGINAL.chat_session_id) == store.chat_id)
    kept = [StoredUpload(*row) for row in await store.tx.execute(query.order_by(col(_ORIGINAL.created_at)))]
    used, written = sum(one.size_bytes for one in kept), sum(one.content_bytes for one in kept)
    if sum(one.size_bytes for one in kept if one.id in in_use) + size > limits.MAX_CHAT_UPLOADED_BYTES:
        most = f"{limits.MAX_CHAT_UPLOADED_BYTES / 1e6:.0f} MB"
        raise errors.Invalid(texts.english("errors.uploads_full", most=most), field="file")
    for one in kept:
        if used + size <= limits.MAX_CHAT_UPLOADED_BYTES and written + extracted <= limits.MAX_CHAT_EXTRACTED_BYTES:
            return
        if one.id not in in_use:
            await store.tx.session.exec(sqlalchemy.delete(_ORIGINAL).where(col(_ORIGINAL.id) == one.id))
            used, written = used - one.size_bytes, written - one.content_bytes


def _upload_result(row: models.ChatFile, stored: StoredUpload | None, found: Extract, *, created: bool) -> Uploaded:
    return Uploaded(
        path=row.path,
        version=row.version,
        kind=kind_of(row.path, stored.kind if stored else None),
        size_bytes=stored.size_bytes if stored else row.size_bytes,
        created=created,
        read_only=stored is not None and stored.read_only,
        notes=found.notes,
    )
