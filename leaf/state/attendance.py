"""The background task of one tab, which shows the whole page and then every change.

All I/O happens outside of the state's lock.
"""

import asyncio
import time
from contextlib import aclosing
from typing import Any
from uuid import UUID

import reflex as rx

from leaf import errors
from leaf.citations import redaction
from leaf.services import (
    accounts,
    administration,
    cells,
    chat_reads,
    chats,
    conversations,
    integrations,
    models,
    overview,
    passages,
    readers,
    sites,
)
from leaf.services.library import quotes
from leaf.state import files, queue, session
from leaf.state.chat import ChatState, show_chat
from leaf.state.details import DetailsState
from leaf.state.notices import NoticeState
from leaf.state.preferences import PreferencesState
from leaf.state.projects import ProjectsState
from leaf.state.run_view import LiveRun
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.sidebar import SidebarState
from leaf.state.tabs import Tab, locked_tab, tab_of
from leaf.state.watches import WatchesState
from leaf.views import alerts, source_changes

TICK_SECONDS = 15.0
"""The interval at which a page without notices checks whether its session is still valid."""
SURROUNDINGS_SECONDS = 300.0
"""The interval at which a page reads all surroundings again, because headings such as Today become outdated."""
SETTLE_SECONDS = 0.5
"""The delay between a change and the read of the surroundings."""
LAST_MESSAGES = 40
"""The number of messages of a long chat that are shown first."""


class Attendance:
    """The background task of one tab, until it fails.

    The page consists of a chat, if one is open, and its surroundings: the member, the lists of chats and the rest.
    """

    def __init__(self, state: rx.State, chat_id: UUID | None, *, missing: bool = False) -> None:
        """Prepares the task.

        Args:
            state: The tab's state.
            chat_id: The open chat, if there is one.
            missing: Whether the chat does not exist. The page then has no chat, and the task ends when it appears.
        """
        self._state: Any = state
        self._tab = tab_of(state)  # A strong reference keeps the tab's record from one read to the next.
        self._chat_id = None if missing else chat_id
        self._missing_id = chat_id if missing else None
        self._who: accounts.Session | None = None
        self._offers: list[models.Offer] = []
        self._is_administrator = False
        self._surroundings_changed = asyncio.Event()
        self._only_lists_changed = True
        """Whether only the lists of chats have changed in the surroundings."""
        self._surroundings_read_at = 0.0
        self._cards: list[integrations.Card] = []
        self._run = LiveRun(state, self._tab, self._refresh_chat)

    async def run(self) -> None:
        """Shows the page and then every change. It returns only when a missing chat appears.

        Raises:
            errors.Unauthenticated: The session ended.
            errors.NotFound: The chat does not exist, or the member does not take part in it.
            errors.Unavailable: The database does not answer.
        """
        tasks: set[asyncio.Task[None]] = set()
        try:
            await self._load()
            loops = self._listen, self._show_changed_surroundings, self._show_evidence
            tasks = {asyncio.create_task(loop()) for loop in loops}
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
        """Shows the page in one step. If an answer is being written, shows the chat before the rest.

        Of a long chat, only the last messages are shown.
        """
        view = await self._read_surroundings()
        missing: errors.NotFound | None = None
        async with locked_tab(self._state) as tab:
            try:
                await self._read_chat(tab)
            except errors.NotFound as error:
                missing = error
            chat = tab.chat
            is_shown = False
            if chat is not None and chat.messages and chat.messages[-1].unfinished:
                await self._show_chat(chat)
                is_shown = True
            await self._show_surroundings(view, None if is_shown else chat)
        if chat is not None and self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)
        if missing is not None:
            raise missing

    async def _listen(self) -> None:
        """Shows the chat again when it has changed, and reports other changes to `_show_changed_surroundings`."""
        async with aclosing(
            conversations.watch(self._session.actor, self._chat_id, every_seconds=TICK_SECONDS)
        ) as news:
            async for changed in news:
                if changed.person and await self._missing_has_appeared():
                    return
                if changed.chat:
                    await self._refresh_chat()
                everything = changed.person or time.monotonic() > self._surroundings_read_at + SURROUNDINGS_SECONDS
                if changed.chat or changed.chats or everything:
                    self._only_lists_changed = self._only_lists_changed and not everything
                    self._surroundings_changed.set()
                else:
                    self._who = await session.required(self._state)

    async def _missing_has_appeared(self) -> bool:
        """Whether a missing chat has appeared, because its deletion was undone or the member now takes part."""
        if self._missing_id is None:
            return False
        try:
            await chat_reads.open(self._session.actor, self._missing_id, last=1)
        except errors.NotFound:
            return False
        return True

    async def _show_changed_surroundings(self) -> None:
        while True:
            await self._surroundings_changed.wait()
            # One turn causes several notices, and its first chunk has priority over the surroundings.
            await asyncio.sleep(SETTLE_SECONDS)
            self._surroundings_changed.clear()
            only_lists, self._only_lists_changed = self._only_lists_changed, True
            await self._show_surroundings(await self._read_surroundings(only_lists=only_lists))

    async def _show_evidence(self) -> None:
        """Shows the quotes of answers after the page, when Google has confirmed their files."""
        while True:
            await self._tab.shown.wait()
            self._tab.shown.clear()
            if (chat := self._tab.chat) is None:
                continue
            cited = [one for one in chat.messages if not one.unfinished and redaction.files_of(one.parts)]
            allowed = await passages.shown(self._session.actor, [one.parts for one in cited])
            followed = await quotes.followed(self._session.actor, [one.id for one in cited])
            changed = await cells.edits(self._session.actor, [one.id for one in cited])
            shown = [
                source_changes.annotated(
                    content, followed.get(one.id, ()), cells.of_answer(changed, one.id), kept=one.parts
                )
                for one, content in zip(cited, allowed, strict=True)
            ]
            async with session.proven(self._state):
                page = await self._state.get_state(ChatState)
                if page.chat_id == str(chat.id):
                    page.show_evidence(zip(cited, shown, strict=True))
                    runs = (str(one.run_id or "") for one in cited)
                    (await self._state.get_state(DetailsState)).refresh_sources(dict(zip(runs, shown, strict=True)))

    async def _refresh_chat(self) -> None:
        async with locked_tab(self._state) as tab:
            await self._read_chat(tab)
            if tab.chat is not None:
                await self._show_chat(tab.chat)
        await files.refresh(self._state, self._session.actor)
        if self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)

    async def _read_chat(self, tab: Tab) -> None:
        """Reads the chat. Of a long chat, it reads only the last messages until the page requests the others."""
        async with self._state:
            shown = await self._state.get_state(ChatState)
            last = LAST_MESSAGES if shown.phase != "ready" or shown.awaited else None
        tab.chat = None  # The tab may still have an earlier chat.
        if self._chat_id is not None:
            tab.chat = await chat_reads.open(self._session.actor, self._chat_id, last=last)

    async def _show_chat(self, chat: chats.Chat) -> None:
        """Shows the chat, and follows a run that has begun."""
        async with session.proven(self._state):
            await show_chat(self._state, chat)
        proof = readers.session_proof(self._session, self._state.router.headers.cookie)
        self._run.follow_last_answer(self._session.actor, readers.member(self._session.actor, proof), chat.messages)

    async def _read_surroundings(self, *, only_lists: bool = False) -> overview.Overview:
        async with self._state:
            since = (await self._state.get_state(SidebarState)).since()
        view = await overview.read(self._state.router.headers.cookie, since=since, chats_alone=only_lists)
        self._who, self._offers = view.session, await models.offers()
        self._is_administrator = await administration.is_administrator(view.session)
        return view

    async def _show_surroundings(self, view: overview.Overview, chat: chats.Chat | None = None) -> None:
        """Shows the member, the lists of chats and the rest, together with a chat if one is given."""
        rest = view.around
        self._cards = rest.cards if rest is not None else self._cards
        async with session.proven(self._state):
            if rest is not None:
                await self._show_rest(rest)
            person = await self._state.get_state(SessionState)
            person.show(view.session)
            person.administrator = self._is_administrator
            person.show_costs(self._offers)
            await (await self._state.get_state(SidebarState)).tell(view.chats)
            if chat is not None:
                await show_chat(self._state, chat)
            if self._tab.chat is None or not self._tab.chat.above:
                (await self._state.get_state(ChatState)).show_drive(self._tab.chat, self._cards)
        if rest is not None:
            await sites.saw_alerts(self._session.actor, rest.alerts)
            self._surroundings_read_at = time.monotonic()

    async def _show_rest(self, rest: overview.Surroundings) -> None:
        (await self._state.get_state(SettingsState)).show(rest.cards)
        (await self._state.get_state(PreferencesState)).prefer(rest.preferences)
        (await self._state.get_state(ShareState)).show(rest.invitations)
        (await self._state.get_state(ProjectsState)).show(rest.projects)
        (await self._state.get_state(WatchesState)).show(rest.watches)
        if rest.alerts:
            words = " ".join(alerts.in_words(one) for one in rest.alerts)
            (await self._state.get_state(NoticeState)).show(words, "info", {})
