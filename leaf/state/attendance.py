"""What the background event of one tab does: it shows the page whole, and then what changes.

All I/O is done outside of the state's lock.
"""

import asyncio
import time
from contextlib import aclosing
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import reflex as rx

from leaf import errors
from leaf.services import accounts, chats, conversations, models, overview, readers, shared_chats, tenants
from leaf.state import files, queue, session
from leaf.state.chat import ChatState, show_chat
from leaf.state.notices import NoticeState
from leaf.state.preferences import PreferencesState
from leaf.state.run_view import LiveRun
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.sidebar import SidebarState
from leaf.state.tabs import Tab, looking, tab_of
from leaf.views import alerts

TICK_SECONDS = 15.0
"""How often a page without news looks whether its session still holds."""
AROUND_SECONDS = 300.0
"""How often it looks at everything: what was called Today may be Yesterday by then."""
SETTLE_SECONDS = 0.15
"""What stands around a chat is looked at so long after it has changed."""
AT_ONCE = 2
"""So many tabs of a process look around at the same time."""
LAST_MESSAGES = 40
"""So many messages of a long chat come first."""


class Attendance:
    """What the background event of one tab does, between two failures."""

    def __init__(self, state: rx.State, chat_id: UUID | None, *, missing: bool = False) -> None:
        """Args:
        state: The tab's.
        chat_id: The chat that is open, if one is.
        missing: Whether it is not there: the page is then one without a chat, until it is.
        """
        self._state: Any = state
        self._tab = tab_of(state)  # held, so that what is known of the tab lasts from look to look
        self._chat_id = None if missing else chat_id
        self._awaited = chat_id if missing else None
        self._who: accounts.Session | None = None
        self._offers: list[models.Offer] = []
        self._person_changed = asyncio.Event()
        self._looked_around = 0.0
        self._run = LiveRun(state, self._tab, self._look_at_chat)

    async def run(self) -> None:
        """Shows the page, then every change, without an end; or until a chat that was missing is there.

        Raises:
            errors.Unauthenticated: The session ended.
            errors.NotFound: The chat is not there, or not for this person.
            errors.Unavailable: The database does not answer.
        """
        tasks: set[asyncio.Task[None]] = set()
        try:
            await self._load()
            tasks = {asyncio.create_task(work()) for work in (self._listen, self._keep_around)}
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._run.leave()

    @property
    def _session(self) -> accounts.Session:
        if self._who is None:
            raise errors.Unauthenticated
        return self._who

    async def _load(self) -> None:
        """Shows the page in one step; of a chat whose answer is being written the chat first, of a long one its end."""
        view = await self._read_around()
        missing: errors.NotFound | None = None
        async with looking(self._state) as tab:
            try:
                await self._read_chat(tab, last=await self._at_first())
            except errors.NotFound as error:
                missing = error
            chat = tab.chat
            follows = chat is not None and bool(chat.messages) and chat.messages[-1].unfinished
            if chat is not None and follows:
                await self._show_chat(chat)
            await self._show_around(view, None if follows else chat)
        if chat is not None and self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)
        if missing is not None:
            raise missing

    async def _listen(self) -> None:
        """Looks at the chat when it has changed; what stands around it waits for its turn."""
        async with aclosing(
            conversations.watch(self._session.actor, self._chat_id, every_seconds=TICK_SECONDS)
        ) as news:
            async for changed in news:
                if changed.person and await self._is_back():
                    return
                if changed.chat:
                    await self._look_at_chat()
                if changed.chat or changed.person or time.monotonic() > self._looked_around + AROUND_SECONDS:
                    self._person_changed.set()
                else:
                    self._who = await session.required(self._state)

    async def _is_back(self) -> bool:
        """Whether a chat that was missing is there: its deletion was taken back, or the person takes part by now."""
        if self._awaited is None:
            return False
        try:
            await shared_chats.open(self._session.actor, self._awaited, last=1)
        except errors.NotFound:
            return False
        return True

    async def _keep_around(self) -> None:
        """Shows what stands around the chat as it changes; a few tabs of this process at a time."""
        while True:
            await self._person_changed.wait()
            # One turn brings several notices, and its own first word comes before what stands around it.
            await asyncio.sleep(SETTLE_SECONDS)
            async with _turns():
                self._person_changed.clear()
                await self._show_around(await self._read_around(), None)

    async def _look_at_chat(self) -> None:
        async with looking(self._state) as tab:
            await self._read_chat(tab, last=await self._at_first())
            if tab.chat is not None:
                await self._show_chat(tab.chat)
        await files.refresh(self._state, self._session.actor)
        if self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)

    async def _read_chat(self, tab: Tab, *, last: int | None = None) -> None:
        tab.chat = None  # whatever the tab showed before
        if self._chat_id is not None:
            tab.chat = await shared_chats.open(self._session.actor, self._chat_id, last=last)

    async def _at_first(self) -> int | None:
        """How many messages the page needs: of a long chat the last ones until it asks for the others; None for all."""
        async with self._state:
            shown = await self._state.get_state(ChatState)
            return LAST_MESSAGES if shown.phase != "ready" or shown.awaited else None

    async def _show_chat(self, chat: chats.Chat) -> None:
        """Shows the chat, and starts to follow a run that has begun."""
        async with self._state:
            await show_chat(self._state, chat)
        proof = readers.session_proof(self._session, self._state.router.headers.cookie)
        self._run.keep_up(readers.member(self._session.actor, proof), chat.messages)

    async def _read_around(self) -> overview.Overview:
        async with self._state:
            since = (await self._state.get_state(SidebarState)).since()
        view = await overview.read(self._state.router.headers.cookie, since=since)
        self._who, self._offers = view.session, await models.offers()
        return view

    async def _show_around(self, view: overview.Overview, chat: chats.Chat | None) -> None:
        """Shows the person, the list of chats and the integrations; together with a chat where one is given."""
        async with self._state:
            (await self._state.get_state(SettingsState)).show(view.cards)
            person = await self._state.get_state(SessionState)
            person.show(view.session)
            person.show_costs(self._offers)
            await (await self._state.get_state(SidebarState)).tell(view.chats)
            (await self._state.get_state(PreferencesState)).prefer(view.preferences)
            (await self._state.get_state(ShareState)).show(view.invitations)
            if chat is not None:
                await show_chat(self._state, chat)
            if self._tab.chat is None or not self._tab.chat.above:
                (await self._state.get_state(ChatState)).show_drive(self._tab.chat, view.cards)
            if view.alerts:
                told = " ".join(alerts.said(one) for one in view.alerts)
                (await self._state.get_state(NoticeState)).show(told, "info", {})
        await tenants.saw_alerts(self._session.actor, view.alerts)
        self._looked_around = time.monotonic()


def _turns() -> asyncio.Semaphore:
    """What few tabs at a time may hold, so that an event that concerns hundreds does not hold up their answers."""
    return _all_turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))


_all_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
