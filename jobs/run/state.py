"""The state of one run, which all of its stages share."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelResponse

from jobs.metrics import Timing
from jobs.run.journal import Journal, Progress
from jobs.run.resumption import Resumption
from jobs.run.seam import Seam
from jobs.run.stop import Stop
from leaf import parts, streams
from leaf.agent import continuation
from leaf.agent.context import Window
from leaf.citations import subquestions
from leaf.services import runs


@dataclass
class Run:
    """One run under one lease. `prepare.open_run` makes it; the later stages read and change it."""

    task: runs.Assignment
    lease: streams.Lease
    timing: Timing
    writer: streams.Writer
    journal: Journal
    """The checkpoint of the run, in Redis and in memory."""
    stop: Stop
    history: Sequence[ModelMessage]
    """The model's messages of the earlier turns of the chat."""
    window: Window
    """The part of the chat that is sent to the model."""
    resumption: Resumption | None
    """The point from which an answer that waited or was stopped continues; None for a new answer."""
    messages: Sequence[ModelMessage]
    """The history and the turn so far. While the agent runs, this is the agent's own list, which grows."""
    fold: parts.Fold = field(default_factory=parts.Fold)
    """The message made of the chunks so far."""
    attempt_index: int = 0
    """The index of the first chunk of an attempt that continues; 0 for the first attempt."""
    seam: Seam = field(default_factory=Seam)
    """Fits the next reply to the reply that broke off."""
    withheld: frozenset[str] = frozenset()
    """The names of client tools that the planner does not offer to the model."""

    @cached_property
    def subquestions(self) -> list[str]:
        """The parts of a question that clearly asks several things; empty for other questions and agents of sites."""
        return [] if self.task.actor.audience.agent == "site" else subquestions.found(self.task.question)

    @property
    def turn(self) -> list[ModelMessage]:
        """The model's messages of this turn so far."""
        return list(self.messages[len(self.history) :])

    def keep_messages(self, messages: Sequence[ModelMessage]) -> None:
        """Replaces `messages` by the agent's own list."""
        self.messages = messages

    async def go_on(self, cut: ModelResponse | None = None) -> None:
        """Prepares the next attempt, which continues after the written chunks.

        Readers keep everything that they have seen.

        Args:
            cut: The reply that broke off; None if another worker received it.
        """
        progress = self.journal.progress
        chunks: list[parts.Chunk] = [parts.taken_over()]
        turn, self.seam = progress.messages, Seam()
        if is_reply_cut(progress, self.fold):
            self.seam, closing = Seam.of(self.fold)
            chunks += closing
            turn = continuation.with_rest_requested(turn, self.seam.text, cut)
        for chunk in chunks:
            self.fold.apply(chunk)
        await self.writer.append(chunks)
        if not self.seam.is_open or continuation.asks_for_rest(turn):
            # A cut reply without text is not in the turn. A checkpoint after it would hide it from the next attempt.
            await self.journal.store(self.fold, turn)
        self.attempt_index = self.writer.index


def is_reply_cut(progress: Progress, fold: parts.Fold) -> bool:
    """Whether readers have seen the beginning of a reply that is not in the last checkpoint."""
    if not progress.messages or isinstance(progress.messages[-1], ModelResponse):
        return False
    begun = _steps(fold) > _steps(progress.fold)
    return begun or continuation.asks_for_rest(progress.messages)


def _steps(fold: parts.Fold) -> int:
    return sum(part["type"] == "step-start" for part in fold.parts)


@dataclass(frozen=True)
class Result:
    """The end of the agent's work. If no field is set, the answer is complete."""

    error: Exception | None = None
    """The exception that ended the agent's work."""
    stopped: bool = False
    """Whether a stop or the time limit ended the agent's work."""
    waits_for: DeferredToolRequests | None = None
    """The open calls whose answers the agent waits for."""
