"""The page of guests. It loads the guest's chat, and shows its changes as long as the tab is open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import config, errors, texts
from leaf.db.actor import Actor, Guest
from leaf.services import conversations, guests, readers
from leaf.services import models as model_service
from leaf.state import session
from leaf.state.chat import ChatState, show_chat
from leaf.state.details import DetailsState
from leaf.state.landing import clear_personal_data
from leaf.state.live import LiveState
from leaf.state.run_view import LiveRun
from leaf.state.session import SessionState
from leaf.state.tabs import locked_tab, tab_of
from leaf.streams.outages import Outage

TICK_SECONDS = 15.0

Events = AsyncGenerator[rx.event.EventSpec]


class GuestState(rx.State):
    """The notices around a guest's chat."""

    hours: int = 24
    """Number of hours for which a chat is kept after its last question."""
    questions: int = 0
    """Number of questions that are allowed within a day."""
    member: str = ""
    """The name of a member who has signed in since and may adopt this chat; empty if there is none."""

    @rx.event(background=True)
    async def attend(self) -> Events:
        """Loads the guest's chat and follows it. A browser without a guest's cookie is redirected."""
        who = await session.within_time(self)
        guest = session.guest(self)
        if guest is None:
            yield rx.redirect("/dashboard" if who is not None else "/", replace=True)
            return
        if who is not None:
            page = await self._page_of_member(who.actor, guest)
            if page:
                yield rx.redirect(page, replace=True)
                return
        await self._begin(guest, who.name if who is not None else "")
        outage = Outage()
        while True:
            try:
                await GuestTab(self, guest).run()
            except (errors.NotFound, errors.Unauthenticated):
                # A member has adopted the chat in another tab. A reload of the page sees the member's cookie.
                async with self:
                    (await self.get_state(ChatState)).phase = "missing"
                return
            except errors.Unavailable as error:
                async with self:
                    (await self.get_state(SessionState)).missing_service = texts.translated(error.message)
                await asyncio.sleep(outage.pause())

    async def _page_of_member(self, actor: Actor, guest: Guest) -> str:
        """The page to which a signed-in member is redirected.

        It is the chat that the member has adopted, or the dashboard if there is nothing to adopt. It is empty if the
        guest's chat can still be adopted, or if Redis does not answer.
        """
        try:
            chat = await guests.read(guest)
            if chat.adopted:
                kept = await guests.kept_by(actor, guest)
                return f"/chat/{kept}" if kept is not None else "/dashboard"
        except errors.Unavailable:
            return ""
        return "" if chat.rows else "/dashboard"

    async def _begin(self, guest: Guest, member: str) -> None:
        """Prepares the page for the guest's chat. Nothing of a previous user of this tab may stay."""
        settings, chat_id = config.current(), str(guest.chat_id)
        async with self:
            if (await self.get_state(ChatState)).chat_id != chat_id:
                await clear_personal_data(self)
            self.hours, self.questions, self.member = settings.guest_hours, settings.guest_questions, member
            (await self.get_state(SessionState)).model = model_service.current().label
            if (await self.get_state(ChatState)).enter(chat_id):
                (await self.get_state(LiveState)).clear()
                (await self.get_state(DetailsState)).reset()


class GuestTab:
    """The background task of one guest's tab, until it fails."""

    def __init__(self, state: GuestState, guest: Guest) -> None:
        self._state: Any = state
        self._tab = tab_of(state)  # A strong reference keeps the tab's record from one read to the next.
        self._actor, self._chat_id = Actor.guest(guest), guest.chat_id
        self._reader = readers.guest(self._actor)
        self._run = LiveRun(state, self._tab, self._look)

    async def run(self) -> None:
        """Shows the chat and then every change. It never returns.

        Raises:
            errors.NotFound: A member has adopted the chat.
            errors.RedisUnavailable: Redis does not answer.
        """
        try:
            async with aclosing(conversations.watch(self._actor, self._chat_id, every_seconds=TICK_SECONDS)) as news:
                async for changed in news:
                    if changed.chat:
                        await self._look()
        finally:
            await self._run.leave()

    async def _look(self) -> None:
        async with locked_tab(self._state) as tab:
            chat = tab.chat = await conversations.open(self._actor, self._chat_id)
            async with self._state:
                (await self._state.get_state(SessionState)).missing_service = ""
                await show_chat(self._state, chat)
        self._run.follow_last_answer(self._actor, self._reader, chat.messages)
