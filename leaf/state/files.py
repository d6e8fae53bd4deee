"""The panel of the chat's own files: what there is, one of them, and what it was."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo

import reflex as rx

from leaf import errors
from leaf.db.session import Actor
from leaf.services import files
from leaf.state import session
from leaf.state.details import DetailsState
from leaf.state.internal import internal

SHOWN_CHARACTERS = 50_000
_ACTIONS = {
    "write": "Written",
    "edit": "Edited",
    "delete": "Deleted",
    "restore": "Restored",
    "upload": "Uploaded",
}

_BY = {"agent": "Leaf", "you": "you", "other": "somebody else"}


@dataclass(frozen=True)
class FileView:
    """A file in the list."""

    path: str
    size: str
    href: str
    """Where it is downloaded."""


@dataclass(frozen=True)
class VersionView:
    """A version in a file's history, the newest first."""

    number: int
    what: str
    when: str
    newest: bool


class FilesState(rx.State):
    """The panel; of a file that is open also its text and its history."""

    panel: bool = False
    chat: str = ""
    listed: list[FileView] = []  # noqa: RUF012 - Reflex copies it
    path: str = ""
    """The file that is open; empty where the list is shown."""
    text: str = ""
    note: str = ""
    markdown: bool = False
    versions: list[VersionView] = []  # noqa: RUF012
    number: int = 0
    """The version that is shown."""

    @rx.var
    def archive(self) -> str:
        """Where all files are downloaded."""
        return f"/api/chats/{self.chat}/files.zip"

    @rx.var
    def address(self) -> str:
        """Where the open file is downloaded."""
        return _href(self.chat, self.path)

    @rx.var
    def newest(self) -> bool:
        """Whether the version that is shown is what the file is now."""
        return not self.versions or self.versions[0].number == self.number

    @internal
    def clear(self) -> None:
        """Closes the panel, of another chat."""
        self.panel, self.chat, self.listed = False, "", []
        self.close_one()

    @internal
    def close_one(self) -> None:
        """Goes back to the list."""
        self.path = self.text = self.note = ""
        self.versions, self.number = [], 0

    @internal
    def show(self, rows: list[files.FileRow]) -> None:
        """Shows the list, where it differs."""
        listed = [FileView(row.path, _size(row.size_bytes), _href(self.chat, row.path)) for row in rows]
        if listed != self.listed:
            self.listed = listed

    @internal
    def show_one(self, file: files.FileText, history: list[files.Version], zone: ZoneInfo) -> None:
        """Shows a file, and what it was before."""
        self.path, self.number = file.path, file.version
        self.text = file.content[:SHOWN_CHARACTERS]
        cut = len(file.content) > SHOWN_CHARACTERS
        self.note = f"The first {SHOWN_CHARACTERS:,} of {len(file.content):,} characters." if cut else ""
        self.markdown = file.path.lower().endswith((".md", ".markdown"))
        self.versions = [
            VersionView(one.number, _what(one), _when(one.created_at, zone), newest=place == 0)
            for place, one in enumerate(history)
        ]

    @rx.event(background=True)
    async def open_panel(self, chat: str) -> None:
        """Lists the files of a chat."""
        who = await session.required(self)
        rows = await files.ChatFiles(who.actor, session.identifier(chat, "chat")).listed()
        async with self:
            self.clear()
            self.chat, self.panel = chat, True
            self.show(rows)
            (await self.get_state(DetailsState)).panel = False

    @rx.event(background=True)
    async def open_file(self, path: str, number: int) -> None:
        """Shows a file; as it was, where a version is named."""
        who = await session.required(self)
        await self._open(who.actor, path, number or None)

    @rx.event(background=True)
    async def restore(self, number: int) -> None:
        """Makes the open file what it was."""
        who = await session.required(self)
        chat_id, path = session.identifier(self.chat, "chat"), self.path
        await files.ChatFiles(who.actor, chat_id).restore(path, number)
        await self._open(who.actor, path, None)

    @rx.event
    def back(self) -> None:
        """Shows the list again."""
        self.close_one()

    @rx.event
    def close_panel(self) -> None:
        """Closes the panel."""
        self.clear()

    async def _open(self, actor: Actor, path: str, number: int | None) -> None:
        chat_files = files.ChatFiles(actor, session.identifier(self.chat, "chat"))
        file, history = await chat_files.read(path, number), await chat_files.history(path)
        async with self:
            self.show_one(file, history, session.zone(self))


async def refresh(state: rx.State, actor: Actor) -> None:
    """Shows what has changed, where the panel is open: called when the chat has changed.

    Args:
        state: Any state of the tab, in a background event.
        actor: The person.
    """
    async with state:
        shown = await state.get_state(FilesState)
        chat, path, follows = shown.chat if shown.panel else "", shown.path, shown.newest
    if not chat:
        return
    chat_files = files.ChatFiles(actor, UUID(chat))
    rows = await chat_files.listed()
    one: tuple[files.FileText, list[files.Version]] | None = None
    if path and follows and any(row.path == path for row in rows):
        with suppress(errors.NotFound):  # It was deleted meanwhile.
            one = await chat_files.read(path), await chat_files.history(path)
    async with state:
        shown = await state.get_state(FilesState)
        if shown.panel and shown.chat == chat:
            shown.show(rows)
            if one is not None and shown.path == path and shown.number != one[0].version:
                shown.show_one(*one, session.zone(state))


def _what(version: files.Version) -> str:
    return f"{_ACTIONS.get(version.action, version.action)} by {_BY[version.by]}"


def _when(at: datetime, zone: ZoneInfo) -> str:
    local = at.astimezone(zone)
    return f"{local.day} {local.strftime('%b')}, {local.strftime('%H:%M')}"


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _href(chat: str, path: str) -> str:
    return f"/api/chats/{chat}/files/{quote(path)}"
