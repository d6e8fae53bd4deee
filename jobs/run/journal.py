"""How far an answer has come: kept in Redis for the worker that may have to take over, and here for another try."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pydantic_ai.messages import ModelMessage, ModelResponse

from jobs.run import turns
from leaf import parts, streams

_GIVEN_UP = ":given-up"


@dataclass
class Progress:
    """A point to which the answer can go back: all chunks before `index`, folded, and the turn's messages."""

    index: int = 0
    fold: parts.Fold = field(default_factory=parts.Fold)
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])


class Journal:
    """Keeps a run's progress and what its finished tool calls returned.

    Args:
        writer: Writes the run.
        earlier: How many messages the chat had before this turn.
        on_stop: Called when a write learns that a stop was asked for.
    """

    def __init__(self, writer: streams.Writer, earlier: int, on_stop: Callable[[], None]) -> None:
        self.progress = Progress()
        self.began = time.time()
        """When the run began, under whichever worker (Unix time, seconds)."""
        self.given_up: list[ModelResponse] = []
        """Replies that broke off and were asked for again, under whichever worker: they were paid for."""
        self._writer = writer
        self._earlier = earlier
        self._on_stop = on_stop
        self._results: dict[str, bytes] = {}
        self._merger: streams.Merger | None = None
        self._fold = parts.Fold()

    async def load(self, run_id: UUID) -> None:
        """Takes over what an earlier worker has kept; nothing where it came to no checkpoint."""
        checkpoint = await streams.read_checkpoint(run_id)
        if checkpoint is None:
            return
        fold = parts.Fold()
        for chunk in (await streams.read(run_id))[: checkpoint.index]:
            fold.apply(chunk)
        self.progress = Progress(checkpoint.index, fold, turns.from_json(checkpoint.messages_json))
        self._results, self.began = checkpoint.results, checkpoint.began
        self.given_up = given_up(checkpoint)

    def attach(self, merger: streams.Merger, fold: parts.Fold) -> None:
        """Names what a checkpoint has to wait for, and what it has to copy."""
        self._merger, self._fold = merger, fold

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Keeps the point that the run has reached: the chunks so far, and these messages."""
        if self._merger is not None:
            await self._merger.flush()
        turn = list(messages[self._earlier :])
        self.progress = Progress(self._writer.index, self._fold.copy(), turn)
        if await self._writer.checkpoint(turns.to_json(turn)):
            self._on_stop()

    def result(self, call_id: str) -> bytes | None:
        """What a tool call returned, as JSON, where it was finished before; else None."""
        return self._results.get(call_id)

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Keeps what a tool call returned."""
        await self._writer.keep_result(call_id, result_json)
        self._results[call_id] = result_json

    async def give_up(self, replies: Sequence[ModelResponse]) -> None:
        """Keeps replies that are asked for again."""
        self.given_up += replies
        await self.keep_result(_GIVEN_UP, turns.to_json(self.given_up))


def given_up(checkpoint: streams.Checkpoint) -> list[ModelResponse]:
    """The replies of a run that broke off and were asked for again, as an earlier worker has kept them."""
    kept = turns.from_json(checkpoint.results.get(_GIVEN_UP, b"[]"))
    return [one for one in kept if isinstance(one, ModelResponse)]
