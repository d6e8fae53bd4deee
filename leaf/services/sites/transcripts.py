"""Visitors' conversations for the site's team: stored messages, and the run of the answer that is being written.

SQL functions return the rows, and each checks the membership.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from leaf import errors, sites, texts
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats
from leaf.sites import ConversationMessage


@dataclass(frozen=True)
class Head:
    """The head of a conversation."""

    agent_id: UUID
    title: str
    visitor_kind: str
    visitor: str
    """The site's own id of the user; empty for an anonymous browser."""
    context: dict[str, Any]
    started_at: datetime
    active_at: datetime
    archived: bool
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Transcript:
    """A conversation with all its events, and the usage of its answers."""

    head: Head
    events: list[dict[str, Any]]
    """The events of the messages. An answer that is being written has no events yet."""
    usage: list[dict[str, Any]]
    """The usage of each answer: messageId, model, inputTokens, outputTokens, costUsd, durationMs, firstTextMs."""
    run_id: UUID | None
    """The run that is writing an answer; None if no answer is being written."""


async def transcript(actor: Actor, chat_id: UUID) -> Transcript:
    """A conversation along its newest branch, with tool calls and errors.

    The reasons of failures are in the language of the event that is being handled.

    Raises:
        errors.NotFound: The conversation does not exist for this member.
    """
    async with transaction(actor, read_only=True) as tx:
        head = await _head(tx, chat_id)
        rows = (await tx.call("leaf_tenant_messages", chat_id)).all()
        failures = {row.id: row.failure for row in await tx.call("leaf_tenant_failures", chat_id)}
    if not rows:
        raise errors.NotFound("chat")
    tree = chats.Tree([(row.id, row.parent_id) for row in rows])
    path = {*tree.path(tree.tip(None))}
    kept = [row for row in rows if row.id in path]
    usage = [
        {
            "messageId": str(row.id), "model": row.model, "inputTokens": row.input_tokens,
            "outputTokens": row.output_tokens, "costUsd": None if row.cost_usd is None else str(row.cost_usd),
            "durationMs": row.duration_ms, "firstTextMs": row.first_text_ms,
        }
        for row in kept
        if row.role == "assistant"
    ]  # fmt: skip
    running = kept[-1].run_id if kept[-1].status in chats.UNFINISHED else None
    return Transcript(head, sites.events_of(_message(row, failures.get(row.id)) for row in kept), usage, running)


async def watch(actor: Actor, chat_id: UUID, *, every_seconds: float) -> AsyncGenerator[bool]:
    """Yields after changes of a conversation, and once when it has subscribed.

    Each yield confirms that the member may still read. Its value says whether the conversation has changed.

    Args:
        actor: A member of the site's team.
        chat_id: The conversation.
        every_seconds: The longest time between two yields.

    Raises:
        errors.NotFound: The conversation does not exist for this member.
    """
    if actor.user_id is None:
        raise errors.NotFound("chat")
    # An event of the member may mean that their membership has ended.
    async with events.subscribe([events.chat(chat_id), events.user(actor.user_id)]) as subscription:
        changed = True
        while True:
            async with transaction(actor, read_only=True) as tx:
                await _head(tx, chat_id)
            yield changed
            changed = events.chat(chat_id) in await subscription.changed(within_seconds=every_seconds)


async def _head(tx: Transaction, chat_id: UUID) -> Head:
    row = errors.found((await tx.call("leaf_tenant_chat", chat_id)).one_or_none(), "chat")
    return Head(
        row.agent_id, row.title, row.kind, row.subject, row.context, row.started_at, row.active_at, row.archived,
        row.metadata,
    )  # fmt: skip


def _message(row: Any, failure: object) -> ConversationMessage:
    reason = texts.stored(failure, row.error_text or "") or None
    thumb = {"feedback": row.sentiment, "comment": row.comment} if row.sentiment else {}
    return ConversationMessage(
        row.id, row.role, row.parts, row.status, row.created_at, row.updated_at, model=row.model,
        error_code=row.error_code, error_text=reason, metadata={**(row.metadata or {}), **thumb},
        responses=row.responses or [], compacted_at=row.compacted_at, for_team=True,
    )  # fmt: skip
