"""Claims of calls of a caller's tools. One tab at a time carries out a call, and sends the result with a token.

A claim is a lease. When the lease of a dead tab ends, the next tab can claim the call, and the old token becomes
invalid. The token is signed, and contains the call, the answer and a nonce. The row of the answer records its use.
"""

import math
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from leaf import config, errors, parts
from leaf.callers import tokens
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, transaction
from leaf.parts import client_tools
from leaf.redis import events, rates
from leaf.services import chats, usage
from leaf.services.runs import answer, calls, job
from leaf.services.runs.active import lock_waiting

_PURPOSE = "client-call"
QUEUED = "call_queued"
USED = "hook_used"


@dataclass(frozen=True)
class Claim:
    """A call that a tab may carry out now."""

    run_id: UUID
    call_id: str
    tool: str
    version: int
    arguments: Any
    document: str | None
    token: str
    lease_seconds: float
    """Claim the call again within this time to keep it."""
    due_seconds: float
    """Send the result within this time."""


@dataclass(frozen=True)
class Delivery:
    """The result of a call, sent with a token."""

    call_id: str
    answer: dict[str, Any]
    """`{"output": …}` or `{"error": "…"}`."""
    version: int | None = None
    document: str | None = None


async def claim(actor: Actor, message_id: UUID, call_id: str, tab: str, version: int | None = None) -> Claim:
    """Claims a call, or renews the claim.

    Args:
        actor: The asker.
        message_id: The answer that waits for the call.
        call_id: The call.
        tab: The caller's own name for its tab.
        version: The caller's version of the tool; None if the caller does not state it.

    Raises:
        errors.NotFound: There is no such answer or call for this person.
        errors.Conflict: Another tab has claimed the call, another call must be carried out first, the call has been
            answered, or the caller has another version of the tool.
        errors.RateLimited: The person has sent too many claims and results within the last minute.
    """
    await throttle(actor)
    async with transaction(actor) as tx:
        row = await lock_waiting(tx, message_id)
        call = _in_flight(row, call_id)
        calls.require_version(row, call, version)
        now = datetime.now(UTC)
        holder = calls.holder(row, call_id, now)
        if holder not in {None, tab}:
            raise errors.Conflict("Another tab carries out this call.", code=calls.CLAIMED)
        nonce = calls.record(row, call_id).get("nonce") if holder == tab else None
        lease = timedelta(seconds=config.current().client_lease_seconds)
        calls.change(row, call_id, tab=tab, lease=(now + lease).isoformat(), nonce=nonce or secrets.token_hex(16))
        tx.after_commit(events.publish, [events.chat(row.chat_session_id)])
    return _claim(row, call, now)


async def deliver(actor: Actor, token: str, delivery: Delivery) -> None:
    """Stores the result of a claimed call. The same result is accepted again and then changes nothing.

    Args:
        actor: The person who has claimed the call.
        token: The token of the claim.
        delivery: The result.

    Raises:
        errors.Forbidden: The token is invalid, has expired, or is for another call or document.
        errors.NotFound: The token is another person's, or the answer is gone.
        errors.Invalid: The result does not fit the tool. A corrected result may be sent.
        errors.Conflict: Another result was sent, another tab has claimed the call, or the answer no longer waits.
        errors.RateLimited: The person has sent too many claims and results within the last minute.
        errors.RedisUnavailable: The answer cannot continue; nothing was stored.
    """
    # Throttle before the token is checked, so that guesses are limited, too.
    await throttle(actor)
    claims = _verified(actor, token, delivery)
    if (outage := await job.outage()) is not None:
        raise outage
    message_id = UUID(str(claims["message"]))
    async with transaction(actor) as tx:
        row = await tx.session.get(models.Message, message_id)
        if row is None or row.user_id != actor.user_id:
            raise errors.NotFound("answer")
        if _is_taken(row, delivery):
            # This is checked before the limits, because a repeated result is accepted even if a limit is reached.
            return
        # All transactions lock the budget before the chat. Otherwise two of them could deadlock.
        allowance = await usage.reserve(tx, actor)
        await chats.find(tx, row.chat_session_id, lock=True)
        await tx.session.refresh(row)
        if _is_taken(row, delivery):
            return
        call = _claimed_part(row, claims, delivery)
        calls.require_version(row, call, delivery.version)
        goes_on = answer.record_reply(row, delivery.call_id, delivery.answer)
        if goes_on:
            row.reserved_tokens, row.reserved_usd = allowance.tokens, allowance.usd
            answer.go_on(row)
            tx.after_commit(job.enqueue, row)
        topics = [
            events.chat(row.chat_session_id),
            *([events.chats_of(row.user_id)] if goes_on and row.user_id else []),
        ]
        tx.after_commit(events.publish, topics)


async def throttle(actor: Actor) -> None:
    """Counts a claim, or a reply to a call by any route.

    Raises:
        errors.RateLimited: There were too many within the last minute.
    """
    most = config.current().client_calls_per_minute
    if wait := await rates.take(f"client-calls:{actor.asker_id}", most, seconds=60):
        raise errors.RateLimited(f"At most {most} claims and results within a minute.", resets_in_seconds=wait)


def _in_flight(row: models.Message, call_id: str) -> parts.Part:
    call = next((one for one in calls.open_calls(row.parts) if one["toolCallId"] == call_id), None)
    if call is None or calls.tool_of(row, call) is None:
        raise errors.NotFound("call")
    if call_id in (row.answers or {}):
        raise errors.Conflict("This call has been answered.", code=USED)
    current = calls.next_call(row)
    if current is None or current["toolCallId"] != call_id:
        raise errors.Conflict("Another call of this answer is carried out first.", code=QUEUED)
    return call


def _claim(row: models.Message, call: parts.Part, now: datetime) -> Claim:
    declared = client_tools.stored(row.client_tools)
    tool = calls.tool_of(row, call)
    if declared is None or tool is None or row.client_due_at is None or row.workflow_run_id is None:
        raise errors.NotFound("call")
    call_id: str = call["toolCallId"]
    left = (row.client_due_at - now).total_seconds()
    token = tokens.sign(
        {
            "run": str(row.workflow_run_id), "message": str(row.id), "call": call_id, "user": str(row.user_id),
            "document": declared.document, "nonce": calls.record(row, call_id)["nonce"],
            "exp": math.ceil(time.time() + max(0.0, left)),
        },
        key=config.current().signing_secret,
        purpose=_PURPOSE,
    )  # fmt: skip
    return Claim(
        run_id=row.workflow_run_id,
        call_id=call_id,
        tool=tool.name,
        version=tool.version,
        arguments=call.get("input"),
        document=declared.document,
        token=token,
        lease_seconds=min(config.current().client_lease_seconds, max(0.0, left)),
        due_seconds=max(0.0, left),
    )


def _verified(actor: Actor, token: str, delivery: Delivery) -> dict[str, Any]:
    refused = errors.Forbidden("This token is invalid or has expired. Claim the call again.", code=calls.REFUSED)
    try:
        claims = tokens.verify(token, key=config.current().signing_secret, purpose=_PURPOSE)
        UUID(str(claims["message"]))
    except (errors.Invalid, KeyError, ValueError):
        raise refused from None
    if claims.get("user") != str(actor.user_id):
        raise errors.NotFound("call")
    if claims.get("call") != delivery.call_id:
        raise errors.Forbidden("This token is for another call.", code=calls.REFUSED)
    if delivery.document is None and claims.get("document") is not None:
        raise errors.Invalid("Name the document that the tool has worked on.", field="documentId")
    if claims.get("document") != delivery.document:
        raise errors.Forbidden("This token is for another document.", code=calls.REFUSED)
    return claims


def _is_taken(row: models.Message, delivery: Delivery) -> bool:
    """Whether the same result was sent before.

    Raises:
        errors.Conflict: Another result was sent before.
    """
    taken = calls.record(row, delivery.call_id).get("result")
    if taken is None:
        return False
    if taken != client_tools.Outcome.of(delivery.answer).digest:
        raise errors.Conflict("A different result was already sent for this call.", code=USED)
    return True


def _claimed_part(row: models.Message, claims: dict[str, Any], delivery: Delivery) -> parts.Part:
    if row.status is not MessageStatus.WAITING or claims.get("run") != str(row.workflow_run_id):
        raise errors.Conflict("This answer no longer waits for this call.", code="call_over")
    call = _in_flight(row, delivery.call_id)
    if claims.get("nonce") != calls.record(row, delivery.call_id).get("nonce"):
        raise errors.Conflict("Another tab has taken over this call.", code=calls.CLAIMED)
    return call
