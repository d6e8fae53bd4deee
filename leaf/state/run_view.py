"""One tab's view of a run: it follows the run, and shows how its answer grows."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf.db.session import Actor
from leaf.services import chats
from leaf.state import feed, rows
from leaf.state.details import DetailsState
from leaf.state.frames import Frame
from leaf.state.live import LiveState
from leaf.state.tabs import Tab

PATIENT_AFTER_SECONDS = 6.0


class RunView:
    """Shows one tab how a run grows."""

    def __init__(self, state: rx.State, tab: Tab, actor: Actor, answer: chats.Message) -> None:
        self._state: Any = state
        self._tab = tab
        self._looks = tab.looks
        self._actor = actor
        self._answer = answer
        self._painted: Frame | None = None
        self._written: Frame | None = None
        self._began = time.monotonic()

    async def show(self) -> None:
        """Follows the run to its end; the page then shows what is stored."""
        waiting = asyncio.create_task(self._tell_to_be_patient())
        try:
            async with feed.joined(self._actor, self._answer) as following, aclosing(following.frames()) as frames:
                async for frame in frames:
                    # The text first: an answer that goes on after it had waited must not be empty in between.
                    self._written = await feed.write(following, self._written)
                    await self._paint(frame)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _tell_to_be_patient(self) -> None:
        await asyncio.sleep(PATIENT_AFTER_SECONDS)
        async with self._state:
            (await self._state.get_state(LiveState)).patient = True

    async def _paint(self, frame: Frame) -> None:
        """Sets what Reflex draws, where it differs from what was drawn last."""
        before, self._painted = self._painted, frame
        if before is not None and frame.looks_like(before) and self._looks == self._tab.looks:
            return
        self._looks = self._tab.looks
        known = before.tools if before else {}
        unfolded = rows.unfolded_of(frame.items)
        changed = [part for call, part in frame.tools.items() if known.get(call) != part or call in unfolded]
        patient = time.monotonic() - self._began > PATIENT_AFTER_SECONDS
        async with self._state:
            live = await self._state.get_state(LiveState)
            if live.run_id != str(self._answer.run_id) or not live.running:
                return
            live.follow(frame, patient=patient)
            if changed:
                (await self._state.get_state(DetailsState)).refresh(changed, unfolded)
