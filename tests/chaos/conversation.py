"""One question with its two readers, and what must be true of it in the end."""

import asyncio
import json
import random
import time
from contextlib import suppress
from typing import Any
from uuid import UUID

from leaf import errors, parts, streams
from leaf.services import chats, conversations
from tests.chaos.readers import Reader
from tests.chaos.script import Script
from tests.chaos.system import System

BOUND_SECONDS = 30.0
"""An answer ends at the latest so long after the fault, besides its own length; no reader waits longer for a piece."""
STOP_SECONDS = 2.0
"""A stop ends the provider's stream within this time."""
_LOST_SECONDS = 90.0


class Conversation:
    """One answer from its question to its checks."""

    def __init__(self, system: System, script: Script, drawn: random.Random) -> None:
        self.script = script
        self._system, self._drawn = system, drawn
        self.readers: list[Reader] = []
        self._reading: list[asyncio.Task[None]] = []
        self.struck_at = 0.0
        self.run_id = UUID(int=0)
        self.status = ""
        self.problems: list[str] = []

    def __str__(self) -> str:
        return f"seed {self.script.seed}"

    async def begin(self) -> None:
        """Asks, and has two readers read the answer: one that hangs up half-way and goes on elsewhere, and one more."""
        if self.script.options.get("tool") == "hang":
            wait = self.script.steps()[0].calls[1]
            (self._system.notes / f"{wait.arguments['mark']}.hang").touch()
        self.run_id = await self._system.ask(self.script.question)
        first = self._drawn.randint(0, 1)
        self.readers = [Reader(self._system, self.run_id, web) for web in (first, 1 - first)]
        self.readers[1].cut_at = {self._drawn.randint(1, 80)}
        self._reading = [asyncio.create_task(reader.read()) for reader in self.readers]

    def strike(self) -> None:
        """Notes that the fault strikes now, unless it comes too late."""
        if not self.over:
            self.struck_at = time.time()

    @property
    def over(self) -> bool:
        return any(reader.finished_at for reader in self.readers)

    @property
    def thinking(self) -> bool:
        """The model was asked and has not said anything."""
        return bool(self.readers[0].index) and not self.readers[0].parts[1:]

    @property
    def in_tool(self) -> bool:
        return self.readers[0].in_tool()

    @property
    def streaming(self) -> bool:
        return self.readers[0].words > 60

    @property
    def progress(self) -> float:
        """How much of the answer one of the readers has, from 0 to 1."""
        return self.readers[0].words / len(self.script.text().split())

    @property
    def nearly_done(self) -> bool:
        return self.readers[0].words >= len(self.script.text().split()) - 1

    @property
    def recovery_seconds(self) -> float | None:
        """The longest wait of a reader for a chunk after the fault; None where the fault came too late to matter."""
        if not self.struck_at:
            return None
        times = self.readers[0].times
        later = [at for at in times if at > self.struck_at]
        if not later:
            return None
        return max(late - early for early, late in zip([self.struck_at, *later], later, strict=False))

    async def end(self) -> None:
        """Waits for the end, and checks everything."""
        try:
            async with asyncio.timeout(_LOST_SECONDS):
                await asyncio.gather(*self._reading)
        except TimeoutError:
            self.problems.append(f"a reader saw no end within {_LOST_SECONDS:g} s")
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)

    async def check(self, endings: frozenset[str], *, anew: bool, repeats: bool) -> None:
        """Collects what is not as it must be."""
        message = await self._stored()
        self.status = message.status
        if message.status not in endings:
            self.problems.append(f"ended {message.status} ({message.error_text})")
        self._check_text(message)
        await self._check_readers(message)
        self._check_notes(message, anew=anew, repeats=repeats)
        await self._check_stop(message)
        # A reader may have been away by its own choice; the answer ended when the first one saw its end.
        ended = min((reader.finished_at for reader in self.readers if reader.finished_at), default=0.0)
        if self.struck_at and ended - self.struck_at > BOUND_SECONDS + self.script.seconds:
            self.problems.append(f"ended {ended - self.struck_at:.1f} s after the fault")
        if (waited := self.recovery_seconds or 0.0) > BOUND_SECONDS:
            self.problems.append(f"a reader waited for {waited:.1f} s")

    async def _stored(self) -> chats.Message:
        for _ in range(100):
            with suppress(errors.Unavailable):
                return await conversations.result(self._system.asker, self.run_id)
            await asyncio.sleep(0.2)
        return await conversations.result(self._system.asker, self.run_id)

    def _check_text(self, message: chats.Message) -> None:
        text = "".join(part["text"] for part in message.parts if part["type"] == "text")
        whole = self.script.text()
        if message.status == "completed" and text != whole:
            self.problems.append(f"the text differs: {_difference(text, whole)}")
        if message.status != "completed" and not whole.startswith(text):
            self.problems.append(f"the text is no beginning of the whole: {_difference(text, whole)}")

    async def _check_readers(self, message: chats.Message) -> None:
        for number, reader in enumerate(self.readers):
            self.problems += [f"reader {number}: {problem}" for problem in reader.problems]
            if not reader.stored and reader.parts != message.parts:
                self.problems.append(f"reader {number} has other parts: {_difference(reader.parts, message.parts)}")
        replayed = await streams.read(self.run_id)
        if replayed and parts.fold(replayed)["parts"] != message.parts:
            self.problems.append("messages.parts is not the fold of the stream")

    def _check_notes(self, message: chats.Message, *, anew: bool, repeats: bool) -> None:
        notes, wanted = self._system.notes_of(str(self.run_id)), sorted(self.script.notes())
        if message.status == "completed" and (set(notes) != set(wanted) if anew else notes != wanted):
            self.problems.append(f"notes were kept {len(notes)} times: {notes}")
        if not anew and len(set(notes)) != len(notes):
            self.problems.append(f"a note was kept twice: {notes}")
        twice = {call: count for call, count in self._system.executions_of(str(self.run_id)).items() if count > 1}
        if twice and not repeats:
            self.problems.append(f"tool calls were executed again: {twice}")

    async def _check_stop(self, message: chats.Message) -> None:
        if message.status != "stopped":
            return
        for request in await self._system.model_log(self.script.key):
            late = request.get("ended_at", time.time()) - self.struck_at
            if request["at"] > self.struck_at + STOP_SECONDS:
                self.problems.append("the provider was asked again after the stop")
            elif late > STOP_SECONDS:
                self.problems.append(f"the provider's stream ended {late:.1f} s after the stop")


def _difference(found: Any, wanted: Any) -> str:
    """Where two texts or values first differ."""
    one, other = (value if isinstance(value, str) else json.dumps(value) for value in (found, wanted))
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    here = slice(max(0, place - 40), place + 40)
    return f"at {place} of {len(one)}/{len(other)}: {one[here]!r} instead of {other[here]!r}"
