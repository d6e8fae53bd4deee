"""The trials of the index bench: a Drive, faults and changes while it is read, and the comparison at the end."""

import asyncio
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from leaf.services.library import file_texts, progress
from tests.chaos.index.drive import Drive
from tests.chaos.index.faults import FAULTS, Fault
from tests.chaos.index.system import System

WINDOW_SECONDS = 4.0
"""Faults and changes strike within this time after Connect; an undisturbed Drive is read in about as long."""
BOUND_SECONDS = 60.0
"""The index equals the Drive at the latest so long after the last fault; waits after failures are passed over."""
_INDEX = """
    SELECT s.file_id, s.name, s.kind, s.can_download, t.state, t.reason ->> 'text',
        (SELECT string_agg(c.text, ' ') FROM drive_chunks c WHERE c.text_id = t.id), s.parent_id
    FROM drive_sight s LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    WHERE s.user_id = %s
"""


@dataclass
class Trials:
    """The results of the trials in which one kind of fault has struck."""

    count: int = 0
    waits: list[float] = field(default_factory=list[float])
    violations: int = 0


class Bench:
    """Runs trials and keeps what they showed.

    Args:
        trials: The number of trials.
        seed: The seed of the first one; the others follow.
    """

    def __init__(self, trials: int, seed: int) -> None:
        self._trials, self._seed = trials, seed
        self.results = {fault.name: Trials() for fault in FAULTS}
        self.violations: list[str] = []
        self.done = 0
        self.totals = Counter[str]()

    async def run(self) -> None:
        """Runs all trials."""
        system = System()
        try:
            await system.start()
            for seed in range(self._seed, self._seed + self._trials):
                await self._trial(system, seed)
                self.done += 1
        finally:
            await system.stop()

    async def _trial(self, system: System, seed: int) -> None:
        drawn = random.Random(seed)
        begun = time.monotonic()
        await system.empty()
        drive = Drive(system.http, seed)
        await drive.plant()
        faults = [FAULTS[seed % len(FAULTS)], *drawn.choices(FAULTS, k=drawn.randint(0, 2))]
        planted = time.monotonic() - begun
        await system.connect()
        changes = [_changed(drive, drawn.uniform(0, WINDOW_SECONDS)) for _ in range(drawn.randint(3, 8))]
        await asyncio.gather(*(_struck(system, fault, drawn) for fault in faults), *changes)
        await system.whole()
        healed = time.monotonic()
        problems = await _settled(system, drive)
        wait = time.monotonic() - healed
        problems += await self._count(system, drive, len(faults))
        for fault in {fault.name: fault for fault in faults}.values():
            result = self.results[fault.name]
            result.count += 1
            result.waits.append(wait)
            result.violations += len(problems)
        names = " + ".join(fault.name for fault in faults)
        self.violations += [f"seed {seed} ({names}): {problem}" for problem in problems]
        _say(
            f"seed {seed}: {names}: {time.monotonic() - begun:.1f} s ({planted:.1f} s, {wait:.1f} s)"
            + "".join(f"\n    {one}" for one in problems)
        )

    async def _count(self, system: System, drive: Drive, faults: int) -> list[str]:
        """Files that were stored twice, and the totals of what was read."""
        problems: list[str] = []
        for file_id, revision, times in system.stack.execute(
            "SELECT file_id, revision, count(*) FROM chaos_reads GROUP BY 1, 2"
        ):
            file = drive.files.get(file_id)
            if times > 1 + (file.hidden if file is not None else 0):
                problems.append(f"{file_id} was stored {times} times in revision {revision[:12]}")
        await file_texts.forget()
        left = system.stack.execute(
            "SELECT t.file_id FROM drive_texts t WHERE NOT EXISTS "
            "(SELECT FROM drive_sight s WHERE s.file_id = t.file_id AND s.revision = t.revision)"
        )
        problems += [f"the text of {row[0]} is kept, and nobody sees it" for row in left]
        downloads = Counter(
            one["path"].split("/")[4] for one in system.stack.sandbox.requests("/drive/v3/files/")
            if one["status"] == 200 and ("alt=media" in one["query"] or "/export" in one["path"])
        )  # fmt: skip
        needed = {one.id: one.editions + one.hidden for one in drive.files.values()}
        again = sum(max(0, count - needed.get(file, 1)) for file, count in downloads.items())
        self.totals.update(files=len(drive.readable()), changes=drive.edits, downloads=downloads.total(), again=again)
        # A worker reads one file at a time, so a fault costs one download at most for each attempt that it breaks.
        if again > faults * 8:
            problems.append(f"{again} downloads more than the faults explain")
        return problems

    def report(self) -> str:
        """The table, in Markdown."""
        lines = [
            "| fault | trials | index whole after: median | 95th percentile | violations |",
            "|---|---|---|---|---|",
        ]
        for name, one in self.results.items():
            if one.count:
                late = quantiles(one.waits, n=20)[-1] if len(one.waits) > 1 else one.waits[0]
                lines.append(f"| {name} | {one.count} | {median(one.waits):.1f} s | {late:.1f} s | {one.violations} |")
        counted = ", ".join(f"{count:,} {name}" for name, count in self.totals.items())
        return "\n".join([*lines, "", counted])


async def _struck(system: System, fault: Fault, drawn: random.Random) -> None:
    await asyncio.sleep(drawn.uniform(0, WINDOW_SECONDS))
    await fault.strike(system, drawn)


async def _changed(drive: Drive, after: float) -> None:
    await asyncio.sleep(after)
    await drive.change()


async def _settled(system: System, drive: Drive) -> list[str]:
    """The differences between index and Drive that remain after `BOUND_SECONDS`."""
    deadline = time.monotonic() + BOUND_SECONDS
    while True:
        system.pass_time()
        problems = await _differences(system, drive)
        if not problems or time.monotonic() > deadline:
            return problems
        await asyncio.sleep(0.3)


async def _differences(system: System, drive: Drive) -> list[str]:
    rows: dict[str, Any] = {row[0]: row for row in system.stack.execute(_INDEX, system.ada.member_id)}
    truth, readable = drive.visible(), drive.readable()
    shown = {one["id"] for one in await system.listed()}
    problems = [f"the sandbox shows {one} otherwise than the bench thinks" for one in shown ^ truth.keys()]
    problems += [f"lost: {truth[one].name} ({one})" for one in truth.keys() - rows.keys()]
    problems += [f"stale: {rows[one][1]} is gone" for one in rows.keys() - truth.keys()]
    for one in truth.keys() & rows.keys():
        _, name, kind, can_download, state, reason, text, parent = rows[one]
        file = truth[one]
        if name != file.name:
            problems.append(f"stale: {name} is now {file.name}")
        if file.parent and file.parent in truth and parent != file.parent:
            problems.append(f"stale: {name} lies elsewhere")
        if file.is_folder:
            continue
        if can_download != file.can_download:
            problems.append(f"stale: {name} can be downloaded: {file.can_download}")
        if one in readable and (state != "read" or file.mark not in (text or "")):
            problems.append(f"not searchable: {name} ({kind}) is {state}: {reason}")
    known = [one for one in truth.values() if not one.is_folder]
    state = await progress.of(system.ada)
    found = (state.files, state.read, state.skipped, state.listed, state.complete, state.error)
    wanted = (len(known), len(readable), len(known) - len(readable), True, True, None)
    if found != wanted:
        problems.append(f"the receipt counts {found} instead of {wanted}")
    return problems


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
