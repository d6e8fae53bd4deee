"""The growing answer in one tab. `leaf.state.run_feed` follows the run and makes the frames."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import errors
from leaf.citations import hosts
from leaf.db.session import Actor
from leaf.services import chats, passages
from leaf.state import run_feed
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.internal import set_changed
from leaf.state.live import LiveState
from leaf.state.tabs import Tab
from leaf.streams import Reader, Untaken
from leaf.streams.outages import Outage
from leaf.views import rows
from leaf.views.frames import Frame

log = logging.getLogger(__name__)

PATIENT_AFTER_SECONDS = 6.0


class LiveRun:
    """The run that a tab follows in the background, which is the run of its chat's last answer."""

    def __init__(self, state: rx.State, tab: Tab, look: Callable[[], Awaitable[None]]) -> None:
        """Args:
        state: A state of the tab.
        tab: The tab.
        look: Shows the stored chat; called when a run has ended.
        """
        self._state: Any = state
        self._tab, self._look = tab, look
        self._run_id: object = None
        self._task: asyncio.Task[None] | None = None

    def follow_last_answer(self, actor: Actor, reader: Reader, messages: Sequence[chats.Message]) -> None:
        """Follows the run of a chat's last answer, and stops following a run that the chat no longer shows."""
        last = messages[-1] if messages else None
        if last is not None and last.unfinished:
            self._start(actor, reader, last)
        elif self._task is not None and (last is None or last.run_id != self._run_id):
            self._run_id = None
            self._cancel()

    async def leave(self) -> None:
        """Stops following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _start(self, actor: Actor, reader: Reader, answer: chats.Message) -> None:
        busy = self._task is not None and not self._task.done()
        if answer.run_id is None or (busy and self._run_id == answer.run_id):
            return
        self._cancel()
        self._run_id = answer.run_id
        self._task = asyncio.create_task(self._follow(actor, reader, answer), name=f"follow {answer.run_id}")
        self._task.add_done_callback(_log_failure)

    def _cancel(self) -> None:
        # The follower itself calls `look` at its end, and so comes here. It must not cancel itself.
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    async def _follow(self, actor: Actor, reader: Reader, answer: chats.Message) -> None:
        """Follows a run to its end, then shows the stored answer."""
        try:
            await RunView(self._state, self._tab, actor, reader, answer).show()
        except (errors.NotFound, errors.Unauthenticated):
            return None  # The tab's attendance shows the failure.
        outage = Outage()
        while True:
            try:
                return await self._look()
            except (errors.NotFound, errors.Unauthenticated):
                return None
            except errors.Unavailable:
                async with self._state:
                    (await self._state.get_state(LiveState)).lost = True
                await asyncio.sleep(outage.pause())


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a run could not be shown", exc_info=error)


class RunView:
    """Shows a growing answer in one tab."""

    def __init__(self, state: rx.State, tab: Tab, actor: Actor, reader: Reader, answer: chats.Message) -> None:
        self._state: Any = state
        self._tab = tab
        self._actor = actor
        self._reads = tab.reads
        self._reader = reader
        self._answer = answer
        self._painted: Frame | None = None
        self._lost = False
        self._began = time.monotonic()

    async def show(self) -> None:
        """Follows the run to its end.

        Raises:
            errors.NotFound: The reader may not, or may no longer, read this run.
            errors.Unauthenticated: The reader's session has ended.
        """
        patience = asyncio.create_task(self._ask_for_patience())
        try:
            async with aclosing(run_feed.shown(self._reader, self._answer.run_id)) as frames:
                async for frame in frames:
                    if frame is None:
                        await self._show_loss()
                    elif isinstance(frame, Untaken):
                        async with self._state:
                            (await self._state.get_state(LiveState)).untaken = frame.waits
                    else:
                        await self._paint(frame)
        finally:
            patience.cancel()
            await asyncio.gather(patience, return_exceptions=True)

    async def _ask_for_patience(self) -> None:
        await asyncio.sleep(PATIENT_AFTER_SECONDS)
        async with self._state:
            (await self._state.get_state(LiveState)).patient = True

    async def _show_loss(self) -> None:
        self._lost = True
        async with self._state:
            (await self._state.get_state(LiveState)).lost = True

    async def _paint(self, frame: Frame) -> None:
        """Sets the vars of the page, unless the frame looks like the last one."""
        before, self._painted = self._painted, frame
        looks_same = before is not None and frame.looks_like(before) and self._reads == self._tab.reads
        if looks_same and not self._lost:
            return
        self._reads, self._lost = self._tab.reads, False
        known = before.tools if before else {}
        unfolded = rows.unfolded_of(frame.items)
        changed = [part for call, part in frame.tools.items() if known.get(call) != part or call in unfolded]
        patient = time.monotonic() - self._began > PATIENT_AFTER_SECONDS
        (confirmed,) = await passages.shown(self._actor, [changed])
        async with self._state:
            live = await self._state.get_state(LiveState)
            if live.run_id != str(self._answer.run_id) or not live.running:
                return
            live.follow(frame, patient=patient)
            if found := hosts.found(changed):
                chat = await self._state.get_state(ChatState)
                set_changed(chat, hosts=chat.hosts | found)
            if changed:
                (await self._state.get_state(DetailsState)).refresh(confirmed, unfolded)
