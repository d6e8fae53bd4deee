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
from leaf.state.tabs import Tab, looking, tab_of
from leaf.state.watches import WatchesState
from leaf.views import alerts, source_changes

TICK_SECONDS = 15.0
"""The interval at which a page without notices checks whether its session is still valid."""
AROUND_SECONDS = 300.0
"""The interval at which a page reads everything again, because headings such as Today become outdated."""
SETTLE_SECONDS = 0.5
"""The delay between a change and the read of the surroundings of the chat."""
LAST_MESSAGES = 40
"""The number of messages of a long chat that are shown first."""


class Attendance:
    """The background task of one tab, between two failures."""

    def __init__(self, state: rx.State, chat_id: UUID | None, *, missing: bool = False) -> None:
        """Prepares the task.

        Args:
            state: The tab's state.
            chat_id: The open chat, if there is one.
            missing: Whether the chat does not exist. The page then has no chat until the chat appears.
        """
        self._state: Any = state
        self._tab = tab_of(state)  # A strong reference keeps the tab's record from one read to the next.
        self._chat_id = None if missing else chat_id
        self._awaited = chat_id if missing else None
        self._who: accounts.Session | None = None
        self._offers: list[models.Offer] = []
        self._administers = False
        self._around_changed = asyncio.Event()
        self._chats_alone = True
        """Whether only lists of chats have changed around the chat."""
        self._cards: list[integrations.Card] = []
        self._looked_around = 0.0
        self._run = LiveRun(state, self._tab, self._look_at_chat)

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
            workers = self._listen, self._keep_around, self._keep_evidence
            tasks = {asyncio.create_task(work()) for work in workers}
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
        view = await self._read_around()
        missing: errors.NotFound | None = None
        async with looking(self._state) as tab:
            try:
                await self._read_chat(tab, last=await self._at_first())
            except errors.NotFound as error:
                missing = error
            chat = tab.chat
            is_shown = False
            if chat is not None and chat.messages and chat.messages[-1].unfinished:
                await self._show_chat(chat)
                is_shown = True
            await self._show_around(view, None if is_shown else chat)
        if chat is not None and self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)
        if missing is not None:
            raise missing

    async def _listen(self) -> None:
        """Reads the chat when it has changed, and marks the rest of the page as changed for `_keep_around`."""
        async with aclosing(
            conversations.watch(self._session.actor, self._chat_id, every_seconds=TICK_SECONDS)
        ) as news:
            async for changed in news:
                if changed.person and await self._is_back():
                    return
                if changed.chat:
                    await self._look_at_chat()
                everything = changed.person or time.monotonic() > self._looked_around + AROUND_SECONDS
                if changed.chat or changed.chats or everything:
                    self._chats_alone = self._chats_alone and not everything
                    self._around_changed.set()
                else:
                    self._who = await session.required(self._state)

    async def _is_back(self) -> bool:
        """Whether a missing chat has appeared, because its deletion was undone or the member now takes part."""
        if self._awaited is None:
            return False
        try:
            await chat_reads.open(self._session.actor, self._awaited, last=1)
        except errors.NotFound:
            return False
        return True

    async def _keep_around(self) -> None:
        """Shows changes around the chat."""
        while True:
            await self._around_changed.wait()
            # One turn causes several notices, and its first chunk has priority over the surroundings.
            await asyncio.sleep(SETTLE_SECONDS)
            self._around_changed.clear()
            alone, self._chats_alone = self._chats_alone, True
            await self._show_around(await self._read_around(chats_alone=alone))

    async def _keep_evidence(self) -> None:
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
                source_changes.annotated(one, followed.get(of.id, ()), cells.of_answer(changed, of.id), kept=of.parts)
                for of, one in zip(cited, allowed, strict=True)
            ]
            async with session.proven(self._state):
                page = await self._state.get_state(ChatState)
                if page.chat_id == str(chat.id):
                    page.show_evidence(zip(cited, shown, strict=True))
                    runs = (str(one.run_id or "") for one in cited)
                    (await self._state.get_state(DetailsState)).show_again(dict(zip(runs, shown, strict=True)))

    async def _look_at_chat(self) -> None:
        async with looking(self._state) as tab:
            await self._read_chat(tab, last=await self._at_first())
            if tab.chat is not None:
                await self._show_chat(tab.chat)
        await files.refresh(self._state, self._session.actor)
        if self._chat_id is not None:
            await queue.refresh(self._state, self._session.actor, self._chat_id)

    async def _read_chat(self, tab: Tab, *, last: int | None = None) -> None:
        tab.chat = None  # The tab may still have an earlier chat.
        if self._chat_id is not None:
            tab.chat = await chat_reads.open(self._session.actor, self._chat_id, last=last)

    async def _at_first(self) -> int | None:
        """The number of last messages that the page needs, until it requests the others; None for all."""
        async with self._state:
            shown = await self._state.get_state(ChatState)
            return LAST_MESSAGES if shown.phase != "ready" or shown.awaited else None

    async def _show_chat(self, chat: chats.Chat) -> None:
        """Shows the chat, and follows a run that has begun."""
        async with session.proven(self._state):
            await show_chat(self._state, chat)
        proof = readers.session_proof(self._session, self._state.router.headers.cookie)
        self._run.keep_up(self._session.actor, readers.member(self._session.actor, proof), chat.messages)

    async def _read_around(self, *, chats_alone: bool = False) -> overview.Overview:
        async with self._state:
            since = (await self._state.get_state(SidebarState)).since()
        view = await overview.read(self._state.router.headers.cookie, since=since, chats_alone=chats_alone)
        self._who, self._offers = view.session, await models.offers()
        self._administers = await administration.is_administrator(view.session)
        return view

    async def _show_around(self, view: overview.Overview, chat: chats.Chat | None = None) -> None:
        """Shows the member, the list of chats and the integrations, together with a chat if one is given."""
        around = view.around
        self._cards = around.cards if around is not None else self._cards
        async with session.proven(self._state):
            if around is not None:
                await self._show_surroundings(around)
            person = await self._state.get_state(SessionState)
            person.show(view.session)
            person.administrator = self._administers
            person.show_costs(self._offers)
            await (await self._state.get_state(SidebarState)).tell(view.chats)
            if chat is not None:
                await show_chat(self._state, chat)
            if self._tab.chat is None or not self._tab.chat.above:
                (await self._state.get_state(ChatState)).show_drive(self._tab.chat, self._cards)
        if around is not None:
            await sites.saw_alerts(self._session.actor, around.alerts)
            self._looked_around = time.monotonic()

    async def _show_surroundings(self, around: overview.Surroundings) -> None:
        (await self._state.get_state(SettingsState)).show(around.cards)
        (await self._state.get_state(PreferencesState)).prefer(around.preferences)
        (await self._state.get_state(ShareState)).show(around.invitations)
        (await self._state.get_state(ProjectsState)).show(around.projects)
        (await self._state.get_state(WatchesState)).show(around.watches)
        if around.alerts:
            words = " ".join(alerts.in_words(one) for one in around.alerts)
            (await self._state.get_state(NoticeState)).show(words, "info", {})
