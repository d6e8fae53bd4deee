"""The page where guests chat: it loads their chat, and shows what changes in it for as long as the tab is there."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import config, errors, texts
from leaf.db.actor import Actor, Guest
from leaf.services import chats, guests
from leaf.services import models as model_service
from leaf.state import session
from leaf.state.chat import ChatState, show_chat
from leaf.state.details import DetailsState
from leaf.state.landing import forget_everybody
from leaf.state.live import LiveState
from leaf.state.run_view import RunView
from leaf.state.session import SessionState
from leaf.state.tabs import looking, tab_of

log = logging.getLogger(__name__)

TICK_SECONDS = 15.0
RETRY_SECONDS = 2.0

Events = AsyncGenerator[rx.event.EventSpec]


class GuestState(rx.State):
    """What the guests' page shows beside the chat."""

    hours: int = 24
    """For so long a chat is kept after its last question."""
    questions: int = 0
    """So many may be asked within a day."""
    member: str = ""
    """Who has signed in meanwhile, and may keep this chat; empty where nobody has."""

    @rx.event(background=True)
    async def attend(self) -> Events:
        """Loads the guest's chat and follows what happens in it; whoever is no guest is led away."""
        who = await session.within_time(self)
        guest = session.guest(self)
        if guest is None:
            yield rx.redirect("/dashboard" if who is not None else "/", replace=True)
            return
        if who is not None:
            kept = await self._kept(who.actor, guest)
            if kept:
                yield rx.redirect(kept, replace=True)
                return
        await self._begin(guest, who.name if who is not None else "")
        while True:
            try:
                await Visit(self, guest).run()
            except (errors.NotFound, errors.Unauthenticated):
                # It was kept, in another tab: with the cookies of now the page knows by whom.
                async with self:
                    (await self.get_state(ChatState)).phase = "missing"
                return
            except errors.Unavailable as error:
                async with self:
                    (await self.get_state(SessionState)).missing_service = texts.told(error.message)
                await asyncio.sleep(RETRY_SECONDS)

    async def _kept(self, actor: Actor, guest: Guest) -> str:
        """Where somebody goes who has signed in: to the chat that they have kept; nowhere while they may keep it."""
        try:
            chat = await guests.open(Actor.guest(guest))
            if chat.kept:
                kept = await guests.kept_by(actor, guest)
                return f"/chat/{kept}" if kept is not None else "/dashboard"
        except errors.Unavailable:
            return ""
        return "" if chat.rows else "/dashboard"

    async def _begin(self, guest: Guest, member: str) -> None:
        """Nothing of whoever was here before may stay on the page."""
        settings, chat_id = config.current(), str(guest.chat_id)
        async with self:
            if (await self.get_state(ChatState)).chat_id != chat_id:
                await forget_everybody(self)
            self.hours, self.questions, self.member = settings.guest_hours, settings.guest_questions, member
            (await self.get_state(SessionState)).model = model_service.current().label
            if (await self.get_state(ChatState)).enter(chat_id):
                (await self.get_state(LiveState)).clear()
                (await self.get_state(DetailsState)).clear()


class Visit:
    """What the background event of one tab does, between two failures."""

    def __init__(self, state: GuestState, guest: Guest) -> None:
        self._state: Any = state
        self._tab = tab_of(state)  # held, so that what is known of the tab lasts from look to look
        self._actor, self._chat_id = Actor.guest(guest), guest.chat_id
        self._following: asyncio.Task[None] | None = None
        self._answer: chats.Message | None = None

    async def run(self) -> None:
        """Shows the chat, then every change, without an end.

        Raises:
            errors.NotFound: The chat has become somebody's.
            errors.RedisUnavailable: Redis does not answer.
        """
        try:
            async with aclosing(guests.watch(self._actor, every_seconds=TICK_SECONDS)) as news:
                async for changed in news:
                    if changed:
                        await self._look()
        finally:
            if self._following is not None:
                self._following.cancel()
                await asyncio.gather(self._following, return_exceptions=True)

    async def _look(self) -> None:
        async with looking(self._state) as tab:
            chat = tab.chat = (await guests.open(self._actor)).as_chat(self._chat_id)
            async with self._state:
                (await self._state.get_state(SessionState)).missing_service = ""
                await show_chat(self._state, chat)
        last = chat.messages[-1] if chat.messages else None
        if last is not None and last.unfinished:
            self._follow(last)

    def _follow(self, answer: chats.Message) -> None:
        busy = self._following is not None and not self._following.done()
        if busy and self._answer is not None and self._answer.run_id == answer.run_id:
            return
        # A follower that has come to its end looks, too, and must not cancel itself.
        if self._following is not None and self._following is not asyncio.current_task():
            self._following.cancel()
        self._answer = answer
        self._following = asyncio.create_task(self._show(answer), name=f"follow {answer.run_id}")
        self._following.add_done_callback(_log_failure)

    async def _show(self, answer: chats.Message) -> None:
        """Follows a run to its end, through times in which Redis is away."""
        while True:
            try:
                await RunView(self._state, self._tab, self._actor, answer).show()
                await self._look()
                if not self._goes_on(answer):
                    return
                await asyncio.sleep(RETRY_SECONDS)
            except errors.Unavailable:
                async with self._state:
                    (await self._state.get_state(LiveState)).lost = True
                await asyncio.sleep(RETRY_SECONDS)
            except (errors.NotFound, errors.Unauthenticated):
                return  # The listener finds out by itself what has gone.

    def _goes_on(self, answer: chats.Message) -> bool:
        """Whether the page still waits for this run, although its stream has ended."""
        last = self._tab.chat.messages[-1] if self._tab.chat is not None and self._tab.chat.messages else None
        return last is not None and last.run_id == answer.run_id and last.unfinished


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a run could not be shown", exc_info=error)
