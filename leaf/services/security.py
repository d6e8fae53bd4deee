"""The log of security events of accounts. An event has a kind, a time and a network, and never a secret.

A new kind of event needs an entry in `Kind`, in the texts (`security.…`), and in `leaf.components.security`. An event
is recorded in the transaction of the change that causes it (`note`), so that both are stored or neither.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import insert
from sqlmodel import col, select

from leaf import callers, config, errors
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import rates
from leaf.telemetry.metrics import instruments

log = logging.getLogger(__name__)

SHOWN: Final = 50
REFUSALS_AN_HOUR: Final = 20
"""The largest number of refused sign-ins of one network that are recorded, so that strangers cannot fill the table."""
LIMITS_AN_HOUR: Final = 10
"""If a member reaches limits more often than this within an hour, one event is recorded in that hour."""
_HOUR: Final = 3600.0
_ABOUT_CHARACTERS: Final = 100
_USER_AGENT_CHARACTERS: Final = 120


class Kind(StrEnum):
    """Kinds of events."""

    SIGNED_IN = "signed_in"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGNED_OUT = "signed_out"
    SESSION_REVOKED = "session_revoked"
    SESSIONS_REVOKED = "sessions_revoked"
    DRIVE_CONNECTED = "drive_connected"
    DRIVE_DISCONNECTED = "drive_disconnected"
    DRIVE_LOST = "drive_lost"
    DATA_EXPORTED = "data_exported"
    ACCOUNT_DELETED = "account_deleted"
    """Recorded by the database itself, without the member."""
    LINK_MADE = "link_made"
    LINK_REVOKED = "link_revoked"
    PERSON_INVITED = "person_invited"
    PERSON_REMOVED = "person_removed"
    CHAT_LEFT = "chat_left"
    ADMINISTRATION_OPENED = "administration_opened"
    LIMITS_REACHED = "limits_reached"
    API_KEY_MADE = "api_key_made"
    API_KEY_REVOKED = "api_key_revoked"
    SITE_KEY_MADE = "site_key_made"
    SITE_KEY_REVOKED = "site_key_revoked"
    SIGNING_KEY_MADE = "signing_key_made"
    SIGNING_KEY_REVOKED = "signing_key_revoked"
    SITE_INVITED = "tenant_invited"
    SITE_JOINED = "tenant_joined"
    SITE_MEMBER_REMOVED = "tenant_member_removed"
    SITE_DELETED = "tenant_deleted"
    SITE_FOLDER_ADDED = "site_folder_added"
    CONVERSATIONS_EXPORTED = "conversations_exported"


@dataclass(frozen=True)
class Event:
    """One event. `about` is a word such as a provider, a code or the id of a chat. `network` is a /24 or a /64."""

    id: UUID
    at: datetime
    kind: str
    about: str
    network: str
    user_agent: str
    email: str = ""
    """The address of the member. Only administrators see it, and only as long as the member exists."""


async def note(tx: Transaction, kind: Kind, about: str = "") -> None:
    """Records an event of the actor in a transaction.

    Args:
        tx: A transaction of the member, or of the system if no member is known.
        kind: The kind of event.
        about: A detail in a word, without secrets and without data of other people.
    """
    caller = callers.current()
    values = {
        "user_id": tx.actor.user_id,
        "kind": kind.value,
        "about": storable.text(about)[:_ABOUT_CHARACTERS],
        "network": callers.prefix(caller.address),
        "user_agent": storable.text(caller.user_agent)[:_USER_AGENT_CHARACTERS],
    }
    # The statement has no RETURNING, because nobody may read a row without a member.
    await tx.execute(insert(models.SecurityEvent).values(values))
    instruments.security_events.labels(kind.value).inc()


async def record(actor: Actor, kind: Kind, about: str = "") -> None:
    """Records an event in a transaction of its own.

    Raises:
        errors.DatabaseUnavailable: The database does not answer.
    """
    async with transaction(actor) as tx:
        await note(tx, kind, about)


async def sign_in_refused(code: str) -> None:
    """Records a refused sign-in, up to a limit by network and hour.

    If the database does not answer, the refusal is not recorded and the failure is logged.

    Args:
        code: Code of the refusal.
    """
    network = callers.prefix(callers.current().address) or "nowhere"
    instruments.security_events.labels(Kind.SIGN_IN_REFUSED.value).inc()
    if await rates.take(f"refused:{network}", REFUSALS_AN_HOUR, seconds=_HOUR):
        return
    try:
        await record(Actor.system(), Kind.SIGN_IN_REFUSED, code)
    except errors.Unavailable:
        log.warning("a refused sign-in could not be recorded: %s", code)


async def limit_reached(actor: Actor, limit: str) -> None:
    """Counts a reached limit, and records it if it happens often (`LIMITS_AN_HOUR`).

    Args:
        actor: The member.
        limit: Code of the refusal.
    """
    if not await rates.take(f"limits:{actor.user_id}", LIMITS_AN_HOUR, seconds=_HOUR):
        return
    if await rates.take(f"limits:noted:{actor.user_id}", 1, seconds=_HOUR):
        return
    try:
        await record(actor, Kind.LIMITS_REACHED, limit)
    except errors.Unavailable:
        log.warning("a reached limit could not be recorded: %s", limit)


async def mine(actor: Actor) -> list[Event]:
    """The member's own latest events, the newest first; at most 50."""
    event = models.SecurityEvent
    async with transaction(actor, read_only=True) as tx:
        query = select(event).order_by(col(event.created_at).desc(), col(event.id)).limit(SHOWN)
        rows = (await tx.session.exec(query)).all()
    return [_event(row) for row in rows]


def events_of(rows: Sequence[Any]) -> list[Event]:
    """Events from rows of `leaf_admin_security_events`."""
    return [_event(row) for row in rows]


def _event(row: Any) -> Event:
    return Event(
        id=row.id,
        at=row.created_at,
        kind=row.kind,
        about=row.about,
        network=str(row.network or ""),
        user_agent=row.user_agent,
        email=getattr(row, "email", "") or "",
    )


async def purge() -> int:
    """Deletes events older than the settings allow; returns their number.

    Raises:
        errors.DatabaseUnavailable: The database does not answer.
    """
    async with transaction(Actor.system()) as tx:
        return (await tx.call("leaf_purge_security_events", config.current().audit_days)).scalar_one()
