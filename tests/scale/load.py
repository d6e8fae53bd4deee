"""Many questions over the HTTP API, each with followers, and the table of how they went."""

import asyncio
import json
import re
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from statistics import median
from uuid import uuid4

import httpx

from tests.bench.figures import late
from tests.chaos.script import Script
from tests.chaos.system import System

_WORD = re.compile(r"[a-z](\d+)")


@dataclass
class Follower:
    """One reader of an answer: when it had which word, and its text."""

    text: str = ""
    seen: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    finished: bool = False
    error: str = ""

    async def read(self, response: httpx.Response) -> None:
        """Reads a stream to its end."""
        async for line in response.aiter_lines():
            if line == "data: [DONE]":
                self.finished = True
            elif line.startswith("data: {"):
                chunk = json.loads(line[6:])
                if chunk["type"] == "text-delta":
                    self.text += chunk["delta"]
                    words = _WORD.findall(chunk["delta"])
                    if words:
                        self.seen.append((time.time(), int(words[-1])))


@dataclass
class Answer:
    """One question, the reader who has asked it, and those who follow."""

    script: Script
    asked_at: float = 0.0
    readers: list[Follower] = field(default_factory=list[Follower])
    run_id: str = ""
    sent: list[float] = field(default_factory=list[float])

    @property
    def complete(self) -> bool:
        """Whether every reader has the whole text."""
        return all(reader.finished and reader.text == self.script.text() for reader in self.readers)

    @property
    def first_token(self) -> float:
        """Seconds from the question to the first word at the one who asked."""
        seen = self.readers[0].seen
        return seen[0][0] - self.asked_at if seen else float("nan")

    def lags(self) -> list[float]:
        """Milliseconds from the provider to a reader, of each word at each reader; none if it was asked twice."""
        if not self.sent:
            return []
        found: list[float] = []
        for reader in self.readers:
            done = 0
            for at, word in reader.seen:
                found += [(at - self.sent[number]) * 1000 for number in range(done, word + 1)]
                done = word + 1
        return found


class Load:
    """Questions of one member, in chats of their own.

    Args:
        system: The processes.
        answers: How many questions.
        followers: Readers of each answer besides the one who asks.
        seconds: The time over which the questions are spread.
        words: The length of each answer.
        gap: Milliseconds between two words.
    """

    def __init__(
        self, system: System, *, answers: int, followers: int, seconds: float, words: int = 200, gap: int = 20
    ) -> None:
        self._system, self._followers, self._seconds = system, followers, seconds
        options = {"words": str(words), "gap": str(gap)}
        self._answers = [Answer(Script(900_000 + number, options)) for number in range(answers)]

    async def run(self) -> None:
        """Asks all, and reads all answers to their ends."""
        await asyncio.gather(*(self._one(number, answer) for number, answer in enumerate(self._answers)))
        for answer in self._answers:
            log = await self._system.model_log(answer.script.key)
            # Of an answer that was asked for again, nothing says which of its words came when.
            answer.sent = log[0]["sent"] if len(log) == 1 else []

    async def _one(self, number: int, answer: Answer) -> None:
        await asyncio.sleep(self._seconds * number / len(self._answers))
        asker, followers = Follower(), [Follower() for _ in range(self._followers)]
        answer.readers = [asker, *followers]
        body = {"id": str(uuid4()), "message": answer.script.question}
        answer.asked_at = time.time()
        following: list[asyncio.Task[None]] = []
        try:
            async with self._stream("POST", "/api/chat", body) as response:
                response.raise_for_status()
                answer.run_id = response.headers["x-workflow-run-id"]
                following = [asyncio.create_task(self._follow(answer.run_id, one)) for one in followers]
                await asker.read(response)
        except httpx.HTTPError as error:
            asker.error = repr(error)
        await asyncio.gather(*following)

    async def _follow(self, run_id: str, follower: Follower) -> None:
        try:
            async with self._stream("GET", f"/api/runs/{run_id}") as response:
                response.raise_for_status()
                await follower.read(response)
        except httpx.HTTPError as error:
            follower.error = repr(error)

    def _stream(
        self, method: str, path: str, body: dict[str, str] | None = None
    ) -> AbstractAsyncContextManager[httpx.Response]:
        front = self._system.fronts[0]
        headers = {"cookie": self._system.cookie, "origin": front}
        return self._system.http.stream(method, front + path, json=body, headers=headers, timeout=120)

    @property
    def errors(self) -> list[str]:
        """What went wrong at readers."""
        return [reader.error for answer in self._answers for reader in answer.readers if reader.error]

    @property
    def incomplete(self) -> int:
        """Answers that a reader does not have whole."""
        return sum(not answer.complete for answer in self._answers)

    def report(self) -> str:
        """The table, in Markdown."""
        first = [answer.first_token for answer in self._answers if answer.readers[0].seen]
        behind = [lag for answer in self._answers if answer.complete for lag in answer.lags()]
        count = len(self._answers)
        cells = [
            f"{count - self.incomplete} of {count}",
            f"{count * (self._followers + 1)}",
            f"{median(first):.2f} s" if first else "–",
            f"{late(first):.2f} s" if first else "–",
            f"{median(behind):.0f} ms" if behind else "–",
            f"{late(behind):.0f} ms" if behind else "–",
            f"{len(self.errors)}",
        ]
        head = ["answers complete", "readers", "first token p50", "p95", "lag p50", "p95", "errors"]
        return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", f"| {' | '.join(cells)} |"])
