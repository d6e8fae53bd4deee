"""One background event for each open tab: it loads the page, and shows what changes for as long as the tab is there.

Reflex cancels what a page's load event started when the tab navigates, reconnects or goes away, so this needs no
end of its own. All I/O is done outside of the state's lock.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

import reflex as rx

from leaf import errors
from leaf.services import accounts, chats, integrations, runs
from leaf.state import feed, session, sidebar
from leaf.state.chat import ChatState, Tab, looking, tab_of
from leaf.state.details import DetailsState
from leaf.state.live import LiveState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState

log = logging.getLogger(__name__)

TICK_SECONDS = 15.0
"""How often a page without news looks whether its session still holds."""
PATIENT_AFTER_SECONDS = 6.0
RETRY_SECONDS = 2.0

Events = AsyncGenerator[rx.event.EventSpec]


class PresenceState(rx.State):
    """Loads pages and keeps them true."""

    @rx.event(background=True)
    async def attend(self) -> Events:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Loads the page that is open and follows what happens in it."""
        text = str(self.router.url.path)
        chat_text = text.removeprefix("/chat/").strip("/") if text.startswith("/chat/") else ""
        async with self:
            await self._enter(chat_text)
        while True:
            try:
                await Attendance(self, session.identifier(chat_text, "chat") if chat_text else None).run()
            except errors.Unauthenticated:
                yield rx.redirect(session.sign_in_address(text))
                return
            except errors.NotFound:
                async with self:
                    (await self.get_state(SessionState)).missing_service = ""
                    (await self.get_state(ChatState)).phase = "missing"
                return
            except errors.Unavailable as error:
                async with self:
                    chat = await self.get_state(ChatState)
                    if chat.phase != "ready" or isinstance(error, errors.DatabaseUnavailable):
                        (await self.get_state(SessionState)).missing_service = error.message
                await asyncio.sleep(RETRY_SECONDS)

    @rx.event(background=True)
    async def write_again(self, run_id: str) -> None:
        """Sends the whole text of an answer to a page that has missed a part of it."""
        who = await session.required(self)
        async with feed.joined(who.actor, session.identifier(run_id, "answer")) as following:
            await feed.write(following, None)

    async def _enter(self, chat_text: str) -> None:
        """Nothing of another chat may stay on the page."""
        chat = await self.get_state(ChatState)
        if chat.enter(chat_text) if chat_text else chat.leave():
            (await self.get_state(LiveState)).clear()
            (await self.get_state(DetailsState)).clear()


class Attendance:
    """What the background event of one tab does, between two failures."""

    def __init__(self, state: PresenceState, chat_id: UUID | None) -> None:
        self._state: Any = state
        self._tab = tab_of(state)  # held, so that what is known of the tab lasts from look to look
        self._chat_id = chat_id
        self._who: accounts.Session | None = None
        self._run_id: UUID | None = None
        self._following: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Shows the page, then every change, without an end.

        Raises:
            errors.Unauthenticated: The session ended.
            errors.NotFound: The chat is not there, or not for this person.
            errors.Unavailable: The database does not answer.
        """
        try:
            await self._look()
            actor = self._session.actor
            async with aclosing(runs.watch(actor, self._chat_id, every_seconds=TICK_SECONDS)) as news:
                async for _changed in news:
                    await self._look()
        finally:
            if self._following is not None:
                self._following.cancel()
                await asyncio.gather(self._following, return_exceptions=True)

    @property
    def _session(self) -> accounts.Session:
        if self._who is None:
            raise errors.Unauthenticated
        return self._who

    async def _look(self) -> None:
        """Reads what the page shows and shows what has changed; starts to follow a run that has begun."""
        async with looking(self._state) as tab:
            await self._look_alone(tab)

    async def _look_alone(self, tab: Tab) -> None:
        self._who = who = await session.required(self._state)
        missing: errors.NotFound | None = None
        chat: chats.Chat | None = None
        try:
            chat = await chats.open(who.actor, self._chat_id, known=tab.chat) if self._chat_id else None
        except errors.NotFound as error:
            missing = error
        tab.chat = chat
        # What is being written comes first; the chat itself is shown with everything else, in one step.
        follows = chat is not None and bool(chat.messages) and chat.messages[-1].unfinished
        async with self._state:
            limit = (await self._state.get_state(SidebarState)).limit
            if chat is not None and follows:
                (await self._state.get_state(ChatState)).show(chat, await self._state.get_state(LiveState))
        if chat is not None and follows:
            self._start(chat.messages[-1])
        groups = await sidebar.read(who, limit, session.zone(self._state))
        cards = await integrations.cards(who.actor)
        async with self._state:
            (await self._state.get_state(SettingsState)).show(cards)
            (await self._state.get_state(SessionState)).show(who)
            (await self._state.get_state(SidebarState)).show(groups)
            if chat is not None and not follows:
                (await self._state.get_state(ChatState)).show(chat, await self._state.get_state(LiveState))
        if missing is not None:
            raise missing

    def _start(self, answer: chats.Message) -> None:
        busy = self._following is not None and not self._following.done()
        if answer.run_id is None or (busy and self._run_id == answer.run_id):
            return
        # A follower that has come to its end looks, too, and must not cancel itself.
        if self._following is not None and self._following is not asyncio.current_task():
            self._following.cancel()
        self._run_id = answer.run_id
        self._following = asyncio.create_task(self._follow(answer.run_id), name=f"follow {answer.run_id}")
        self._following.add_done_callback(_log_failure)

    async def _follow(self, run_id: UUID) -> None:
        """Follows a run to its end, through times in which Redis is away."""
        while True:
            try:
                await RunView(self._state, self._session, run_id).show()
                await self._look()
            except errors.Unavailable:
                async with self._state:
                    (await self._state.get_state(LiveState)).lost = True
                await asyncio.sleep(RETRY_SECONDS)
            except (errors.NotFound, errors.Unauthenticated):
                return  # The listener finds out by itself what has gone.
            else:
                return


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a run could not be shown", exc_info=error)


class RunView:
    """Shows one tab how a run grows."""

    def __init__(self, state: PresenceState, who: accounts.Session, run_id: UUID) -> None:
        self._state: Any = state
        self._who = who
        self._run_id = run_id
        self._painted: feed.Frame | None = None
        self._written: feed.Frame | None = None
        self._began = time.monotonic()

    async def show(self) -> None:
        """Follows the run to its end; the page then shows what is stored."""
        waiting = asyncio.create_task(self._tell_to_be_patient())
        try:
            async with feed.joined(self._who.actor, self._run_id) as following, aclosing(following.frames()) as frames:
                async for frame in frames:
                    await self._paint(frame)
                    self._written = await feed.write(following, self._written)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _tell_to_be_patient(self) -> None:
        await asyncio.sleep(PATIENT_AFTER_SECONDS)
        async with self._state:
            (await self._state.get_state(LiveState)).patient = True

    async def _paint(self, frame: feed.Frame) -> None:
        """Sets what Reflex draws, where it differs from what was drawn last."""
        before, self._painted = self._painted, frame
        if before is not None and frame.looks_like(before):
            return
        known = before.tools if before else {}
        changed = [part for call, part in frame.tools.items() if known.get(call) != part]
        patient = time.monotonic() - self._began > PATIENT_AFTER_SECONDS
        async with self._state:
            live = await self._state.get_state(LiveState)
            if live.run_id != str(self._run_id) or not live.running:
                return
            live.follow(frame, patient=patient)
            if changed:
                (await self._state.get_state(DetailsState)).refresh(changed)
