"""The journal of a run: its checkpoint. Redis keeps it for a worker that takes over, and memory for a retry."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pydantic_ai.messages import ModelMessage, ModelResponse

from jobs.run import turns
from leaf import parts, streams

_DROPPED = ":given-up"
"""The key under which dropped replies are stored among the results of tool calls."""


@dataclass
class Progress:
    """A point from which the run can continue: the fold of all chunks before `index`, and the turn's messages."""

    index: int = 0
    fold: parts.Fold = field(default_factory=parts.Fold)
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])


class Journal:
    """Stores checkpoints of a run and the results of its finished tool calls.

    Args:
        writer: Writes the run.
        earlier: The number of messages of the chat before this turn.
        on_stop: Called when a checkpoint finds that a stop was requested.
    """

    def __init__(self, writer: streams.Writer, earlier: int, on_stop: Callable[[], None]) -> None:
        self.progress = Progress()
        self.began = time.time()
        """The time at which the first worker began the run (Unix time, seconds)."""
        self.dropped: list[ModelResponse] = []
        """Replies that broke off and were requested again by any worker of the run. The provider charges for them."""
        self._writer = writer
        self._earlier = earlier
        self._on_stop = on_stop
        self._results: dict[str, bytes] = {}
        self._merger: streams.Merger | None = None
        self._fold = parts.Fold()

    async def load(self, run_id: UUID) -> parts.Fold:
        """Loads the checkpoint of an earlier worker, if there is one; returns the fold of all chunks in the stream."""
        checkpoint = await streams.read_checkpoint(run_id)
        fold = parts.Fold()
        for index, chunk in enumerate(await streams.read(run_id)):
            if checkpoint is not None and index == checkpoint.index:
                self.progress.fold = fold.copy()
            fold.apply(chunk)
        if checkpoint is not None:
            if checkpoint.index == fold.index:
                self.progress.fold = fold.copy()
            self.progress.index, self.progress.messages = checkpoint.index, turns.from_json(checkpoint.messages_json)
            self._results, self.began = checkpoint.results, checkpoint.began
            self.dropped = dropped(checkpoint)
        return fold

    def attach(self, merger: streams.Merger, fold: parts.Fold) -> None:
        """Sets the merger that each checkpoint flushes, and the fold that it copies."""
        self._merger, self._fold = merger, fold

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Stores the current point of the run: all chunks so far, and these messages."""
        if self._merger is not None:
            await self._merger.flush()
        await self.store(self._fold, list(messages[self._earlier :]))

    async def store(self, fold: parts.Fold, turn: list[ModelMessage]) -> None:
        """Stores a checkpoint after all written chunks."""
        self.progress = Progress(self._writer.index, fold.copy(), turn)
        if await self._writer.checkpoint(turns.to_json(turn)):
            self._on_stop()

    def result(self, call_id: str) -> bytes | None:
        """The stored result of a tool call, as JSON; None for a call that has not finished."""
        return self._results.get(call_id)

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Stores the result of a tool call."""
        await self._writer.keep_result(call_id, result_json)
        self._results[call_id] = result_json

    async def drop(self, replies: Sequence[ModelResponse]) -> None:
        """Stores replies that broke off and are requested again."""
        self.dropped += replies
        await self.keep_result(_DROPPED, turns.to_json(self.dropped))


def dropped(checkpoint: streams.Checkpoint) -> list[ModelResponse]:
    """The replies in a checkpoint that broke off and were requested again."""
    stored = turns.from_json(checkpoint.results.get(_DROPPED, b"[]"))
    return [one for one in stored if isinstance(one, ModelResponse)]
