"""A generated Drive (`sandbox.generate`) for the evaluation: its files, its questions, and the search alone."""

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import mean

import psutil

from jobs.library.vectors import of_queries
from leaf.db import Actor
from leaf.services.library import progress, search
from leaf.services.library.scope import Scope
from sandbox.generate import folder as generator
from tests.eval.cases import Case, id_of
from tests.eval.system import System

FEW, MANY = 5, 20
LOOK_SECONDS = 0.5
SHOWN_SECONDS = 30
"""The pause between two lines about the progress of an index."""
CATEGORIES = (
    "single fact", "several files", "table", "paraphrase", "cross-language", "constraint", "conflict", "absence",
    "follow-up", "misfiled",
)  # fmt: skip


@dataclass(frozen=True)
class Generated:
    """A Drive on the disk."""

    folder: Path
    cases: Sequence[Case]

    @property
    def paths(self) -> dict[str, str]:
        """The path of each file by its id."""
        return {id_of(path): path for path in readers(self.folder)}


@dataclass(frozen=True)
class Searched:
    """The files that one search has found."""

    case: Case
    found: Sequence[str]
    """Paths, the best first, by the words of the question alone."""
    reworded: Sequence[str]
    """The same, searched with further wordings as well."""
    seconds: float

    def recall(self, most: int, *, reworded: bool = False) -> float:
        """The share of the files of a question that are among the first ones."""
        found = (self.reworded if reworded else self.found)[:most]
        return sum(path in found for path in self.case.sources) / len(self.case.sources)


@dataclass(frozen=True)
class Indexed:
    """The time and the room that the index of a Drive has taken."""

    files: int
    read: int
    skipped: int
    passages: int
    listed_seconds: float
    """From Connect until all names were known."""
    read_seconds: float
    """From Connect until all texts were searched."""
    whole_seconds: float
    """From Connect until nothing was left to do, such as vectors."""
    disk_bytes: int
    worker_bytes: int
    """The most memory that the worker, and with it its children, had."""


def write(folder: Path, files: int, seed: int) -> Generated:
    """Writes a Drive, and reads its questions."""
    generator.write(folder, files, seed)
    return Generated(folder, load(folder))


def load(folder: Path) -> list[Case]:
    """The questions about a Drive."""
    kept = json.loads((folder / ".leaf" / "questions.json").read_text("utf-8"))
    return [Case.model_validate(one) for one in kept["questions"]]


def readers(folder: Path) -> dict[str, list[str]]:
    """The accounts that see each file, by its path."""
    known = json.loads((folder / ".leaf" / "drive.json").read_text("utf-8"))["files"]
    return {path: about["readers"] for path, about in known.items()}


async def indexed(system: System, actor: Actor, begun: float) -> Indexed:
    """Waits until the index of a member's Drive is complete.

    Args:
        system: The services, whose worker keeps the index.
        actor: The member.
        begun: The moment of Connect (`time.monotonic`).
    """
    listed: float | None = None
    read: float | None = None
    memory, shown = 0, begun
    while True:
        state = await progress.of(actor)
        if listed is None and state.listed:
            listed = time.monotonic() - begun
        memory = max(memory, await asyncio.to_thread(_memory, system))
        if read is None and state.complete:
            read = time.monotonic() - begun
        # Where the index makes vectors as well, it counts the files that have them.
        if read is not None and state.data().get("vectors", state.read) >= state.read:
            break
        if time.monotonic() - shown > SHOWN_SECONDS:
            shown = time.monotonic()
            sys.stderr.write(f"{state.read + state.skipped:,} of {state.files:,} files after {shown - begun:.0f} s\n")
        await asyncio.sleep(LOOK_SECONDS)
    whole = time.monotonic() - begun
    ((passages, size),) = system.stack.execute(
        "SELECT (SELECT count(*) FROM drive_chunks), sum(pg_total_relation_size(oid))::bigint FROM pg_class "
        "WHERE relkind = 'r' AND starts_with(relname, 'drive_')"
    )
    return Indexed(state.files, state.read, state.skipped, passages, listed or whole, read, whole, size, memory)


def _memory(system: System) -> int:
    return sum(_resident(worker.process) for worker in system.workers)


def _resident(process: psutil.Process) -> int:
    try:
        # Pages that processes share count once.
        return sum(one.memory_full_info().pss for one in (process, *process.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0


async def searched(actor: Actor, known: Mapping[str, str], cases: Sequence[Case]) -> list[Searched]:
    """Searches for each question that has files, without a model."""
    return [await _searched(actor, known, case) for case in cases if case.sources]


async def _searched(actor: Actor, known: Mapping[str, str], case: Case) -> Searched:
    scope = Scope(since=date.fromisoformat(case.since)) if case.since else Scope()
    begun = time.monotonic()
    found = await search.search(actor, case.asks, scope, most=MANY, embedded=await of_queries(case.asks))
    seconds = time.monotonic() - begun
    again = found
    if case.wordings:
        wordings = [*case.asks, *case.wordings]
        again = await search.search(actor, wordings, scope, most=MANY, embedded=await of_queries(wordings))
    return Searched(case, *([known.get(one.file_id, "") for one in files] for files in (found, again)), seconds)


def table(results: Sequence[Searched]) -> str:
    """Recall by category as a Markdown table."""
    lines = [
        "| Category | Questions | Recall@5 | Recall@20 | Recall@5, reworded | Recall@20, reworded |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name in (*CATEGORIES, "**all**"):
        of = [one for one in results if name in {one.case.category, "**all**"}]
        if of:
            lines.append(f"| {name} | {len(of)} | {_recalls(of)} |")
    times = sorted(one.seconds for one in results)
    late = times[int(len(times) * 0.95)] * 1000 if times else 0
    spent = f"A search took {mean(times) * 1000:.0f} ms on average, {late:.0f} ms at the 95th percentile."
    return "\n".join([*lines, "", spent])


def by_format(results: Sequence[Searched]) -> str:
    """Recall by the format of the file that holds the answer, over the questions with one file."""
    lines = ["| Format | Questions | Recall@5 | Recall@20 |", "|---|--:|--:|--:|"]
    single = [one for one in results if len(one.case.sources) == 1]
    for name in sorted({one.case.format for one in single}):
        of = [one for one in single if one.case.format == name]
        lines.append(f"| {name} | {len(of)} | {' | '.join(_recalls(of).split(' | ')[:2])} |")
    return "\n".join(lines)


def recalls(results: Sequence[Searched]) -> dict[str, tuple[float, float]]:
    """Recall@5 and recall@20 by the question's own words, of each category and of all."""
    of: dict[str, list[Searched]] = {}
    for one in results:
        for name in (one.case.category, "all"):
            of.setdefault(name, []).append(one)
    return {name: (mean(x.recall(FEW) for x in ones), mean(x.recall(MANY) for x in ones)) for name, ones in of.items()}


def index_table(state: Indexed) -> str:
    """The figures of the index as a Markdown table."""
    rows = {
        "files / read / could not be read": f"{state.files:,} / {state.read:,} / {state.skipped:,}",
        "passages": f"{state.passages:,}",
        "all names known after Connect": f"{state.listed_seconds:.1f} s",
        "all texts searchable after Connect": f"{state.read_seconds:.0f} s",
        "index complete after Connect": f"{state.whole_seconds:.0f} s",
        "disk": f"{state.disk_bytes / 1e6:.0f} MB",
        "memory of the worker and its children, at most": f"{state.worker_bytes / 1e6:.0f} MB",
    }
    return "\n".join(["| Index | |", "|---|--:|", *(f"| {name} | {value} |" for name, value in rows.items())])


def _recalls(of: Sequence[Searched]) -> str:
    shares = [mean(one.recall(most, reworded=again) for one in of) for again in (False, True) for most in (FEW, MANY)]
    return " | ".join(f"{share:.2f}".removeprefix("0") for share in shares)
