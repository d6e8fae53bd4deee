"""Computations whose processes are killed with `kill -9`: the worker of an answer, and the web process of an edit by
hand.

The process that computes is stopped, so that the kill meets its owner in the middle of a computation.
"""

import array
import asyncio
import fcntl
import json
import os
import signal
import termios
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
import psutil
import pytest

from leaf import citations, parts
from leaf.db import Actor
from leaf.services import api_keys, cells, chats
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.outfitted import alone, crew_with
from tests.acceptance.readers import reading
from tests.acceptance.stack import START_SECONDS, Stack, until
from tests.acceptance.test_living import Step, held
from tests.acceptance.web import Web
from tests.acceptance.workers import Crew, lapse

FILE = "Frost costs.csv"
COSTS = "Item,Cost in EUR\nPears,1250\nApples,2400\nPlums,310\n"
TOTAL = "SELECT sum(cost_in_eur) AS total FROM frost_costs"
HALF = "SELECT total / 2 AS half FROM total"
MODEL = "sandbox:sandbox-script"
STORED = Step("the edit is stored", "cell_edits", "INSERT", "true")
TAKEN_BACK = Step("the edit is taken back", "cell_edits", "DELETE", "true")
_CHILD = "leaf.documents.isolation.child"


@dataclass
class Scene:
    """A file of costs in ada's Drive, and the only worker."""

    stack: Stack
    crew: Crew
    ada: Actor
    ask: Ask
    chat_id: UUID

    @property
    def worker(self) -> psutil.Process:
        (worker,) = self.crew.alive
        return worker.process

    async def begin(self, query: str, name: str, said: str, rests_on: str = "") -> UUID:
        """Asks for a computation; returns the run that writes the answer."""
        link = f"{self.stack.sandbox.url}/file/d/{corpus.opaque_id(f'folder {FILE}')}/view"
        arguments = {"files": [link], "query": query, "name": name} | ({"cells": [rests_on]} if rests_on else {})
        steps = [{"text": "", "calls": [{"name": "compute", "arguments": arguments}]}, {"text": said}]
        turn = await self.ask(self.ada, f"```json\n{json.dumps(steps)}\n```", model=MODEL, chat_id=self.chat_id)
        assert turn.assistant.run_id is not None
        return turn.assistant.run_id

    async def computed(self, query: str, name: str, said: str, rests_on: str = "") -> UUID:
        """The same, once the answer is complete."""
        run_id = await self.begin(query, name, said, rests_on)
        async with reading(self.ada, run_id) as reader:
            assert (await reader.end()).status == "completed"
        return run_id

    async def results(self) -> list[tuple[Any, Any, str]]:
        """The results of the cells: in the answer, as they were changed by hand, and why they have none."""
        return [
            (
                one.output["rows"],
                one.edit.output.get("rows") if one.edit else None,
                one.edit.problem if one.edit else "",
            )
            for one in await cells.of_chat(self.ada, self.chat_id)
        ]


@pytest.fixture
async def scene(stack: Stack, running_crew: Crew, ada: Actor, ask: Ask) -> AsyncIterator[Scene]:
    path = stack.folder / "drive" / FILE
    path.write_text(COSTS)
    crew = crew_with(stack, "cells", {})
    async with alone(crew, running_crew):
        yield Scene(stack, crew, ada, ask, await chats.new(ada))
        crew.stop()
    path.unlink()


def children(process: psutil.Process) -> list[psutil.Process]:
    """The processes in which another one reads files and computes."""
    return [one for one in process.children(recursive=True) if _CHILD in one.cmdline()]


def has_work(child: psutil.Process) -> bool:
    """Whether a child has been sent something that it has not read."""
    waiting = array.array("i", [0])
    pipe = os.open(f"/proc/{child.pid}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    finally:
        os.close(pipe)
    return waiting[0] > 0


@contextmanager
def stopped(process: psutil.Process) -> Generator[list[psutil.Process]]:
    """For the length of the block a process gets no answer from those that compute for it, of which it has some."""
    found = children(process)
    assert found
    for child in found:
        child.send_signal(signal.SIGSTOP)
    try:
        yield found
    finally:
        for child in found:
            if child.is_running():
                child.send_signal(signal.SIGCONT)


def is_over(child: psutil.Process) -> bool:
    return not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


@pytest.mark.timeout(300)
async def test_an_answer_goes_on_when_its_worker_is_killed_in_a_computation(scene: Scene) -> None:
    """The successor computes the figure, which is marked once; nothing of the dead worker's computation is left."""
    await scene.computed(TOTAL, "total", "Together 3,960 EUR.")
    with stopped(scene.worker) as computing:
        run_id = await scene.begin(HALF, "half", "Half of it is 1,980 EUR.", "total")
        async with reading(scene.ada, run_id) as reader:
            await until(lambda: any(map(has_work, computing)), what="the worker computes")
            assert reader.tools() == []
            (worker,) = scene.crew.alive
            worker.kill()
            await scene.crew.of(1)
            await lapse(run_id)
            stored = await reader.end(seconds=START_SECONDS)
            assert stored.parts == reader.parts
    assert stored.status == "completed", stored.error_text
    (call,) = [one for one in stored.parts if parts.is_tool(one)]
    assert (call["state"], call["output"]["rows"], call["output"]["cell"]) == ("output-available", [[1980]], "half")
    (cited,) = citations.stored(stored.parts)
    assert (cited["kind"], cited["verified"], len(cited["at"])) == (citations.figures.COMPUTED, True, 1)
    slot, begin, end = cited["at"][0]
    assert begin == end
    assert stored.parts[slot]["text"][:end].endswith("is 1,980 EUR")
    assert await scene.results() == [([[3960]], None, ""), ([[1980]], None, "")]
    await until(lambda: all(map(is_over, computing)), what="the dead worker's processes end")


@dataclass
class Editor:
    """A program that edits a cell through a web process, which is killed and replaced."""

    stack: Stack
    path: str
    headers: dict[str, str]
    web: Web
    killed: int = 0

    async def send(self, query: str | None) -> int:
        """Has the cell edited, or with None the edit taken back; returns the status."""
        async with httpx.AsyncClient(base_url=self.web.url, trust_env=False, timeout=60) as http:
            if query is None:
                return (await http.delete(self.path, headers=self.headers)).status_code
            return (await http.put(self.path, json={"query": query}, headers=self.headers)).status_code

    async def is_killed_at(self, condition: Callable[[], Any], query: str | None) -> None:
        """Sends an edit, and kills the web process once it has come to a place."""
        sending = asyncio.create_task(self.send(query))
        await until(condition, what="the edit is under way")
        assert not sending.done()
        self.web.kill()
        with pytest.raises(httpx.TransportError):
            await sending

    async def replace(self) -> None:
        """Starts another web process."""
        self.killed += 1
        self.web = _web(self.stack, self.killed)
        await self.web.ready()


def _web(stack: Stack, killed: int) -> Web:
    web = Web(stack, 20 + killed)
    web.start()
    return web


@pytest.fixture
async def editor(scene: Scene) -> AsyncIterator[Editor]:
    """Edits the first of two cells, on which the second one rests."""
    web = _web(scene.stack, 0)
    run_id = await scene.computed(TOTAL, "total", "Together 3,960 EUR.")
    await scene.computed(HALF, "half", "Half of it is 1,980 EUR.", "total")
    (first, _) = await cells.of_chat(scene.ada, scene.chat_id)
    _, key = await api_keys.create(scene.ada, "Cells", ["read", "write"], lasts_days=30)
    made = Editor(scene.stack, f"/api/runs/{run_id}/cells/{first.call}", {"authorization": f"Bearer {key}"}, web)
    await web.ready()
    yield made
    made.web.kill()


@pytest.mark.timeout(420)
async def test_an_edit_by_hand_is_whole_or_not_there_when_its_process_is_killed(scene: Scene, editor: Editor) -> None:
    """In a computation, while it is stored, and while it is taken back; then the same edit is made."""
    edited = [([[3960]], [[3650]], ""), ([[1980]], [[1825]], "")]
    again = [([[3960]], [[2400]], ""), ([[1980]], [[1200]], "")]
    assert await editor.send(f"{TOTAL} WHERE item <> 'Plums'") == 204
    assert await scene.results() == edited
    largest = "SELECT max(cost_in_eur) AS total FROM frost_costs"

    with stopped(editor.web.process) as computing:
        await editor.is_killed_at(lambda: any(map(has_work, computing)), largest)
    assert await scene.results() == edited
    await until(lambda: all(map(is_over, computing)), what="the dead process's children end")

    await editor.replace()
    with held(scene.stack, STORED) as is_held:
        await editor.is_killed_at(is_held, largest)
    assert await scene.results() == edited

    await editor.replace()
    assert await editor.send(largest) == 204
    assert await scene.results() == again
    with held(scene.stack, TAKEN_BACK) as is_held:
        await editor.is_killed_at(is_held, None)
    assert await scene.results() == again

    await editor.replace()
    assert await editor.send(None) == 204
    assert await scene.results() == [([[3960]], None, ""), ([[1980]], None, "")]
