"""Going on with an answer that had stopped to wait for its reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import DeferredToolResults, ToolDenied
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import RunUsage

from jobs import turns
from leaf import parts
from leaf.parts import Chunk
from leaf.services.runs import Assignment, Waited
from leaf.services.usage import Usage

DENIED = "The user did not allow this. Do not try again in another way; go on without it, and say so."


@dataclass(frozen=True)
class Resumption:
    """What a run goes on from."""

    chunks: list[Chunk]
    """The message so far, told again: the stream of the new run begins with it."""
    messages: list[ModelMessage]
    """The turn so far, with the calls that are open."""
    results: DeferredToolResults
    """What the reader has answered."""


def resumption(waited: Waited | None) -> Resumption | None:
    """What a run goes on from; None for one that begins."""
    if waited is None:
        return None
    calls: dict[str, Any] = {}
    approvals: dict[str, Any] = {}
    chunks = parts.replay(waited.message, waiting=waited.answers)
    for call_id, answer in waited.answers.items():
        if "approved" in answer:
            approvals[call_id] = True if answer["approved"] else ToolDenied(DENIED)
            chunks.append({"type": "tool-approval-response", "approvalId": call_id, "approved": answer["approved"]})
        else:
            calls[call_id] = answer["output"]
    results = DeferredToolResults(calls=calls, approvals=approvals)
    return Resumption(chunks, turns.waited(waited.model_messages), results)


def usage(task: Assignment, turn: Sequence[ModelMessage], given_up: Sequence[ModelResponse] = ()) -> Usage:
    """What an answer has used over all of its runs: what stands on its row from those before, and this one's own.

    Args:
        task: What is being answered.
        turn: Its messages, from the question on.
        given_up: Replies of this run that broke off and were asked for again.
    """
    if task.waited is None:
        return turns.usage([*given_up, *turn], task.model)
    own = _responses(turn)[len(_responses(turns.waited(task.waited.model_messages))) :]
    return task.waited.used + turns.usage([*given_up, *own], task.model)


def counted(task: Assignment, turn: Sequence[ModelMessage], given_up: Sequence[ModelResponse] = ()) -> RunUsage:
    """The same for the limits of one answer (`turns.used`): replies that broke off before it waited count, too."""
    spent = turns.used(turn, given_up)
    if task.waited is not None:
        told = turns.used(turns.waited(task.waited.model_messages))
        before = task.waited.used
        spent.input_tokens += max(0, before.input_tokens - told.input_tokens)
        spent.output_tokens += max(0, before.output_tokens - told.output_tokens)
    return spent


def _responses(messages: Sequence[ModelMessage]) -> list[ModelResponse]:
    return [message for message in messages if isinstance(message, ModelResponse)]
