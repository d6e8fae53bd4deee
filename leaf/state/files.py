"""The panel of the chat's own files: the list, one file, and the history of that file.

The page *Files* is in `library`.
"""

from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo

import reflex as rx

from leaf import errors
from leaf.db.session import Actor
from leaf.services import conversations, files
from leaf.state import notices, session
from leaf.state.details import DetailsState
from leaf.state.internal import internal, set_changed
from leaf.texts import dates, say, translated
from leaf.views import amounts, changes, diffs, previews
from leaf.views.diffs import DiffLine
from leaf.views.previews import Page, Preview

_ACTIONS = {
    "write": "file.written_by",
    "edit": "file.edited_by",
    "delete": "file.deleted_by",
    "restore": "file.restored_by",
    "upload": "file.uploaded_by",
}
_BY: dict[files.By, str] = {"agent": "file.leaf", "you": "file.you", "other": "file.other"}
_FROM: dict[files.By, str] = {"agent": "file.from_leaf", "you": "file.from_you", "other": "file.from_other"}


@dataclass(frozen=True)
class FileView:
    path: str
    kind: str
    size: str
    about: str
    """The author and time of the last change."""


@dataclass(frozen=True)
class VersionView:
    number: int
    what: str
    when: str
    deleted: bool


class FilesState(rx.State):
    """The panel. For an open file, it also has the text, the history and the changes of a version."""

    panel: bool = False
    chat: str = ""
    listed: list[FileView] = []  # noqa: RUF012 - Reflex copies it
    deleted: list[FileView] = []  # noqa: RUF012
    path: str = ""
    """The open file; empty while the list is shown."""
    form: str = ""
    """The form in which the open file is shown (`previews.Form`)."""
    text: str = ""
    head: list[str] = []  # noqa: RUF012
    rows: list[list[str]] = []  # noqa: RUF012
    pages: list[Page] = []  # noqa: RUF012
    notes: list[str] = []  # noqa: RUF012
    versions: list[VersionView] = []  # noqa: RUF012
    number: int = 0
    """The shown version."""
    undone: list[str] = []  # noqa: RUF012
    """The changes that were undone in this tab, as `run:path`."""
    changes: bool = False
    """Whether the changes of the version are shown instead of its text."""
    diff: list[DiffLine] = []  # noqa: RUF012
    diff_note: str = ""

    @rx.var
    def archive(self) -> str:
        """The address for downloading all files."""
        return f"/api/chats/{self.chat}/files.zip"

    @rx.var
    def address(self) -> str:
        """The address for downloading the shown version of the open file."""
        return f"/api/chats/{self.chat}/files/{quote(self.path)}?version={self.number}"

    @rx.var
    def newest(self) -> bool:
        """Whether the shown version is the current one."""
        return not self.versions or self.versions[0].number == self.number

    @rx.var
    def gone(self) -> bool:
        """Whether the file did not exist at the shown version."""
        return any(one.deleted for one in self.versions if one.number == self.number)

    @internal
    def clear(self) -> None:
        """Closes the panel and clears it, because another chat may be opened."""
        self.panel, self.chat, self.listed, self.deleted = False, "", [], []
        self.close_one()

    @internal
    def close_one(self) -> None:
        """Closes the open file, so that the list is shown."""
        self.path, self.versions, self.number = "", [], 0
        self.changes, self.diff, self.diff_note = False, [], ""
        self._show_preview(Preview("nothing"))

    @internal
    def show(self, rows: list[files.FileRow], deleted: list[files.FileRow], zone: ZoneInfo) -> None:
        """Shows the lists of current and deleted files, if they differ."""
        set_changed(self, listed=[_view(row, zone) for row in rows], deleted=[_view(row, zone) for row in deleted])

    @internal
    def show_one(self, opened: "_Opened", zone: ZoneInfo) -> None:
        """Shows a file and its earlier versions."""
        self.path, self.number = opened.file.path, opened.file.version
        self._show_preview(previews.of(opened.file))
        self.versions = [
            VersionView(
                one.number, _action_text(one.action, one.by), _when(one.created_at, zone), one.action == "delete"
            )
            for one in opened.history
        ]
        self.diff = diffs.lines_of(opened.diff or "")
        self.diff_note = "" if self.diff else _why_no_diff(opened)

    def _show_preview(self, preview: Preview) -> None:
        self.form, self.text, self.notes = preview.form, preview.text, preview.notes
        self.head, self.rows, self.pages = preview.head, preview.rows, preview.pages

    @rx.event(background=True)
    async def open_panel(self, chat: str) -> None:
        who = await session.required(self)
        chat_files = files.ChatFiles(who.actor, session.identifier(chat, "chat"))
        rows, deleted = await chat_files.listed(), await chat_files.listed(deleted=True)
        async with self:
            self.clear()
            self.chat, self.panel = chat, True
            self.show(rows, deleted, session.zone(self))
            (await self.get_state(DetailsState)).panel = False

    @rx.event(background=True)
    async def open_file(self, path: str, number: int) -> None:
        """Shows the newest version of a file, or the version `number` if it is not 0."""
        who = await session.required(self)
        await self._open(who.actor, path, number or None)

    @rx.event(background=True)
    async def restore(self, number: int) -> None:
        who = await session.required(self)
        chat_id, path = session.identifier(self.chat, "chat"), self.path
        await files.ChatFiles(who.actor, chat_id).restore(path, number)
        await self._open(who.actor, path, None)

    @rx.event(background=True)
    async def undo(self, chat: str, run_id: str, path: str) -> AsyncGenerator[rx.event.EventSpec]:
        """Undoes the changes that an answer has made to a file."""
        who = await session.required(self)
        answer = await conversations.result(who.actor, session.identifier(run_id, "answer"))
        changed = next((one for one in changes.changes_of(answer.parts) if one.path == path), None)
        if changed is None:
            raise errors.NotFound("file")
        chat_files = files.ChatFiles(who.actor, session.identifier(chat, "chat"))
        await chat_files.undo(path, changed.first, changed.last)
        async with self:
            self.undone = [*self.undone, f"{run_id}:{path}"]
        yield notices.info(say("file.undone", name=path))

    @rx.event
    def show_changes(self, on: bool) -> None:
        """Shows the changes of the version, or its text."""
        self.changes = on

    @rx.event
    def back(self) -> None:
        self.close_one()

    @rx.event
    def close_panel(self) -> None:
        self.clear()

    async def _open(self, actor: Actor, path: str, number: int | None) -> None:
        opened = await _read(files.ChatFiles(actor, session.identifier(self.chat, "chat")), path, number)
        async with self:
            self.show_one(opened, session.zone(self))


@dataclass(frozen=True)
class _Opened:
    file: files.FileText
    history: list[files.Version]
    diff: str | None


async def _read(chat_files: files.ChatFiles, path: str, number: int | None) -> _Opened:
    history = await chat_files.history(path)
    # For a deleted file, the newest version is the deletion.
    file = await chat_files.read(path, number or history[0].number)
    return _Opened(file, history, await chat_files.difference(file.path, file.version))


async def refresh(state: rx.State, actor: Actor) -> None:
    """Updates an open panel after a change of the chat."""
    async with state:
        shown = await state.get_state(FilesState)
        chat, path, follows = shown.chat if shown.panel else "", shown.path, shown.newest
    if not chat:
        return
    chat_files = files.ChatFiles(actor, UUID(chat))
    rows, deleted = await chat_files.listed(), await chat_files.listed(deleted=True)
    one: _Opened | None = None
    if path and follows:
        with suppress(errors.NotFound):  # The chat itself may have been deleted.
            one = await _read(chat_files, path, None)
    async with session.proven(state):
        shown = await state.get_state(FilesState)
        if shown.panel and shown.chat == chat:
            shown.show(rows, deleted, session.zone(state))
            if one is not None and shown.path == path and shown.number != one.file.version:
                shown.show_one(one, session.zone(state))


def _view(row: files.FileRow, zone: ZoneInfo) -> FileView:
    about = say(_FROM[row.by], when=_when(row.updated_at, zone))
    return FileView(row.path, row.kind, amounts.size(row.size_bytes), about)


def _action_text(action: str, by: files.By) -> str:
    return say(_ACTIONS.get(action, "file.written_by"), who=say(_BY[by]))


def _why_no_diff(opened: _Opened) -> str:
    if opened.diff is None:
        return say("file.no_diff_upload")
    return say("file.no_change") if len(opened.history) > 1 else say("file.first_empty")


def _when(at: datetime, zone: ZoneInfo) -> str:
    return translated(dates.short_moment(at.astimezone(zone)))
