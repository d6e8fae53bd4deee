"""Provider logs: requests to models and their responses, kept for some days if the agent's setting allows it.

They serve to find faults, and no other feature reads them. `leaf.agent.provider_log` removes secrets before.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from sqlalchemy import text

from leaf import config, errors
from leaf.db import storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction
from leaf.sites import SiteAgent

_MOST: Final = 200
"""The largest number of requests to list for a conversation."""
# The statement has no RETURNING, because the writer may not read the row.
_INSERT = text("""
    INSERT INTO provider_logs (
        tenant_id, agent_id, chat_session_id, message_id, run_id, number, address, status, latency_ms, request,
        request_bytes, response, response_bytes, expires_at
    )
    SELECT
        :tenant, :agent, :chat, :message, :run, :number, :address, CAST(:status AS integer), :latency_ms, :request,
        :request_bytes, :response, :response_bytes, :expires_at
    WHERE leaf_may_log(:tenant, :agent, :chat, :message)
""")


class Exchange(Protocol):
    """A request to a model, and its response, without secrets."""

    @property
    def address(self) -> str: ...
    @property
    def status(self) -> int | None: ...
    @property
    def latency_ms(self) -> int: ...
    @property
    def request(self) -> str: ...
    @property
    def request_bytes(self) -> int: ...
    @property
    def response(self) -> str: ...
    @property
    def response_bytes(self) -> int: ...


@dataclass(frozen=True)
class LogRow:
    """A request to a model in a list."""

    id: UUID
    message_id: UUID
    number: int
    """The number of the request in its run, from 1."""
    address: str
    status: int | None
    """The HTTP status; None without a response."""
    latency_ms: int
    request_bytes: int
    response_bytes: int
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class Logged:
    """The texts of a request and its response. A text that is too long is cut and ends with `…`."""

    request: str
    response: str


async def keep_logs(
    actor: Actor, agent: SiteAgent, chat_id: UUID, message_id: UUID, run_id: UUID, exchanges: Sequence[Exchange]
) -> None:
    """Stores the requests of a run.

    Args:
        actor: The visitor, or a worker that acts for the visitor.
        agent: The agent.
        chat_id: The chat.
        message_id: The answer.
        run_id: The run.
        exchanges: The requests in order.

    Raises:
        errors.NotFound: The log is turned off, or the chat is not the visitor's.
    """
    shared = {
        "tenant": agent.site_id, "agent": agent.id, "chat": chat_id, "message": message_id, "run": run_id,
        "expires_at": utc_now() + timedelta(days=config.current().provider_log_days),
    }  # fmt: skip
    # Secrets are removed when a text is read, which is slow for long texts.
    rows = await asyncio.to_thread(lambda: [shared | _texts(place, one) for place, one in enumerate(exchanges, 1)])
    async with transaction(actor) as tx:
        for one in rows:
            errors.found((await tx.execute(_INSERT, one)).rowcount, "chat")


def _texts(number: int, exchange: Exchange) -> dict[str, object]:
    return {
        "number": number, "address": exchange.address, "status": exchange.status, "latency_ms": exchange.latency_ms,
        "request": storable.text(exchange.request), "request_bytes": exchange.request_bytes,
        "response": storable.text(exchange.response), "response_bytes": exchange.response_bytes,
    }  # fmt: skip


async def list_logs(actor: Actor, chat_id: UUID) -> list[LogRow]:
    """The newest logged requests of a conversation, the oldest first. Empty if the actor is not in the site's team."""
    query = text(
        "SELECT * FROM (SELECT id, message_id, number, address, status, latency_ms, request_bytes, response_bytes, "
        "created_at, expires_at FROM provider_logs WHERE chat_session_id = :chat "
        "ORDER BY created_at DESC, number DESC LIMIT :most) newest ORDER BY created_at, number"
    )
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.execute(query, {"chat": chat_id, "most": _MOST})).all()
    return [LogRow(*row) for row in rows]


async def read_log(actor: Actor, log_id: UUID) -> Logged:
    """One logged request.

    Raises:
        errors.NotFound: The request does not exist for this member, or has expired.
    """
    async with transaction(actor, read_only=True) as tx:
        query = text("SELECT request, response FROM provider_logs WHERE id = :id")
        row = errors.found((await tx.execute(query, {"id": log_id})).one_or_none(), "log")
    return Logged(row.request, row.response)


async def expire_logs() -> int:
    """Deletes expired logs and returns their number."""
    async with transaction(Actor.system()) as tx:
        return int((await tx.call("leaf_expire_provider_logs")).scalar_one())
