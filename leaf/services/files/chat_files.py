"""Reads and changes the files of one chat, and gives their history."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from leaf import errors, texts
from leaf.db import models, storable
from leaf.db.session import Actor, transaction
from leaf.documents import Unreadable, isolation, textfiles
from leaf.documents.kinds import kind_words
from leaf.documents.textfiles.rows import Action, Change, FileRow, FileText, Original, Uploaded, Version
from leaf.services.files import uploads
from leaf.services.files.queries import Reader
from leaf.services.files.store import AddedVersion, Content, Store
from leaf.texts.places import bare

_BATCH_BYTES = 4_000_000
_BATCH_FILES = 100


@dataclass(frozen=True)
class ChatFiles:
    """The files of one chat, for one of its participants.

    Every method raises `errors.NotFound` if the person does not take part in the chat.

    Args:
        actor: The participant.
        chat_id: The chat.
        run_id: The run that changes the files, if an agent changes them.
    """

    actor: Actor
    chat_id: UUID
    run_id: UUID | None = None

    async def listed(self, glob: str = "**", *, deleted: bool = False) -> list[FileRow]:
        """The files whose path matches a glob, in order of path. If `deleted`, the deleted files that can be restored.

        Raises:
            errors.Invalid: The glob is malformed.
        """
        async with self._reading() as reader:
            rows = await reader.rows(deleted=deleted)
        wanted = {*textfiles.globbed((row.path for row in rows), glob)}
        return [row for row in rows if row.path in wanted]

    async def texts(self, glob: str = "**") -> AsyncIterator[FileText]:
        """The files whose path matches a glob, with their contents. A few megabytes are read at a time.

        Raises:
            errors.Invalid: The glob is malformed.
        """
        batch: list[str] = []
        room = _BATCH_BYTES
        for row in [*await self.listed(glob), None]:
            if row is None or (batch and (row.text_bytes > room or len(batch) == _BATCH_FILES)):
                async with self._reading() as reader:
                    found = await reader.texts(batch)
                for one in found:
                    yield one
                batch, room = [], _BATCH_BYTES
            if row is not None:
                batch.append(row.path)
                room -= row.text_bytes

    async def read(self, path: str, version: int | None = None) -> FileText:
        """A file in its newest or a given version.

        Raises:
            errors.Invalid: The path is malformed.
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with self._reading() as reader:
            return await reader.text(path, version)

    async def uploaded(self, path: str, upto: int) -> list[FileText]:
        """The versions of a file that were uploaded, the newest first. Versions by an agent are left out.

        Args:
            path: The file.
            upto: The newest version to consider.

        Raises:
            errors.Invalid: The path is malformed.
        """
        path = textfiles.checked(path)
        async with self._reading() as reader:
            return await reader.uploaded(path, upto)

    async def original(self, path: str, version: int | None = None) -> Original:
        """A file as a download: the uploaded bytes, or its text in UTF-8.

        Raises:
            errors.Invalid: The path is malformed.
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with self._reading() as reader:
            return await reader.original(path, version)

    async def picture(self, path: str, version: int | None, place: str, quote: str) -> bytes:
        """The picture of a place in a file, as JPEG, with the lines of a quote marked.

        Lines can be marked only in a picture that was read by OCR.

        Raises:
            errors.Invalid: The path is malformed.
            errors.NotFound: There is no such file or version, no picture at this place, or no text in the picture for
                the quote.
        """
        file = await self.original(path, version)
        try:
            return await isolation.quoted(file.data, file.kind, bare(place), quote, owner=self.actor)
        except Unreadable:
            raise errors.NotFound("file") from None

    async def history(self, path: str) -> list[Version]:
        """The versions of a file, the newest first. The file may be deleted.

        Raises:
            errors.NotFound: There never was such a file.
        """
        path = textfiles.checked(path)
        async with self._reading() as reader:
            return await reader.history(path)

    async def difference(self, path: str, version: int) -> str | None:
        """The unified diff between a version and the version before it; None if one of them is a read-only upload.

        Raises:
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with transaction(self.actor, read_only=True) as tx:
            store = Store(tx, self.chat_id, self.actor.user_id)
            row = await store.row(path)
            own = await store.version(row, version) if row is not None else None
            if row is None or own is None:
                raise errors.NotFound("version")
            before = await store.before(row, version)
            added = await store.with_predecessor(path, own, before)
        return None if added.read_only else (await _change(added)).diff

    async def write(self, path: str, content: str, *, call_id: str | None = None, action: Action = "write") -> Change:
        """Creates a file or replaces its content.

        Args:
            path: The file.
            content: The whole content.
            call_id: The tool call that makes the change.
            action: The action in the history.

        Raises:
            errors.Invalid: The path is malformed, the file or the chat's files would exceed their limit, or the file is
                an upload that cannot be edited.
        """
        path, content = textfiles.checked(path), storable.text(content)
        async with self._changing() as store:
            added = await store.added_by(call_id)
            if added is None:
                row = await store.row(path)
                if row is not None and not row.deleted:
                    await _check_editable(store, row)
                added = await store.put(path, row, action, Content(content), call_id)
        return await _change(added)

    async def edit(
        self, path: str, old: str, new: str, *, everywhere: bool = False, call_id: str | None = None
    ) -> Change:
        """Replaces a text in a file.

        Args:
            path: The file.
            old: The exact text.
            new: The replacement.
            everywhere: Whether all occurrences are replaced; otherwise the text must occur exactly once.
            call_id: The tool call that makes the change.

        Raises:
            errors.Invalid: The text is missing or ambiguous, the file would exceed its limit, or it is an upload that
                cannot be edited.
            errors.NotFound: There is no such file.
        """
        path, old, new = textfiles.checked(path), storable.text(old), storable.text(new)
        async with self._changing() as store:
            added = await store.added_by(call_id)
            if added is None:
                row = await store.row(path)
                if row is None or row.deleted:
                    raise errors.NotFound("file")
                await _check_editable(store, row)
                before = await store.version(row, row.version)
                after = _replaced(path, before.content if before else "", old, new, everywhere=everywhere)
                added = await store.put(path, row, "edit", Content(after), call_id)
        return await _change(added)

    async def delete(self, path: str, *, call_id: str | None = None) -> Change:
        """Deletes a file. Its history stays, so that it can be restored.

        Raises:
            errors.NotFound: There is no such file.
        """
        path = textfiles.checked(path)
        async with self._changing() as store:
            added = await store.added_by(call_id)
            if added is None:
                row = await store.row(path)
                if row is None or row.deleted:
                    raise errors.NotFound("file")
                added = await store.put(path, row, "delete", Content(), call_id)
        return await _change(added)

    async def restore(self, path: str, version: int) -> Change:
        """Restores a version of a file as its newest one.

        Raises:
            errors.Invalid: The chat's files would exceed their limit, or the version is a deletion.
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with self._changing() as store:
            row = await store.row(path)
            old = await store.version(row, version) if row is not None else None
            if row is None or old is None:
                raise errors.NotFound("version")
            if old.action == "delete":
                raise errors.Invalid(texts.english("errors.file_was_deleted"), field="version")
            added = await store.put(path, row, "restore", Content(old.content, await store.upload_of(old)))
        return await _change(added)

    async def undo(self, path: str, first: int, last: int) -> Change:
        """Undoes the newest changes of a file. A new version holds the state before them.

        Args:
            path: The file.
            first: The version that the first of these changes added.
            last: The version that the last of these changes added.

        Raises:
            errors.Conflict: The file has changed since, or the state before is no longer kept.
            errors.NotFound: There never was such a file.
        """
        path = textfiles.checked(path)
        async with self._changing() as store:
            row = errors.found(await store.row(path), "file")
            if row.version != last:
                raise errors.Conflict(texts.english("errors.changed_since", path=path))
            before = await store.version(row, first - 1)
            if before is None and first > 1:
                raise errors.Conflict(texts.english("errors.not_undone"))
            if before is None or before.action == "delete":
                added = await store.put(path, row, "delete", Content())
            else:
                added = await store.put(path, row, "restore", Content(before.content, await store.upload_of(before)))
        return await _change(added)

    async def check(self) -> None:
        """Raises `errors.NotFound` if the person does not take part in the chat."""
        async with self._reading():
            return

    async def upload(self, name: str, data: bytes) -> Uploaded:
        """Stores an upload and its text (`uploads.keep`)."""
        return await uploads.keep(self.actor, self.chat_id, name, data)

    async def read_upload(self, name: str, data: bytes) -> uploads.Upload:
        """Reads an upload that is stored later (`uploads.read`)."""
        return await uploads.read(self.actor, self.chat_id, name, data)

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[Reader]:
        async with transaction(self.actor, read_only=True) as tx:
            reader = Reader(tx, self.chat_id, self.actor.user_id)
            await reader.check()
            yield reader

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[Store]:
        async with transaction(self.actor) as tx:
            store = Store(tx, self.chat_id, self.actor.user_id, self.run_id)
            await store.begin()
            yield store


async def _check_editable(store: Store, row: models.ChatFile) -> None:
    """Raises `errors.Invalid` for an upload with extracted text."""
    upload = await store.upload_of(await store.version(row, row.version))
    if upload is not None and upload.read_only:
        stem = row.path.rpartition(".")[0] or row.path
        raise errors.Invalid(
            texts.english("errors.file_read_only", path=row.path, kind=kind_words(upload.kind), other=f"{stem}.md"),
            field="path",
        )


def _replaced(path: str, content: str, old: str, new: str, *, everywhere: bool) -> str:
    try:
        return textfiles.replaced(content, old, new, everywhere=everywhere)
    except textfiles.NotThere:
        raise errors.Invalid(texts.english("errors.file_text_absent", path=path), field="old") from None
    except textfiles.Ambiguous as error:
        raise errors.Invalid(
            texts.english("errors.file_text_ambiguous", path=path, count=error.count), field="old"
        ) from None


async def _change(added: AddedVersion) -> Change:
    """The result of a change, with its diff. The texts are compared in a thread, outside any transaction."""
    before = added.before
    is_new = before is None or before.action == "delete"
    old = "" if before is None or is_new else before.content
    new = added.version.content
    diff = "" if added.read_only else await asyncio.to_thread(textfiles.difference, added.path, old, new)
    return Change(
        path=added.path,
        version=added.version.number,
        action=added.version.action,
        created=is_new,
        size_bytes=added.size_bytes,
        diff=diff,
    )
