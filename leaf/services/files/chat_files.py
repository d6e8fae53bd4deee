"""The files of one chat: reading them, changing them, and their history."""

from dataclasses import dataclass
from uuid import UUID

import sqlalchemy
from sqlalchemy import func, text
from sqlmodel import col, select

from leaf import errors, events, textfiles
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import chats
from leaf.services.files.rows import Action, Change, FileRow, FileText, Version

MAX_FILE_BYTES = 1_000_000
MAX_CHAT_BYTES = 20_000_000
MAX_FILES = 2_000
KEPT_VERSIONS = 50
"""Of each file; older ones are dropped."""


@dataclass(frozen=True)
class ChatFiles:
    """The files of one chat, for one of its participants.

    Every method raises `errors.NotFound` where the person takes no part in the chat.

    Args:
        actor: The participant.
        chat_id: The chat.
        run_id: The run that changes them, where an agent does.
    """

    actor: Actor
    chat_id: UUID
    run_id: UUID | None = None

    async def listed(self, glob: str = "**") -> list[FileRow]:
        """The files whose path a glob matches, by path.

        Raises:
            errors.Invalid: It is no glob.
        """
        async with transaction(self.actor, read_only=True) as tx:
            await chats.find(tx, self.chat_id)
            query = select(models.ChatFile).where(
                col(models.ChatFile.chat_session_id) == self.chat_id, col(models.ChatFile.deleted).is_(False)
            )
            rows = (await tx.session.exec(query.order_by(col(models.ChatFile.path)))).all()
        wanted = {*textfiles.globbed((row.path for row in rows), glob)}
        return [FileRow(row.path, row.version, row.size_bytes, row.updated_at) for row in rows if row.path in wanted]

    async def texts(self, glob: str = "**") -> list[FileText]:
        """The files whose path a glob matches, with their contents."""
        async with transaction(self.actor, read_only=True) as tx:
            await chats.find(tx, self.chat_id)
            query = (
                select(models.ChatFile.path, models.ChatFile.version, models.ChatFileVersion.content)
                .join(
                    models.ChatFileVersion,
                    (col(models.ChatFileVersion.file_id) == col(models.ChatFile.id))
                    & (col(models.ChatFileVersion.number) == col(models.ChatFile.version)),
                )
                .where(col(models.ChatFile.chat_session_id) == self.chat_id, col(models.ChatFile.deleted).is_(False))
                .order_by(col(models.ChatFile.path))
            )
            rows = (await tx.session.exec(query)).all()
        wanted = {*textfiles.globbed((path for path, _, _ in rows), glob)}
        return [FileText(*row) for row in rows if row[0] in wanted]

    async def read(self, path: str, version: int | None = None) -> FileText:
        """A file as it is, or as it was.

        Raises:
            errors.Invalid: The path is none.
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with transaction(self.actor, read_only=True) as tx:
            row = await self._row(tx, path)
            if row is None or (row.deleted and version is None):
                raise errors.NotFound("file")
            kept = await self._version(tx, row, version or row.version)
        if kept is None:
            raise errors.NotFound("version")
        return FileText(path, kept.number, kept.content)

    async def history(self, path: str) -> list[Version]:
        """The versions of a file, the newest first; also of one that was deleted.

        Raises:
            errors.NotFound: There never was such a file.
        """
        path = textfiles.checked(path)
        kept = models.ChatFileVersion
        async with transaction(self.actor, read_only=True) as tx:
            row = await self._row(tx, path)
            if row is None:
                raise errors.NotFound("file")
            size = func.octet_length(col(kept.content))
            query = sqlalchemy.select(
                col(kept.number), col(kept.action), col(kept.created_at), size, col(kept.call_id).is_not(None)
            )
            connection = await tx.session.connection()
            found = await connection.execute(query.where(col(kept.file_id) == row.id).order_by(col(kept.number).desc()))
        return [Version(*one) for one in found]

    async def write(self, path: str, content: str, *, call_id: str | None = None, action: Action = "write") -> Change:
        """Makes a file, or gives one a new content.

        Args:
            path: Where.
            content: All of it.
            call_id: The tool call that asks for it.
            action: What the history calls it.

        Raises:
            errors.Invalid: The path is none, or the file or the chat's files would become too large.
        """
        path, content = textfiles.checked(path), storable.text(content)
        async with transaction(self.actor) as tx:
            row = await self._begin(tx, path)
            done = await self._made(tx, call_id)
            return done or await self._put(tx, path, row, action, content, call_id)

    async def edit(
        self, path: str, old: str, new: str, *, everywhere: bool = False, call_id: str | None = None
    ) -> Change:
        """Replaces a text that stands in a file exactly once.

        Args:
            path: The file.
            old: The text, exactly.
            new: What takes its place.
            everywhere: Replaces it wherever it stands.
            call_id: The tool call that asks for it.

        Raises:
            errors.Invalid: The text is not there, or several times, or the file would become too large.
            errors.NotFound: There is no such file.
        """
        path, old, new = textfiles.checked(path), storable.text(old), storable.text(new)
        async with transaction(self.actor) as tx:
            row = await self._begin(tx, path)
            done = await self._made(tx, call_id)
            if done is not None:
                return done
            if row is None or row.deleted:
                raise errors.NotFound("file")
            before = await self._version(tx, row, row.version)
            try:
                after = textfiles.replaced(before.content if before else "", old, new, everywhere=everywhere)
            except textfiles.NotThere:
                raise errors.Invalid(f"The text to be replaced is not in {path}.", field="old") from None
            except textfiles.Ambiguous as error:
                raise errors.Invalid(
                    f"The text to be replaced is in {path} {error.count} times: give more of what stands around it.",
                    field="old",
                ) from None
            return await self._put(tx, path, row, "edit", after, call_id)

    async def delete(self, path: str, *, call_id: str | None = None) -> Change:
        """Deletes a file; its history stays, so that it can be restored.

        Raises:
            errors.NotFound: There is no such file.
        """
        path = textfiles.checked(path)
        async with transaction(self.actor) as tx:
            row = await self._begin(tx, path)
            done = await self._made(tx, call_id)
            if done is not None:
                return done
            if row is None or row.deleted:
                raise errors.NotFound("file")
            return await self._put(tx, path, row, "delete", "", call_id)

    async def restore(self, path: str, version: int) -> Change:
        """Makes a file what it was.

        Raises:
            errors.NotFound: There is no such file or version.
        """
        path = textfiles.checked(path)
        async with transaction(self.actor) as tx:
            row = await self._begin(tx, path)
            kept = await self._version(tx, row, version) if row is not None else None
            if kept is None:
                raise errors.NotFound("version")
            return await self._put(tx, path, row, "restore", kept.content, None)

    async def _begin(self, tx: Transaction, path: str) -> models.ChatFile | None:
        """Nobody else changes the chat's files from here on; gives the file's row, if there ever was such a file."""
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
        await (await tx.session.connection()).execute(lock, {"key": f"leaf:files:{self.chat_id}"})
        return await self._row(tx, path)

    async def _row(self, tx: Transaction, path: str) -> models.ChatFile | None:
        await chats.find(tx, self.chat_id)
        query = select(models.ChatFile).where(
            col(models.ChatFile.chat_session_id) == self.chat_id, col(models.ChatFile.path) == path
        )
        return (await tx.session.exec(query)).one_or_none()

    async def _made(self, tx: Transaction, call_id: str | None) -> Change | None:
        """The change that this tool call has made already."""
        if call_id is None or self.run_id is None:
            return None
        made = models.ChatFileVersion
        query = select(made, models.ChatFile).join(models.ChatFile, col(models.ChatFile.id) == col(made.file_id))
        found = (
            await tx.session.exec(query.where(col(made.run_id) == self.run_id, col(made.call_id) == call_id))
        ).one_or_none()
        if found is None:
            return None
        version, row = found
        before = await self._version(tx, row, version.number - 1)
        return _change(row.path, version, before)

    async def _version(self, tx: Transaction, row: models.ChatFile, number: int) -> models.ChatFileVersion | None:
        kept = models.ChatFileVersion
        query = select(kept).where(col(kept.file_id) == row.id, col(kept.number) == number)
        return (await tx.session.exec(query)).one_or_none()

    async def _put(
        self, tx: Transaction, path: str, row: models.ChatFile | None, action: Action, content: str, call_id: str | None
    ) -> Change:
        """Adds a version."""
        size = len(content.encode())
        await self._check_room(tx, path, row, size)
        before = await self._version(tx, row, row.version) if row is not None else None
        if row is None:
            row = models.ChatFile(chat_session_id=self.chat_id, path=path, version=1, size_bytes=size)
            tx.session.add(row)
        else:
            row.version, row.size_bytes, row.deleted = row.version + 1, size, action == "delete"
        await tx.session.flush()
        version = models.ChatFileVersion(
            file_id=row.id,
            chat_session_id=self.chat_id,
            number=row.version,
            action=action,
            content=content,
            user_id=self.actor.user_id,
            run_id=self.run_id,
            call_id=call_id,
        )
        tx.session.add(version)
        await tx.session.flush()
        old = col(models.ChatFileVersion.number) <= row.version - KEPT_VERSIONS
        of_file = col(models.ChatFileVersion.file_id) == row.id
        await tx.session.exec(sqlalchemy.delete(models.ChatFileVersion).where(old, of_file))
        topics = [events.chat(self.chat_id)]
        tx.after_commit(lambda: events.publish(topics))
        return _change(path, version, before)

    async def _check_room(self, tx: Transaction, path: str, row: models.ChatFile | None, size: int) -> None:
        if size > MAX_FILE_BYTES:
            raise errors.Invalid(
                f"{path} would have {size:,} bytes; at most {MAX_FILE_BYTES:,} are possible. Use several files.",
                field="content",
            )
        query = select(func.count(), func.coalesce(func.sum(col(models.ChatFile.size_bytes)), 0)).where(
            col(models.ChatFile.chat_session_id) == self.chat_id, col(models.ChatFile.deleted).is_(False)
        )
        count, used = (await tx.session.exec(query)).one()
        there = row is not None and not row.deleted
        held = row.size_bytes if row is not None and there else 0
        if size > held and used - held + size > MAX_CHAT_BYTES:
            raise errors.Invalid(
                f"The files of this chat would have {used - held + size:,} bytes together; at most {MAX_CHAT_BYTES:,} "
                "are possible. Delete some first.",
                field="content",
            )
        if not there and count >= MAX_FILES:
            raise errors.Invalid(f"A chat has at most {MAX_FILES:,} files. Delete some first.", field="path")


def _change(path: str, version: models.ChatFileVersion, before: models.ChatFileVersion | None) -> Change:
    there = before is not None and before.action != "delete"
    old = before.content if before is not None and there else ""
    return Change(
        path=path,
        version=version.number,
        action=version.action,
        created=not there,
        size_bytes=len(version.content.encode()),
        diff=textfiles.difference(path, old, version.content),
    )
