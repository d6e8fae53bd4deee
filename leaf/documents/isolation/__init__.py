"""Child processes that parse files and compute over tables, so that a slow or harmful file or statement affects nothing
else.

A thread is not enough. Regular expressions and C libraries may hold the interpreter lock without limit and stop every
answer of the worker. A process can be killed. Each process reads one file at a time, so only the harmful file fails.
The files of one person never occupy all processes.

Files are sent through pipes, so nothing remains on disk after a kill. Results are JSON, which cannot harm the reader.
The processes do not inherit Leaf's environment, so they have no keys (`child`).
"""

import asyncio
import base64
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import orjson

from leaf import BACKGROUND_NICE, texts
from leaf.comparison import Edition
from leaf.documents import Extract, Kind, NoText, Parsed, Segment, Unreadable, scans
from leaf.documents.isolation import wire
from leaf.documents.model import Line
from leaf.documents.tables import Cell, Refused, Source, TooMuch
from leaf.parts import request_body

PROCESSES = 4
PROCESSES_EACH = 2
"""The maximum number of processes that read files of one person at the same time."""
SECONDS = 90.0
"""The time limit in seconds for a file, from the start of its parsing. If nobody waits for it, the limit is
`PATIENT_SECONDS`.
"""
PICTURE_SECONDS = scans.SECONDS
"""The limit in seconds of CPU time for the pictures of a file. On a busy machine, it takes longer."""
PATIENT_SECONDS = 280.0
PATIENT_PICTURE_SECONDS = 150.0
COMPUTE_SECONDS = 20.0
"""The time limit for a comparison, or for recognising tables and running one statement. The statement alone has 2 s
(`leaf.documents.tables.engine`).
"""
START_SECONDS = 60.0
"""The time limit for starting a process, enough for a busy machine."""
IDLE_SECONDS = 60.0
"""The time after which an idle process ends. It keeps up to 200 MB for the libraries of pictures and tables, and a new
process takes less than a second of CPU.
"""
_MEMORY = {
    "MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": str(4 * 1024**2), "MALLOC_TRIM_THRESHOLD_": str(32 * 1024**2),
}  # fmt: skip
"""Environment variables that make glibc return the large blocks of a picture's layers one by one. Otherwise, the heap
gets fragmented and the memory is not returned.
"""
_ROOT = Path(__file__).parents[3]

_Result = TypeVar("_Result")


async def parse(data: bytes, kind: Kind, *, owner: Hashable = None, patient: bool = False) -> Parsed:
    """Parses a file (`documents.parse`).

    Args:
        data: The file.
        kind: The kind of the file.
        owner: The owner of the file. At most `PROCESSES_EACH` files of an owner are read at the same time.
        patient: Whether nobody waits for the result, so that there is time for more pictures.

    Raises:
        documents.Unreadable: The file has no readable text, took too long, or ended the process.
    """
    seconds = (PATIENT_SECONDS, PATIENT_PICTURE_SECONDS) if patient else (SECONDS, PICTURE_SECONDS)
    request = {"kind": kind, "picture_seconds": seconds[1]}
    try:
        answer = await _answer(request, data, owner, seconds[0])
    except _Ended:
        if kind != "mail":
            raise
        # An attachment may be the reason. The e-mail itself can be read without it.
        answer = await _answer({**request, "most_attachments": 0}, data, owner, seconds[0])
    segments = [Segment.from_body(one) for one in answer["segments"]]
    return Parsed(segments, answer["notes"], answer["truncated"])


async def extract(data: bytes, name: str, editable_bytes: int, *, owner: Hashable = None) -> Extract:
    """Returns the kind and the text of an upload (`documents.extract`).

    Args:
        data: The complete file.
        name: The name of the file.
        editable_bytes: The maximum size of a text that can be edited.
        owner: The owner of the upload.

    Raises:
        documents.Unreadable: As for `documents.extract`, or the file took too long or ended the process.
    """
    answer = await _answer({"name": name, "editable_bytes": editable_bytes}, data, owner)
    places = [(line, part) for line, part in answer["places"]]
    return Extract(answer["kind"], answer["text"], places, answer["notes"], answer["read_only"])


async def picture(data: bytes, kind: Kind, part: str, lines: Sequence[Line], *, owner: Hashable = None) -> bytes:
    """The picture of a part of a file as JPEG, with marked lines (`documents.pictures`).

    Args:
        data: The file.
        kind: The kind of the file.
        part: `page 3` or `picture 1`.
        lines: The lines to mark.
        owner: The owner of the file.

    Raises:
        documents.Unreadable: The file has no such picture, took too long, or ended the process.
    """
    request = {"kind": kind, "part": part, "lines": [line.body() for line in lines]}
    return base64.b64decode((await _answer(request, data, owner))["picture"])


async def quoted(data: bytes, kind: Kind, part: str, quote: str, *, owner: Hashable = None) -> bytes:
    """The picture of a part of a file as JPEG, with a marked quote, for quotes with unknown lines
    (`documents.pictures.quoted`).

    Raises:
        documents.Unreadable: As for `picture`, or the picture has no text.
    """
    request = {"kind": kind, "part": part, "quote": quote}
    return base64.b64decode((await _answer(request, data, owner))["picture"])


async def tables(data: bytes, *, owner: Hashable = None) -> tuple[list[Segment], list[str]]:
    """The tables of a PDF (`documents.pdf_tables.read`).

    Raises:
        documents.Unreadable: As for `pdf_tables.read`, or the file took too long or ended the process.
    """
    answer = await _answer({"tables": True}, data, owner, COMPUTE_SECONDS)
    return [Segment.from_body(one) for one in answer["segments"]], answer["notes"]


async def computed(
    sources: Sequence[Source], query: str, *, units: Mapping[str, str] | None = None, cells: Sequence[Cell] = (),
    owner: Hashable = None, view: bool = False, name: str | None = None, taken: Collection[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The result of a SELECT over the tables of files (`tables.engine.compute`).

    Args:
        sources: The files.
        query: The statement; empty to describe the tables.
        units: As in `tables.engine.compute`.
        cells: As in `tables.engine.compute`.
        owner: The person who asks.
        view: Whether the result includes a view of the used cells.
        name: The name of the new result as a `cell`, so that later statements can read it.
        taken: The names of earlier results; None for a result that is computed again and already has a name.

    Raises:
        tables.Refused: The statement is not allowed or fails.
        tables.TooMuch: It takes too long or needs too much memory.
    """
    naming = {} if taken is None else {"name": name, "taken": [*taken]}
    request = {"query": query, "view": view, "units": dict(units or {}), "cells": [one.data() for one in cells]}
    return await _over_tables(sources, {**request, **naming}, owner)


async def compared(editions: Sequence[Edition], on: str, *, owner: Hashable = None) -> dict[str, Any]:
    """The differences of files or of versions of a file (`comparison.compare`).

    Args:
        editions: The files or versions.
        on: The subject of the differences; empty for any subject.
        owner: The person who asks.

    Raises:
        documents.Unreadable: The comparison took too long.
    """
    data = await asyncio.to_thread(lambda: orjson.dumps([one.body() for one in editions]))
    return await _answer({"compare": True, "on": on}, data, owner, COMPUTE_SECONDS)


async def exported(sources: Sequence[Source], cells: Sequence[Cell], *, owner: Hashable = None) -> dict[str, Any]:
    """Computations and their tables in a form that runs outside of Leaf (`tables.engine.exported`).

    Args:
        sources: The files.
        cells: The computations.
        owner: The person who asks.

    Raises:
        tables.Refused: The tables are too large.
        tables.TooMuch: It takes too long or needs too much memory.
    """
    return await _over_tables(sources, {"export": True, "cells": [one.data() for one in cells]}, owner)


async def _over_tables(sources: Sequence[Source], request: Mapping[str, Any], owner: Hashable) -> dict[str, Any]:
    data = await asyncio.to_thread(lambda: orjson.dumps([one.body() for one in sources]))
    try:
        answer = await _answer({"compute": True, **request}, data, owner, COMPUTE_SECONDS)
    except Unreadable:
        raise _too_much("The computation took too long or needed too much memory. Ask for less.") from None
    if "refused" in answer:
        if answer.get("too_much"):
            raise _too_much(answer["refused"])
        raise Refused(answer["refused"])
    return answer


def _too_much(advice: str) -> TooMuch:
    return TooMuch(texts.for_model(advice, "refusals.call_too_much"))


async def drawn(svg: bytes, *, owner: Hashable = None) -> bytes:
    """Converts one of Leaf's own SVG pictures to PNG, at three times the size.

    Args:
        svg: The picture (`leaf.charts`).
        owner: The person who asks.

    Raises:
        documents.Unreadable: The conversion took too long, or the machine has no fonts.
    """
    return base64.b64decode((await _answer({"draw": True}, svg, owner, COMPUTE_SECONDS))["picture"])


async def essential(data: bytes) -> bytes:
    """Removes from a large request the parts that Leaf does not read (`leaf.parts.request_body`).

    Raises:
        request_body.Malformed: The request is not valid JSON.
        request_body.TooMany: The request has too many values, or took too long.
    """
    try:
        answer = await _answer({"sent": True}, data, None)
    except Unreadable:
        raise request_body.TooMany from None
    if "malformed" in answer:
        raise request_body.Malformed(answer["malformed"])
    if "essential" not in answer:
        raise request_body.TooMany
    return answer["essential"].encode()


async def _answer(
    request: dict[str, Any], data: bytes, owner: Hashable, seconds: float | None = None
) -> dict[str, Any]:
    readers = _readers.setdefault(asyncio.get_running_loop(), _Readers())
    async with readers.turn(owner) as reader:
        answer = await reader.ask(request, data, SECONDS if seconds is None else seconds)
    if "unreadable" in answer:
        reason = texts.of_data(answer["message"]) if answer["message"] else answer["unreadable"]
        raise (NoText if answer["no_text"] else Unreadable)(reason)
    return answer


def close() -> None:
    """Kills all processes at once, even while they read a file."""
    for readers in list(_readers.values()):
        readers.close()
    _readers.clear()


class _Ended(Unreadable):
    """The process has ended, or was killed because it took too long."""


class _Reader:
    """One process, started on demand, ended when it is idle, and restarted after a kill."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, request: dict[str, Any], data: bytes, seconds: float) -> dict[str, Any]:
        if self._idle is not None:
            self._idle.cancel()
        try:
            if self._process is None:
                await self._within(START_SECONDS, self._start)
            return await self._within(seconds, partial(self._exchange, request, data))
        finally:
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.end)

    async def _within(self, seconds: float, work: Callable[[], _Result]) -> _Result:
        answer = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(answer)
        except TimeoutError:
            await self._abandon(answer)
            raise _Ended(texts.english("refusals.slow", seconds=round(seconds))) from None
        except asyncio.CancelledError:
            # The caller is gone, and the next caller must not wait for this file.
            await self._abandon(answer)
            raise
        except (OSError, EOFError):
            self.end()
            raise _Ended(texts.english("refusals.too_complex")) from None

    async def _abandon(self, answer: "asyncio.Future[Any]") -> None:
        self.end()
        # The thread notices at once that its process is gone. Its error does not matter.
        await asyncio.wait({answer})
        answer.exception()

    def _start(self) -> None:
        """Starts the process and waits until it has imported its libraries."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "leaf.documents.isolation.child", str(BACKGROUND_NICE)],
            cwd=_ROOT,
            env={"PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **_MEMORY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if self._process.stdout is not None:
            wire.receive(self._process.stdout, 1)

    def _exchange(self, request: dict[str, Any], data: bytes) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EOFError
        wire.send(process.stdin, orjson.dumps(request), data)
        (answer,) = wire.receive(process.stdout, 1)
        return orjson.loads(answer)

    def __del__(self) -> None:
        # If an event loop has ended without `close`, no caller is left for the process.
        self.end()

    def end(self) -> None:
        """Kills the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # A request that was being sent to the process fails here.
                with suppress(OSError):
                    pipe.close()


class _Readers:
    """The pool of processes of one event loop."""

    def __init__(self) -> None:
        threads = ThreadPoolExecutor(PROCESSES, "parsing")
        self._all = [_Reader(threads) for _ in range(PROCESSES)]
        self._free: asyncio.LifoQueue[_Reader] = asyncio.LifoQueue()
        for reader in reversed(self._all):
            self._free.put_nowait(reader)
        self._owners: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(PROCESSES_EACH))
        self._waiting: defaultdict[Hashable, int] = defaultdict(int)

    @asynccontextmanager
    async def turn(self, owner: Hashable) -> AsyncGenerator[_Reader]:
        """Waits for a free process, and reserves it for one file."""
        self._waiting[owner] += 1
        try:
            async with self._owners[owner]:
                reader = await self._free.get()
                try:
                    yield reader
                finally:
                    self._free.put_nowait(reader)
        finally:
            self._waiting[owner] -= 1
            if not self._waiting[owner]:
                del self._waiting[owner], self._owners[owner]

    def close(self) -> None:
        """Kills all processes."""
        for reader in self._all:
            reader.end()


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Readers] = WeakKeyDictionary()
