"""Going on with an answer that had stopped to wait for its reader, or that its reader had stopped."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai import DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import RunUsage

from jobs.run import turns
from leaf import config, errors, parts
from leaf.agent.context import Summary, spending
from leaf.parts import Chunk
from leaf.services import runs
from leaf.services.runs import Assignment, Waited
from leaf.services.usage import Usage

DENIED = "The user did not allow this. Do not try again in another way; go on without it, and say so."
_RESUMED: Chunk = {"type": parts.RESUMED, "data": {}, "transient": True}


@dataclass(frozen=True)
class Resumption:
    """What a run goes on from."""

    chunks: list[Chunk]
    """The message so far, told again: the stream of the new run begins with it."""
    messages: list[ModelMessage]
    """The turn so far, with the calls that are open."""
    results: DeferredToolResults | None
    """What the reader has answered; None where nothing was asked."""
    failure: errors.LeafError | None = None
    """Why it does not go on, but ends: the caller has not run its tool in time."""


def resumption(waited: Waited | None) -> Resumption | None:
    """What a run goes on from; None for one that begins."""
    if waited is None:
        return None
    if not waited.answers:
        return Resumption([*parts.replay(waited.message), _RESUMED], turns.stopped(waited.model_messages), None)
    calls: dict[str, Any] = {}
    approvals: dict[str, Any] = {}
    failure: errors.LeafError | None = None
    chunks = parts.replay(waited.message, waiting=waited.answers)
    for call_id, answer in waited.answers.items():
        if "overdue" in answer:
            failure = runs.explanation(answer["overdue"], _tool_of(waited, call_id))
        elif "approved" in answer:
            approvals[call_id] = True if answer["approved"] else ToolDenied(DENIED)
            chunks.append({"type": "tool-approval-response", "approvalId": call_id, "approved": answer["approved"]})
        elif "error" in answer:
            calls[call_id] = ToolFailed(answer["error"])
        else:
            calls[call_id] = answer["output"]
    chunks.append(_RESUMED)
    results = DeferredToolResults(calls=calls, approvals=approvals)
    return Resumption(chunks, turns.waited(waited.model_messages), results, failure)


def _tool_of(waited: Waited, call_id: str) -> str:
    """The name of the tool that is called."""
    return next(parts.tool_name(one) for one in waited.message["parts"] if one.get("toolCallId") == call_id)


def ends_at(task: Assignment, began: float) -> float:
    """When an answer is ended, whatever it has (Unix time, seconds).

    Args:
        task: The run.
        began: When its first worker began (Unix time, seconds).
    """
    ends = began + config.current().run_seconds
    return ends if task.ends_at is None else min(ends, task.ends_at)


def is_over(task: Assignment) -> bool:
    """Whether the time of an answer with tools at its caller is up."""
    return task.ends_at is not None and task.ends_at <= time.time()


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


def counted(
    task: Assignment,
    turn: Sequence[ModelMessage],
    given_up: Sequence[ModelResponse] = (),
    summaries: Sequence[Summary] = (),
) -> RunUsage:
    """The same for the limits of one answer (`turns.used`): replies that broke off before it waited count, too.

    Args:
        task: What is being answered.
        turn: Its messages, from the question on.
        given_up: Replies of this run that broke off and were asked for again.
        summaries: Those of earlier turns that this run has made to have room.
    """
    spent = turns.used(turn, task.model, given_up)
    spending.add(spent, summaries)
    if task.waited is not None:
        told = turns.used(turns.waited(task.waited.model_messages), task.model)
        before = task.waited.used
        spent.input_tokens += max(0, before.input_tokens - told.input_tokens)
        spent.output_tokens += max(0, before.output_tokens - told.output_tokens)
    return spent


def _responses(messages: Sequence[ModelMessage]) -> list[ModelResponse]:
    return [message for message in messages if isinstance(message, ModelResponse)]
