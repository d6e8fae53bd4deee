"""Queries of the files of a chat, within a transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import case, func
from sqlmodel import col

from leaf import errors
from leaf.db import models
from leaf.db.session import Transaction
from leaf.documents.textfiles.rows import FileRow, FileText, Original, Version
from leaf.services import chats
from leaf.services.files.store import CURRENT, READ_ONLY, UPLOADED, kind_of

_FILE, _VERSION, _ORIGINAL = models.ChatFile, models.ChatFileVersion, models.ChatFileOriginal
_UPLOADS = 10
"""The largest number of uploads of one file that are returned."""
_TEXT = func.coalesce(col(_ORIGINAL.content), col(_VERSION.content))


@dataclass(frozen=True)
class Reader:
    """The files of one chat.

    Args:
        tx: The transaction.
        chat_id: The chat.
        user_id: The reader.
    """

    tx: Transaction
    chat_id: UUID
    user_id: UUID | None

    async def check(self) -> None:
        """Raises `errors.NotFound` if the person does not take part in the chat."""
        await chats.find(self.tx, self.chat_id)

    async def rows(self, *, deleted: bool = False) -> list[FileRow]:
        """The current files in order of path. If `deleted`, the deleted files instead."""
        query = (
            sqlalchemy.select(
                col(_FILE.path), col(_FILE.version), col(_ORIGINAL.kind), col(_FILE.size_bytes),
                col(_ORIGINAL.size_bytes), col(_FILE.updated_at), self._author(), READ_ONLY,
            )
            .join(_VERSION, CURRENT)
            .join(_ORIGINAL, UPLOADED, isouter=True)
            .where(col(_FILE.chat_session_id) == self.chat_id, col(_FILE.deleted).is_(deleted))
            .order_by(col(_FILE.path))
        )  # fmt: skip
        return [
            FileRow(path, version, kind_of(path, kind), own if own is not None else size, updated, by, read_only, size)
            for path, version, kind, size, own, updated, by, read_only in await self._run(query)
        ]

    async def texts(self, paths: Sequence[str]) -> list[FileText]:
        """The files at these paths with their contents. Missing files are left out."""
        query = self._texts().join(_VERSION, CURRENT).join(_ORIGINAL, UPLOADED, isouter=True)
        wanted = query.where(
            col(_FILE.chat_session_id) == self.chat_id, col(_FILE.deleted).is_(False), col(_FILE.path).in_(paths)
        )
        return [_text(*row) for row in await self._run(wanted.order_by(col(_FILE.path)))]

    async def text(self, path: str, number: int | None = None) -> FileText:
        """A file in its newest or a given version.

        Raises:
            errors.NotFound: There is no such file or version.
        """
        query = self._texts().join(_VERSION, self._numbered(number)).join(_ORIGINAL, UPLOADED, isouter=True)
        return _text(*await self._one(query, path, number))

    async def uploaded(self, path: str, upto: int) -> list[FileText]:
        """The uploaded versions of a file up to version `upto`, the newest first, at most ten."""
        query = self._texts().join(_VERSION, col(_VERSION.file_id) == col(_FILE.id)).join(
            _ORIGINAL, UPLOADED, isouter=True
        )  # fmt: skip
        wanted = query.where(
            col(_FILE.chat_session_id) == self.chat_id, col(_FILE.path) == path,
            col(_VERSION.number) <= upto, col(_VERSION.action) == "upload",
        )  # fmt: skip
        newest = wanted.order_by(col(_VERSION.number).desc()).limit(_UPLOADS)
        return [_text(*row) for row in await self._run(newest)]

    async def original(self, path: str, number: int | None = None) -> Original:
        """A file as a download.

        Raises:
            errors.NotFound: There is no such file or version.
        """
        query = (
            sqlalchemy.select(col(_FILE.path), col(_ORIGINAL.kind), col(_ORIGINAL.data), col(_VERSION.content))
            .join(_VERSION, self._numbered(number))
            .join(_ORIGINAL, UPLOADED, isouter=True)
        )
        found, kind, data, content = await self._one(query, path, number)
        return Original(found, kind_of(found, kind), data if data is not None else content.encode())

    async def history(self, path: str) -> list[Version]:
        """The versions of a file, the newest first. The file may be deleted.

        Raises:
            errors.NotFound: There never was such a file.
        """
        size = func.coalesce(col(_ORIGINAL.size_bytes), func.octet_length(col(_VERSION.content)))
        query = (
            sqlalchemy.select(
                col(_VERSION.number), col(_VERSION.action), col(_VERSION.created_at), size, self._author()
            )
            .select_from(_FILE)
            .join(_VERSION, col(_VERSION.file_id) == col(_FILE.id))
            .join(_ORIGINAL, UPLOADED, isouter=True)
            .where(col(_FILE.chat_session_id) == self.chat_id, col(_FILE.path) == path)
            .order_by(col(_VERSION.number).desc())
        )
        return errors.found([Version(*row) for row in await self._run(query)], "file")

    def _author(self) -> Any:
        agent, own = col(_VERSION.call_id).is_not(None), col(_VERSION.user_id) == self.user_id
        return case((agent, "agent"), (own, "you"), else_="other")

    def _texts(self) -> Any:
        return sqlalchemy.select(
            col(_FILE.path), col(_VERSION.number), _TEXT, col(_ORIGINAL.kind), READ_ONLY, col(_ORIGINAL.places),
            col(_ORIGINAL.notes), col(_VERSION.action) == "delete",
        )  # fmt: skip

    def _numbered(self, number: int | None) -> Any:
        of_file = col(_VERSION.file_id) == col(_FILE.id)
        return CURRENT if number is None else of_file & (col(_VERSION.number) == number)

    async def _one(self, query: Any, path: str, number: int | None) -> Any:
        there = query.where(col(_FILE.chat_session_id) == self.chat_id, col(_FILE.path) == path)
        if number is None:
            there = there.where(col(_FILE.deleted).is_(False))
        return errors.found((await self._run(there)).one_or_none(), "file" if number is None else "version")

    async def _run(self, query: Any) -> Any:
        return await self.tx.execute(query)


def _text(
    path: str, number: int, content: str, kind: str | None, read_only: bool, places: Any, notes: Any, deleted: bool
) -> FileText:
    found = [(int(line), str(part)) for line, part in places or ()]
    return FileText(path, number, content, kind_of(path, kind), read_only, found, list(notes or ()), deleted)
