"""Readers of a run over HTTP, as any program would read it: they reconnect, to whichever web process answers."""

import asyncio
import json
import time
from typing import Any
from uuid import UUID

import httpx

from leaf import parts
from leaf.parts import Chunk
from tests.chaos.system import System

_PAUSE_SECONDS = 0.15


class Reader:
    """Reads one run from its first chunk to its end.

    Args:
        system: The processes.
        run_id: The run.
        web: The place among the system's addresses of the one that it asks first.
    """

    def __init__(self, system: System, run_id: UUID, web: int) -> None:
        self._system, self.run_id, self._web = system, run_id, web
        self.fold = parts.Fold()
        self.index = 0
        self.last: Chunk | None = None
        self.times: list[float] = []
        self.problems: list[str] = []
        self.stored = False
        """Whether the stream had expired, so that there was only the stored answer to read."""
        self.finished_at = 0.0
        self.cut_at: set[int] = set()
        """Indexes at which it hangs up by itself."""
        self.away_seconds = 0.0
        self._stream = ""

    @property
    def parts(self) -> list[dict[str, Any]]:
        return self.fold.message["parts"]

    @property
    def text(self) -> str:
        return "".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def words(self) -> int:
        return len(self.text.split())

    def in_tool(self) -> bool:
        return any(parts.is_tool(part) and part["state"] == "input-available" for part in self.parts)

    async def read(self) -> None:
        """Reads to the end, also when web processes die."""
        while not self.finished_at and not self.stored:
            try:
                await self._once()
            except (httpx.HTTPError, TimeoutError):
                self._web += 1
                await asyncio.sleep(_PAUSE_SECONDS)

    @property
    def _front(self) -> str:
        fronts = self._system.fronts
        return fronts[self._web % len(fronts)]

    async def _once(self) -> None:
        url = f"{self._front}/api/runs/{self.run_id}"
        headers = {"cookie": self._system.cookie}
        async with self._system.http.stream(
            "GET", url, params={"startIndex": self.index}, headers=headers, timeout=httpx.Timeout(5, read=40)
        ) as response:
            if response.status_code == 410:
                self.stored = True
                return
            if response.status_code == 400:
                self._begin_anew()
            if response.status_code != 200:
                await asyncio.sleep(_PAUSE_SECONDS)
                return
            stream = response.headers["x-leaf-stream"]
            if self.index and stream and self._stream and stream != self._stream:
                self._begin_anew()
                return
            self._stream = stream or self._stream
            await self._events(response)
        await asyncio.sleep(_PAUSE_SECONDS)

    def _begin_anew(self) -> None:
        """Redis has lost the run, and it is being written anew."""
        self.fold, self.index, self._stream, self.last = parts.Fold(), 0, "", None

    async def _events(self, response: httpx.Response) -> None:
        number: int | None = None
        async for line in response.aiter_lines():
            if line.startswith("id: "):
                number = int(line[4:])
            elif line == "data: [DONE]":
                if self.last is None or self.last["type"] != "finish":
                    self.problems.append("[DONE] without finish")
                self.finished_at = self.times[-1] if self.times else time.time()
                return
            elif line.startswith("data: "):
                chunk = json.loads(line[6:])
                if number is None and chunk.get("transient"):
                    continue  # it tells of this connection, and is none of the run's
                if number != self.index:
                    self.problems.append(f"chunk {number} came where {self.index} was due")
                self.last, number = chunk, None
                self.fold.apply(self.last)
                self.index += 1
                self.times.append(time.time())
                if self.index in self.cut_at:
                    self.cut_at.discard(self.index)
                    break
        if self.away_seconds:
            await asyncio.sleep(self.away_seconds)
