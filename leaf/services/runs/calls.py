"""Calls of client tools, which run at the caller. The row of the answer stores them. One is in flight at a time.

`messages.client_calls` is `{"began": …, "last": …, "calls": {<tool call id>: {"tab", "lease", "nonce", "result"}}}`.
`began` is the time at which the answer began, and `last` the call that was answered last. Each call has the tab that
carries it out, the end of its lease, the nonce of its token, and the digest of its result, which identifies a repeated
result.
"""

from datetime import datetime, timedelta
from typing import Any

from leaf import config, errors, parts
from leaf.db import models
from leaf.db.models import MessageStatus, utc_now
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool

CLAIMED = "call_claimed"
REFUSED = "hook_refused"
_OPEN = {"input-available", "approval-requested"}


def open_calls(message_parts: list[parts.Part]) -> list[parts.Part]:
    """The calls that wait for a reply or an approval. Only meaningful for an answer that waits."""
    return [part for part in message_parts if parts.is_tool(part) and part["state"] in _OPEN]


def tool_of(row: models.Message, call: parts.Part) -> ClientTool | None:
    """The caller's tool that is called; None for a tool of Leaf."""
    declared = client_tools.stored(row.client_tools)
    return declared.tool(parts.tool_name(call)) if declared is not None else None


def next_call(row: models.Message) -> parts.Part | None:
    """The call in flight: the first call of a client tool without a result. None if there is none."""
    if row.status is not MessageStatus.WAITING:
        return None
    answered = row.answers or {}
    waits = (part for part in open_calls(row.parts) if part["toolCallId"] not in answered)
    return next((part for part in waits if part["state"] == "input-available" and tool_of(row, part)), None)


def await_next(row: models.Message) -> None:
    """Sets the deadline of the call in flight, or clears it if there is none."""
    if row.client_tools is None:
        return
    if row.client_calls is None:
        row.client_calls = {"began": (row.run_at or utc_now()).isoformat(), "calls": {}}
    due = min(utc_now() + timedelta(seconds=config.current().client_tool_seconds), ends_at(row))
    row.client_due_at = due if next_call(row) is not None else None


def note(row: models.Message, call_id: str, answer: dict[str, Any]) -> None:
    """Records the result of a client tool's call, and sets the deadline of the next call."""
    if row.client_tools is None or row.client_calls is None:
        return
    change(row, call_id, result=client_tools.Outcome.of(answer).digest)
    row.client_calls = {**row.client_calls, "last": call_id}
    await_next(row)


def change(row: models.Message, call_id: str, **values: Any) -> None:
    """Changes the record of a call."""
    kept = row.client_calls or {}
    calls: dict[str, Any] = kept.get("calls", {})
    row.client_calls = {**kept, "calls": {**calls, call_id: {**calls.get(call_id, {}), **values}}}


def record(row: models.Message, call_id: str) -> dict[str, Any]:
    """The record of a call; empty if the call was never claimed or answered."""
    found: dict[str, Any] = (row.client_calls or {}).get("calls", {}).get(call_id, {})
    return found


def ends_at(row: models.Message) -> datetime:
    """The time at which an answer with client tools is given up."""
    began = (row.client_calls or {}).get("began")
    since = datetime.fromisoformat(began) if began else row.run_at
    return since + timedelta(seconds=config.current().client_run_seconds)


def run_is_over(row: models.Message) -> bool:
    """Whether the time of the whole answer has ended (`ends_at`)."""
    return ends_at(row) <= utc_now()


def is_due(row: models.Message) -> bool:
    """Whether the deadline of the call in flight has passed."""
    return row.client_due_at is not None and row.client_due_at <= utc_now()


def holder(row: models.Message, call_id: str, now: datetime) -> str | None:
    """The tab that carries out a call; None if no tab does."""
    of_call = record(row, call_id)
    lease = of_call.get("lease")
    return of_call["tab"] if lease is not None and datetime.fromisoformat(lease) > now else None


def require_free(row: models.Message, call_id: str) -> None:
    """Refuses a reply to a call that a browser tab runs, because that tab sends the result with its token.

    Raises:
        errors.Conflict: A tab carries out the call.
    """
    if holder(row, call_id, utc_now()) is not None:
        raise errors.Conflict("A browser tab is running this call and will send its result.", code=CLAIMED)


def require_document(row: models.Message, call: parts.Part, document: str | None) -> None:
    """Checks that a client tool has worked on the document for which the tools were declared.

    Raises:
        errors.Invalid: No document is named.
        errors.Forbidden: Another document is named.
    """
    declared = client_tools.stored(row.client_tools)
    if tool_of(row, call) is None or declared is None or declared.document == document:
        return
    if document is None:
        raise errors.Invalid("Name the document that the tool has worked on.", field="documentId")
    raise errors.Forbidden("This call is for another document.", code=REFUSED)


def require_version(row: models.Message, call: parts.Part, version: int | None) -> None:
    """Refuses a caller whose version of a tool differs from the version that the model knows.

    Args:
        row: The answer.
        call: The call.
        version: The caller's version; None if the caller does not state it.

    Raises:
        errors.Conflict: The caller has another version.
    """
    tool = tool_of(row, call)
    if tool is not None and version is not None and version != tool.version:
        raise errors.Conflict(
            f"This call of {tool.name} was made with version {tool.version} of the tool, and you have version "
            f"{version}. Load the page again, or send the question again.",
            code="tool_version",
        )


def last(row: models.Message) -> str | None:
    """The id of the call that was answered last; None if none was."""
    return (row.client_calls or {}).get("last")
