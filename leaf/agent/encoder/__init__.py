"""The encoder that computes vectors of texts on this machine, in a process of its own.

Its weights take about 150 MB, and its tokenizer is plain Python, which would delay a process that writes answers. The
encoder's process starts when it is first needed. It has a lower priority, and ends with its parent, because it reads
from the parent's pipe.
"""

import asyncio
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import orjson

log = logging.getLogger(__name__)

DIMENSIONS: Final = 512
SECONDS: Final = 60.0
"""The time limit of a call, including the start of the process."""
_LINE_BYTES: Final = 2**24
_ROOT = Path(__file__).parents[3]


class Unavailable(Exception):
    """The process has ended, or does not answer."""

    def __init__(self) -> None:
        super().__init__("the encoder does not answer")


class Encoder:
    """The encoder's process for one event loop. Calls are made one after the other."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._turn = asyncio.Lock()

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, each of length 1.

        Raises:
            Unavailable: The process has ended, or does not answer.
        """
        # If a cancelled call stopped here, the next call would read its answer.
        return await asyncio.shield(asyncio.create_task(self._request(list(texts))))

    async def _request(self, texts: list[str]) -> list[list[float]]:
        async with self._turn:
            try:
                async with asyncio.timeout(SECONDS):
                    return await self._exchange(texts)
            except (TimeoutError, OSError, ValueError) as error:
                log.warning("the encoder does not answer: %s", type(error).__name__)
                await self._end()
                raise Unavailable from error

    async def _exchange(self, texts: list[str]) -> list[list[float]]:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "leaf.agent.encoder.child", cwd=_ROOT, stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
                limit=_LINE_BYTES,
                env={
                    "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1",
                },
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(orjson.dumps(texts) + b"\n")
        await process.stdin.drain()
        # If the process has ended, the line is empty. It is invalid JSON and raises ValueError.
        return orjson.loads(await process.stdout.readline())

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """Ends the process."""
        async with self._turn:
            await self._end()


_encoders: WeakKeyDictionary[asyncio.AbstractEventLoop, Encoder] = WeakKeyDictionary()


def current() -> Encoder:
    """The encoder of the running event loop."""
    return _encoders.setdefault(asyncio.get_running_loop(), Encoder())


async def close() -> None:
    """Ends the process of the running event loop, if there is one."""
    if (encoder := _encoders.pop(asyncio.get_running_loop(), None)) is not None:
        await encoder.close()
