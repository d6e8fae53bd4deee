"""Rounds of conversations with a fault each, and the table of what came of them."""

import random
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from tests.chaos.conversation import Conversation
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.script import Script
from tests.chaos.system import System

TOGETHER = 4
"""Conversations in one round."""


@dataclass
class Trials:
    """The results of one kind of fault."""

    endings: dict[str, int] = field(default_factory=dict[str, int])
    recoveries: list[float] = field(default_factory=list[float])
    """Recovery times in seconds, for answers that the fault interrupted."""
    violations: list[str] = field(default_factory=list[str])

    @property
    def count(self) -> int:
        return sum(self.endings.values())


class Bench:
    """Runs trials and keeps what they showed.

    Args:
        trials: How many conversations in all.
        seed: The seed of the first one; the others follow.
        only: A regular expression; faults whose name it is found in are tried, by default all.
        together: Conversations at the same time.
        queue: The queue of jobs (`system.QUEUES`).
        faults: The faults that there are.
    """

    def __init__(
        self,
        trials: int,
        seed: int,
        only: str = "",
        together: int = TOGETHER,
        *,
        queue: str = "arq",
        faults: Sequence[Fault] = FAULTS,
    ) -> None:
        self._queue = queue
        self._trials, self._seed, self._together = trials, seed, together
        self._faults = [fault for fault in faults if re.search(only, fault.name)]
        self.results: dict[str, Trials] = {fault.name: Trials() for fault in self._faults}

    @property
    def violations(self) -> list[str]:
        return [problem for trials in self.results.values() for problem in trials.violations]

    async def run(self) -> None:
        """Runs all trials against a system of their own."""
        system = System(self._queue)
        try:
            await system.start()
            await self.against(system)
        finally:
            await system.stop()

    async def against(self, system: System) -> None:
        """Runs all trials against a system that has been started; the seeds are those from `seed` on."""
        done = number = 0
        while done < self._trials:
            fault = self._faults[number % len(self._faults)]
            count = min(self._together, self._trials - done)
            await self._round(system, fault, self._seed + done, count)
            done, number = done + count, number + 1

    async def _round(self, system: System, fault: Fault, seed: int, count: int) -> None:
        drawn = random.Random(seed)
        if fault.prepare is not None:
            await fault.prepare(system)
        begun = time.monotonic()
        conversations = [
            Conversation(system, Script(seed + place, fault.options(random.Random(seed + place))), drawn)
            for place in range(count)
        ]
        for conversation in conversations:
            await conversation.begin()
        await fault.strike(system, conversations, drawn)
        for conversation in conversations:
            await conversation.end()
        await system.whole()
        results = self.results[fault.name]
        for conversation in conversations:
            await conversation.check(fault.endings, anew=fault.anew, repeats=fault.repeats)
            results.endings[conversation.status] = results.endings.get(conversation.status, 0) + 1
            if conversation.recovery_seconds is not None:
                results.recoveries.append(conversation.recovery_seconds)
            results.violations += [f"{fault.name}, {conversation}: {problem}" for problem in conversation.problems]
        left = await system.settled()
        results.violations += [f"{fault.name}, after seed {seed}: {problem}" for problem in left]
        _say(f"seed {seed}: {fault.name}: {time.monotonic() - begun:.1f} s" + _told(conversations, left))

    def report(self) -> str:
        """The table, in Markdown."""
        lines = [
            "| fault | trials | struck | outcome | wait after it: median | 95th percentile | longest | violations |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for name, trials in self.results.items():
            if not trials.count:
                continue
            endings = ", ".join(f"{status} {count}" for status, count in sorted(trials.endings.items()))
            waits = trials.recoveries
            middle = f"{median(waits):.2f} s" if waits else "–"
            late = f"{quantiles(waits, n=20)[-1]:.2f} s" if len(waits) > 1 else middle
            longest = f"{max(waits):.2f} s" if waits else "–"
            counts = f"{trials.count} | {len(waits)}"
            lines.append(
                f"| {name} | {counts} | {endings} | {middle} | {late} | {longest} | {len(trials.violations)} |"
            )
        return "\n".join(lines)


def _told(conversations: list[Conversation], left: list[str]) -> str:
    problems = [f"\n    {one}: {problem}" for one in conversations for problem in one.problems]
    return "".join([*problems, *(f"\n    left behind: {problem}" for problem in left)])


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
