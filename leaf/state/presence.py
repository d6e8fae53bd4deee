"""One background event for each open tab. It loads the page and shows changes as long as the tab is open.

When the tab navigates, reconnects or goes away, Reflex cancels the events that the page's load started. So this event
need not end by itself.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import reflex as rx

from leaf import errors, texts
from leaf.state import run_feed, session, transcript
from leaf.state.attendance import Attendance
from leaf.state.change_dialogs import ChangeDialogState
from leaf.state.chat import ChatState, reload_chat
from leaf.state.details import DetailsState
from leaf.state.files import FilesState
from leaf.state.internal import set_changed
from leaf.state.live import LiveState
from leaf.state.preferences import PreferencesState
from leaf.state.projects import ProjectsState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.watches import WatchesState
from leaf.streams.outages import Outage

Events = AsyncGenerator[rx.event.EventSpec]
_DIALOGS: tuple[tuple[type[rx.State], dict[str, object]], ...] = (
    (ProjectsState, {"asks_new": False, "moving": ""}),
    (SettingsState, {"asked": "", "asks_stop": False}),
    (ShareState, {"chat": ""}),
    (WatchesState, {"message_id": ""}),
)
"""The vars that hold dialogs open, with the values that close them."""


class PresenceState(rx.State):
    """Loads pages and keeps them up to date."""

    _path: str = ""
    """The path of the open page."""

    @rx.event(background=True)
    async def attend(self) -> Events:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Loads the open page and follows its changes."""
        text = str(self.router.url.path)
        chat_text = text.removeprefix("/chat/").strip("/") if text.startswith("/chat/") else ""
        async with self:
            await self._enter(chat_text)
        chat_id, missing = None, False
        try:
            chat_id = session.identifier(chat_text, "chat") if chat_text else None
        except errors.NotFound:
            # The address names no chat. The page waits for none, but shows everything around it.
            await self._show_missing()
            missing = True
        outage = Outage()
        while True:
            try:
                await Attendance(self, chat_id, missing=missing).run()
                missing = False
            except errors.Unauthenticated:
                yield rx.redirect(session.sign_in_address(f"{text}?{self.router.url.query}"))
                return
            except errors.NotFound:
                await self._show_missing()
                if missing or not chat_text:
                    return
                missing = True
            except errors.Unavailable as error:
                async with self:
                    chat = await self.get_state(ChatState)
                    if chat.phase != "ready" or isinstance(error, errors.DatabaseUnavailable):
                        (await self.get_state(SessionState)).missing_service = texts.translated(error.message)
                await asyncio.sleep(outage.pause())

    @rx.event(background=True)
    async def write_again(self, feed_id: str) -> None:
        """Sends the whole text of an answer to a page that has missed a part of it."""
        reader_of = transcript.reader if transcript.is_open(self) else session.reader
        await run_feed.write_again(await reader_of(self), feed_id)

    @rx.event(background=True)
    async def fill(self) -> None:
        """Shows the earlier messages of a long chat. The page requests them when it has drawn the end."""
        async with self:
            chat_text = (await self.get_state(ChatState)).chat_id
        with suppress(errors.NotFound):  # `attend` shows that the chat is missing.
            await reload_chat(self, await session.speaker(self), session.identifier(chat_text, "chat"))

    async def _show_missing(self) -> None:
        """Shows that the chat does not exist or is not the member's."""
        async with self:
            (await self.get_state(SessionState)).missing_service = ""
            (await self.get_state(ChatState)).phase = "missing"

    async def _enter(self, chat_text: str) -> None:
        """Prepares the page for a chat (empty: none), and clears everything that belongs to another chat."""
        # A reload starts the page again, so no dialog stays open.
        (await self.get_state(ChangeDialogState)).reset()
        chat = await self.get_state(ChatState)
        has_changed = chat.enter(chat_text) if chat_text else chat.leave()
        if has_changed:
            (await self.get_state(LiveState)).clear()
            (await self.get_state(DetailsState)).reset()
            (await self.get_state(FilesState)).clear()
        (await self.get_state(PreferencesState)).enter(chat_text)
        path = str(self.router.url.path)
        if self._path != path:
            for dialog, closed in _DIALOGS:
                set_changed(await self.get_state(dialog), **closed)
            self._path = path
