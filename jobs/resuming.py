"""Going on with an answer that had stopped to wait for its reader, or that its reader had stopped."""

from dataclasses import dataclass
from typing import Any

from pydantic_ai import DeferredToolResults, ToolDenied
from pydantic_ai.messages import ModelMessage

from jobs import turns
from leaf import parts
from leaf.parts import Chunk
from leaf.services.runs import Waited

DENIED = "The user did not allow this. Do not try again in another way; go on without it, and say so."


@dataclass(frozen=True)
class Resumption:
    """What a run goes on from."""

    chunks: list[Chunk]
    """The message so far, told again: the stream of the new run begins with it."""
    messages: list[ModelMessage]
    """The turn so far, with the calls that are open."""
    results: DeferredToolResults | None
    """What the reader has answered; None where nothing was asked."""


def resumption(waited: Waited | None) -> Resumption | None:
    """What a run goes on from; None for one that begins."""
    if waited is None:
        return None
    if not waited.answers:
        return Resumption(parts.replay(waited.message), turns.stopped(waited.model_messages), None)
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
