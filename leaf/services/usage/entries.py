"""Entries of the usage ledger."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from uuid import UUID

from leaf.db.session import Actor, Transaction, transaction

Purpose = Literal["answer", "title", "related", "summary", "plan"]

# A chat or message that is deleted or that the member may not see is stored as NULL, so that an entry reveals nothing
# about other members' chats. The lock keeps the chat until the commit. Deleted members get no entry.
_INSERT = """
    WITH chat AS (SELECT id, workspace_id FROM chat_sessions WHERE id = :chat_id FOR KEY SHARE)
    INSERT INTO usage_entries (
        run_id, purpose, user_id, workspace_id, chat_session_id, message_id, model, requests, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, cost_usd, duration_ms, first_text_ms,
        failed
    )
    SELECT
        :run_id, :purpose, :user_id, coalesce(CAST(:workspace_id AS uuid), (SELECT workspace_id FROM chat)),
        (SELECT id FROM chat),
        (SELECT m.id FROM messages m JOIN chat c ON c.id = m.chat_session_id WHERE m.id = :message_id),
        :model, :requests, :input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens, :thinking_tokens,
        :cost_usd, :duration_ms, :first_text_ms, :failed
    FROM users u WHERE u.id = :user_id
    ON CONFLICT (run_id, purpose, user_id) DO NOTHING
    RETURNING id
"""


@dataclass(frozen=True)
class Entry:
    """Usage of one run for one purpose, over all its requests to the model."""

    run_id: UUID
    purpose: Purpose
    model: str
    """`provider:name`."""
    requests: int = 1
    input_tokens: int = 0
    """Includes tokens read from and written to the provider's cache."""
    output_tokens: int = 0
    """Includes thinking."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0
    cost_usd: Decimal | None = None
    """The cost; None if the price is unknown."""
    duration_ms: int | None = None
    first_text_ms: int | None = None
    """Time from the question to the first word."""
    failed: bool = False


async def record(actor: Actor, entry: Entry, *, chat_id: UUID | None = None, message_id: UUID | None = None) -> bool:
    """Adds usage to the ledger, once for each run and purpose.

    Args:
        actor: The member, or a worker that acts for the member.
        entry: The usage.
        chat_id: The chat of the run. A deleted chat is stored as NULL.
        message_id: The message of the run in that chat.

    Returns:
        Whether the entry is new.

    Raises:
        errors.Unauthenticated: The actor has no user id.
    """
    async with transaction(actor) as tx:
        return await enter(tx, actor, entry, chat_id=chat_id, message_id=message_id)


async def enter(
    tx: Transaction, actor: Actor, entry: Entry, *, chat_id: UUID | None = None, message_id: UUID | None = None
) -> bool:
    """The same as `record`, within a transaction."""
    values = {
        **vars(entry),
        "user_id": actor.member_id,
        "workspace_id": actor.workspace_id,
        "chat_id": chat_id,
        "message_id": message_id,
    }
    return (await tx.execute(_INSERT, values)).first() is not None
