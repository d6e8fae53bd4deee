"""Calls of tools that run at the caller, on the row of the answer that waits for them: one is in flight at a time.

`messages.client_calls` is `{"began": …, "last": …, "calls": {<tool call id>: {"tab", "lease", "nonce", "result"}}}`:
when the answer began; the call that was answered last; and of each call which tab has it in hand and until when, what
its token is bound to, and the digest of what it came to, by which the same outcome is known when it comes once more.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from leaf import client_tools, config, errors, parts
from leaf.client_tools import ClientTool
from leaf.db import models
from leaf.db.models import MessageStatus

_OPEN = {"input-available", "approval-requested"}


def open_calls(message_parts: list[parts.Part]) -> list[parts.Part]:
    """The calls that an answer waits for, as long as it waits."""
    return [part for part in message_parts if parts.is_tool(part) and part["state"] in _OPEN]


def tool_of(row: models.Message, call: parts.Part) -> ClientTool | None:
    """The caller's tool that is called; None for one of Leaf's own."""
    declared = client_tools.stored(row.client_tools)
    return declared.tool(parts.tool_name(call)) if declared is not None else None


def next_call(row: models.Message) -> parts.Part | None:
    """The call of a caller's tool that is in flight: the first one that has no outcome; the others queue behind it."""
    if row.status is not MessageStatus.WAITING:
        return None
    answered = row.answers or {}
    waits = (part for part in open_calls(row.parts) if part["toolCallId"] not in answered)
    return next((part for part in waits if part["state"] == "input-available" and tool_of(row, part)), None)


def await_next(row: models.Message) -> None:
    """Says until when an answer waits for the call that is in flight; for none, if none is."""
    if row.client_tools is None:
        return
    if row.client_calls is None:
        row.client_calls = {"began": (row.run_at or _now()).isoformat(), "calls": {}}
    due = min(_now() + timedelta(seconds=config.current().client_tool_seconds), ends_at(row))
    row.client_due_at = due if next_call(row) is not None else None


def note(row: models.Message, call_id: str, answer: dict[str, Any]) -> None:
    """Takes down what a call of a caller's tool came to, and has the answer wait for the next one."""
    if row.client_tools is None or row.client_calls is None:
        return
    change(row, call_id, result=client_tools.Outcome.of(answer).digest)
    row.client_calls = {**row.client_calls, "last": call_id}
    await_next(row)


def change(row: models.Message, call_id: str, **values: Any) -> None:
    """Changes what is kept of a call."""
    kept = row.client_calls or {}
    calls: dict[str, Any] = kept.get("calls", {})
    row.client_calls = {**kept, "calls": {**calls, call_id: {**calls.get(call_id, {}), **values}}}


def kept(row: models.Message, call_id: str) -> dict[str, Any]:
    """What is kept of a call; nothing of one that nobody has taken up."""
    found: dict[str, Any] = (row.client_calls or {}).get("calls", {}).get(call_id, {})
    return found


def ends_at(row: models.Message) -> datetime:
    """When the whole answer is given up."""
    began = (row.client_calls or {}).get("began")
    since = datetime.fromisoformat(began) if began else row.run_at
    return since + timedelta(seconds=config.current().client_run_seconds)


def run_is_over(row: models.Message) -> bool:
    """Whether the time of the whole answer is up."""
    return ends_at(row) <= _now()


def is_due(row: models.Message) -> bool:
    """Whether the call that it waits for is to be given up."""
    return row.client_due_at is not None and row.client_due_at <= _now()


def holder(row: models.Message, call_id: str, now: datetime) -> str | None:
    """The tab that has a call in hand; None where nobody has."""
    of_call = kept(row, call_id)
    lease = of_call.get("lease")
    return of_call["tab"] if lease is not None and datetime.fromisoformat(lease) > now else None


def require_free(row: models.Message, call_id: str) -> None:
    """Keeps others from answering a call that a tab has in hand: it answers with its token.

    Raises:
        errors.Conflict: A tab has it.
    """
    if holder(row, call_id, _now()) is not None:
        raise errors.Conflict("A tab carries out this call, and hands in what comes of it.", code="call_claimed")


def last(row: models.Message) -> str | None:
    """The call that was answered last."""
    return (row.client_calls or {}).get("last")


def _now() -> datetime:
    return datetime.now(UTC)
