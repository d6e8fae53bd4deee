"""The resumption of an answer that waited for its reader or was stopped by its reader (decision 0016).

Runs whose worker was killed are handled elsewhere: `jobs.reaper` enqueues them, and `prepare.open_run` takes them over.
"""

from dataclasses import dataclass
from typing import Any

from pydantic_ai import DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage

from jobs.run import turns
from leaf import errors, parts
from leaf.parts import Chunk
from leaf.services import runs
from leaf.services.runs import Waited

DENIED = "The user did not allow this. Do not try again in another way; go on without it, and say so."
CONTINUES = "continues"
"""The metadata key that marks an answer that continues in another run."""
_RESUMED: Chunk = {"type": parts.RESUMED, "data": {}, "transient": True}


@dataclass(frozen=True)
class Resumption:
    """The point from which a run continues an answer."""

    chunks: list[Chunk]
    """The message so far as chunks. The stream of the new run begins with them."""
    messages: list[ModelMessage]
    """The model's messages of the turn so far, with open calls."""
    results: DeferredToolResults | None
    """The reader's answers to the open calls; None if no call was open."""
    failure: errors.LeafError | None = None
    """Set if the answer ends instead of continuing, because the caller has not run its tool in time."""


def resumption(waited: Waited | None) -> Resumption | None:
    """The point from which a run continues; None for a new answer."""
    if waited is None:
        return None
    # A client merges metadata, so its message would otherwise keep the status `waiting` or `stopped`.
    metadata = {**waited.message["metadata"], "status": "streaming", CONTINUES: True}
    message: parts.Message = {**waited.message, "metadata": metadata}
    if not waited.answers:
        return Resumption([*parts.replay(message), _RESUMED], turns.stopped(waited.model_messages), None)
    calls: dict[str, Any] = {}
    approvals: dict[str, Any] = {}
    failure: errors.LeafError | None = None
    chunks = parts.replay(message, waiting=waited.answers)
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
