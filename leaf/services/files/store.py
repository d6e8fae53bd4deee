"""The rows of a chat's files, within a transaction. Only one transaction at a time changes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import documents, errors, texts
from leaf.db import models
from leaf.db.session import Transaction
from leaf.documents import Kind
from leaf.documents.textfiles.rows import Action
from leaf.redis import events
from leaf.services import chats
from leaf.services.files import limits

_FILE, _VERSION, _ORIGINAL = models.ChatFile, models.ChatFileVersion, models.ChatFileOriginal

_PRUNE = """
    DELETE FROM chat_file_versions WHERE id IN (
        SELECT id FROM (
            SELECT v.id, sum(octet_length(v.content)) OVER (ORDER BY v.created_at DESC, v.number DESC, v.id) AS bytes
            FROM chat_file_versions v JOIN chat_files f ON f.id = v.file_id
            WHERE v.chat_session_id = :chat_id AND v.number <> f.version AND v.content <> ''
        ) AS past WHERE bytes > :most
    )
"""


@dataclass(frozen=True)
class StoredUpload:
    """An upload without its bytes and text."""

    id: UUID
    kind: str
    size_bytes: int
    content_bytes: int
    read_only: bool
    """Whether the file's text was extracted from the upload, so that the file cannot be edited."""


@dataclass(frozen=True)
class Content:
    """The content of a version: editable text, or an original with read-only text."""

    text: str = ""
    original: StoredUpload | None = None

    @property
    def read_only(self) -> bool:
        """Whether the text was extracted from the original."""
        return self.original is not None and self.original.read_only

    @property
    def text_bytes(self) -> int:
        """Size of the readable text in bytes."""
        if self.original is not None and self.original.read_only:
            return self.original.content_bytes
        return len(self.text.encode())


@dataclass(frozen=True)
class AddedVersion:
    """A version that was added, and the version before it."""

    path: str
    version: models.ChatFileVersion
    before: models.ChatFileVersion | None
    """The version before; None if there is none or it was dropped."""
    read_only: bool
    """Whether one of the two versions is an upload that cannot be edited. Such versions are not compared."""
    size_bytes: int


@dataclass(frozen=True)
class Store:
    """The files of one chat.

    Args:
        tx: The transaction.
        chat_id: The chat.
        user_id: The member in whose name the files are changed.
        run_id: The run that changes the files, if an agent changes them.
    """

    tx: Transaction
    chat_id: UUID
    user_id: UUID | None
    run_id: UUID | None = None

    async def begin(self) -> None:
        """Locks the chat's files until the end of the transaction.

        Raises:
            errors.NotFound: The member is not a participant of the chat.
        """
        await chats.find(self.tx, self.chat_id)
        await self.tx.lock(lock_of(self.chat_id))

    async def row(self, path: str) -> models.ChatFile | None:
        """The row of a file, which may be deleted; None if there never was such a file."""
        query = select(_FILE).where(col(_FILE.chat_session_id) == self.chat_id, col(_FILE.path) == path)
        return (await self.tx.session.exec(query)).one_or_none()

    async def version(self, row: models.ChatFile, number: int) -> models.ChatFileVersion | None:
        """A version of a file; None if it is not kept."""
        query = select(_VERSION).where(col(_VERSION.file_id) == row.id, col(_VERSION.number) == number)
        return (await self.tx.session.exec(query)).one_or_none()

    async def before(self, row: models.ChatFile, number: int) -> models.ChatFileVersion | None:
        """The newest version that is older than version `number`; None if none is kept."""
        query = select(_VERSION).where(col(_VERSION.file_id) == row.id, col(_VERSION.number) < number)
        return (await self.tx.session.exec(query.order_by(col(_VERSION.number).desc()).limit(1))).one_or_none()

    async def upload_of(self, version: models.ChatFileVersion | None) -> StoredUpload | None:
        """The upload of a version; None if the version has none."""
        if version is None or version.original_id is None:
            return None
        query = sqlalchemy.select(*STORED_UPLOAD).where(col(_ORIGINAL.id) == version.original_id)
        return StoredUpload(*(await self.tx.execute(query)).one())

    async def added_by(self, call_id: str | None) -> AddedVersion | None:
        """The version that a tool call has already added; None if it has added none."""
        if call_id is None or self.run_id is None:
            return None
        query = select(_VERSION, _FILE).join(_FILE, col(_FILE.id) == col(_VERSION.file_id))
        by_call = query.where(col(_VERSION.run_id) == self.run_id, col(_VERSION.call_id) == call_id)
        found = (await self.tx.session.exec(by_call)).one_or_none()
        if found is None:
            return None
        version, row = found
        before = await self.version(row, version.number - 1)
        return await self.with_predecessor(row.path, version, before)

    async def put(
        self, path: str, row: models.ChatFile | None, action: Action, content: Content, call_id: str | None = None
    ) -> AddedVersion:
        """Adds a version.

        Args:
            path: The file.
            row: The row of the file; None if there never was such a file.
            action: The action in the history.
            content: The new content.
            call_id: The tool call that makes the change.

        Raises:
            errors.Invalid: The file, or the chat's files together, would exceed their limit.
        """
        size = content.text_bytes
        await self._check_room(path, row, size, read_only=content.read_only)
        before = await self.version(row, row.version) if row is not None else None
        if row is None:
            row = _FILE(chat_session_id=self.chat_id, path=path, version=1, size_bytes=size)
            self.tx.session.add(row)
        else:
            row.version, row.size_bytes, row.deleted = row.version + 1, size, action == "delete"
        await self.tx.session.flush()
        version = _VERSION(
            file_id=row.id,
            chat_session_id=self.chat_id,
            number=row.version,
            action=action,
            content="" if content.read_only else content.text,
            original_id=content.original.id if content.original is not None else None,
            user_id=self.user_id,
            run_id=self.run_id,
            call_id=call_id,
        )
        self.tx.session.add(version)
        await self.tx.session.flush()
        await self._drop_old(row)
        self.tx.after_commit(events.publish, [events.chat(self.chat_id)])
        return await self.with_predecessor(path, version, before)

    async def drop_unused_originals(self) -> None:
        """Deletes the originals that no version uses any more."""
        used = select(_VERSION.id).where(col(_VERSION.original_id) == col(_ORIGINAL.id)).exists()
        unused = sqlalchemy.delete(_ORIGINAL).where(col(_ORIGINAL.chat_session_id) == self.chat_id, ~used)
        await self.tx.session.exec(unused)

    async def _drop_old(self, row: models.ChatFile) -> None:
        old = col(_VERSION.number) <= row.version - limits.KEPT_VERSIONS
        dropped = await self.tx.session.exec(sqlalchemy.delete(_VERSION).where(old, col(_VERSION.file_id) == row.id))
        count = dropped.rowcount + await prune(self.tx, self.chat_id)
        if count:
            await self.drop_unused_originals()

    async def with_predecessor(
        self, path: str, version: models.ChatFileVersion, before: models.ChatFileVersion | None
    ) -> AddedVersion:
        """A version together with its predecessor."""
        own, earlier = await self.upload_of(version), await self.upload_of(before)
        read_only = any(one is not None and one.read_only for one in (own, earlier))
        return AddedVersion(path, version, before, read_only, own.size_bytes if own else len(version.content.encode()))

    async def _check_room(self, path: str, row: models.ChatFile | None, size: int, *, read_only: bool) -> None:
        if not read_only and size > limits.MAX_FILE_BYTES:
            raise errors.Invalid(
                texts.english("errors.file_bytes", path=path, size=size, most=limits.MAX_FILE_BYTES),
                field="content",
            )
        count, used = 0, 0
        for other, other_size, other_read_only in await self._current_sizes():
            count += 1
            if other_read_only == read_only and (row is None or other != row.id):
                used += other_size
        most = limits.MAX_CHAT_EXTRACTED_BYTES if read_only else limits.MAX_CHAT_BYTES
        is_new = row is None or row.deleted
        # A change that makes a file smaller is always possible.
        grows = row is None or row.deleted or size > row.size_bytes
        if grows and size and used + size > most:
            raise errors.Invalid(
                texts.english(
                    "errors.uploads_bytes" if read_only else "errors.files_bytes", size=used + size, most=most
                ),
                field="content",
            )
        if is_new and count >= limits.MAX_FILES:
            raise errors.Invalid(texts.english("errors.files_full", most=limits.MAX_FILES), field="path")
        if row is None and await self._paths() >= limits.MAX_PATHS:
            raise errors.Invalid(texts.english("errors.files_names", most=limits.MAX_PATHS), field="path")

    async def _paths(self) -> int:
        query = select(func.count()).select_from(_FILE).where(col(_FILE.chat_session_id) == self.chat_id)
        return (await self.tx.session.exec(query)).one()

    async def _current_sizes(self) -> Sequence[tuple[UUID, int, bool]]:
        """The current files: the id, the bytes of the text, and whether the file is a read-only upload."""
        query = (
            select(_FILE.id, _FILE.size_bytes, READ_ONLY)
            .join(_VERSION, CURRENT)
            .join(_ORIGINAL, UPLOADED, isouter=True)
            .where(col(_FILE.chat_session_id) == self.chat_id, col(_FILE.deleted).is_(False))
        )
        return (await self.tx.session.exec(query)).all()


CURRENT: Any = (col(_VERSION.file_id) == col(_FILE.id)) & (col(_VERSION.number) == col(_FILE.version))
"""Joins a file with its newest version."""
UPLOADED: Any = col(_ORIGINAL.id) == col(_VERSION.original_id)
"""Joins a version with its original, which may be missing."""
READ_ONLY: Any = func.coalesce(col(_ORIGINAL.content).is_not(None), sqlalchemy.false())
"""Whether a version has an original with extracted text, so that it is read-only."""
STORED_UPLOAD: tuple[Any, ...] = (
    col(_ORIGINAL.id), col(_ORIGINAL.kind), col(_ORIGINAL.size_bytes), col(_ORIGINAL.content_bytes), READ_ONLY,
)  # fmt: skip
"""The columns of `StoredUpload`."""


def kind_of(path: str, original_kind: str | None) -> Kind:
    """The kind of a file, from its original, or else from its name."""
    found: Any = original_kind or documents.kind_of("", path)
    return "text" if found == "other" else found


def lock_of(chat_id: UUID) -> str:
    """The key of the advisory lock of a chat's files."""
    return f"files:{chat_id}"


async def prune(tx: Transaction, chat_id: UUID) -> int:
    """Drops the oldest former versions of a chat until the rest fits in `MAX_CHAT_HISTORY_BYTES`.

    The newest version of a file always stays; for a deleted file it is empty. The caller holds the lock of the chat's
    files (`Store.begin`), so that no other change is made meanwhile.

    Returns:
        The number of dropped versions.
    """
    return (await tx.execute(_PRUNE, {"chat_id": chat_id, "most": limits.MAX_CHAT_HISTORY_BYTES})).rowcount
