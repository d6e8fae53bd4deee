"""Data for the administrators of an installation: numbers, feedback, failures and health, without content of chats.

`LEAF_ADMINS` names the administrators. They need a verified e-mail address from a sign-in provider that is trusted for
that (`is_administrator`). Database functions return the rows and name their columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib import metadata
from typing import Any, Final, Literal, cast
from uuid import UUID

from sqlmodel import select

from leaf import config, errors, queue, redis
from leaf.db import models
from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction
from leaf.google import diagnosis, providers
from leaf.google.diagnosis import Diagnosis
from leaf.services import chats, integrations, security
from leaf.services.accounts import Session
from leaf.services.usage import Totals
from leaf.telemetry import tracing
from leaf.texts import Message

DAYS: Final = 30
FAILURES: Final = 100
FEEDBACK: Final = 200
EVENTS: Final = 200
Wanted = Literal["all", "up", "neutral", "down", "comment"]
WANTED: Final[tuple[Wanted, ...]] = ("all", "up", "neutral", "down", "comment")
_PACKAGES: Final = ("reflex", "pydantic-ai-slim", "sqlmodel", "psycopg", "redis", "arq")


@dataclass(frozen=True)
class Person:
    """A member. Tokens and US dollars are those of the current month (UTC)."""

    id: UUID
    name: str
    email: str
    created_at: datetime
    last_seen_at: datetime | None
    """The last use of an open session; None if all of the member's sessions have ended."""
    chats: int
    tokens: int
    cost_usd: Decimal


@dataclass(frozen=True)
class FeedbackEntry:
    """An entry of feedback. `run_id` and `model` name the answer that it refers to; None for general feedback."""

    id: UUID
    at: datetime
    sentiment: str | None
    comment: str
    page: str
    user_agent: str
    email: str | None
    run_id: UUID | None
    model: str | None


@dataclass(frozen=True)
class Failure:
    """A failed run, with its error code but without any content."""

    run_id: UUID
    at: datetime
    code: str
    model: str
    trace_id: str


@dataclass(frozen=True)
class DriveFailure:
    """A failure of Drive, and how many members have it in their connection now or had it recently."""

    found: Diagnosis
    members: int
    accounts: str
    """The Google accounts that are affected, or else the members' addresses; at most five, then an ellipsis."""

    @property
    def text(self) -> Message:
        """The text that says what an administrator has to do, or else the message about the fault."""
        return integrations.forwarded(self.found) or self.found.message


@dataclass(frozen=True)
class Health:
    """The state of the services. A value is None if its service does not answer."""

    database: str
    revision: str
    database_bytes: int
    unfinished: int
    redis: str | None
    redis_bytes: int | None
    queue: int | None
    large_chats: int
    """The number of chats near their maximum size; counting stops at 100."""
    worker: str | None
    """The last report of a worker; None if there was none in the last half minute."""
    versions: dict[str, str]
    """Versions, by package name."""


async def is_administrator(session: Session) -> bool:
    """Whether a member is an administrator: their address is configured and proven (`providers.proving`)."""
    if session.email.strip().casefold() not in config.current().administrators:
        return False
    async with transaction(session.actor, read_only=True) as tx:
        proven = (await tx.session.exec(select(models.Identity.provider))).all()
    return bool(proven) and providers.proving().issuperset(proven)


async def require(session: Session) -> None:
    """Refuses everybody session is not an administrator.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    if not await is_administrator(session):
        raise errors.NotFound


async def opened(session: Session) -> None:
    """Records that an administrator opened the administration.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    await require(session)
    await security.record(session.actor, security.Kind.ADMINISTRATION_OPENED)


async def security_events(session: Session) -> list[security.Event]:
    """The latest security events of all members, newest first; at most 200.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    return security.events_of(await _ask(session, "leaf_admin_security_events", EVENTS))


async def people(session: Session) -> list[Person]:
    """All members, those with the highest usage first; at most 1,000.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    month = utc_now().date().replace(day=1)
    rows = await _ask(session, "leaf_admin_users", month)
    return [
        Person(
            row.user_id, row.name, row.email, row.created_at, row.last_seen_at, row.chats, int(row.tokens), row.cost_usd
        )
        for row in rows
    ]


async def usage_by_day(session: Session) -> list[tuple[date, Totals, int]]:
    """For each recent day, the usage of all members and the number of active members; today comes last.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    today = utc_now().date()
    first = today - timedelta(days=DAYS - 1)
    rows = await _ask(session, "leaf_admin_usage", first)
    found = {
        row.day: (Totals(requests=int(row.requests), input_tokens=int(row.tokens), cost_usd=row.cost_usd), row.people)
        for row in rows
    }
    listed = [first + timedelta(days=place) for place in range(DAYS)]
    return [(day, *found.get(day, (Totals(), 0))) for day in listed]


async def feedback(session: Session, wanted: str = "all") -> list[FeedbackEntry]:
    """The latest feedback, at most 200 entries.

    Args:
        session: The administrator.
        wanted: One of `WANTED`; any other value selects all.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    chosen = wanted if wanted in WANTED else "all"
    rows = await _ask(session, "leaf_admin_feedback", chosen, FEEDBACK)
    return [FeedbackEntry(*row) for row in rows]


async def failures(session: Session) -> list[Failure]:
    """The latest failed answers, at most 100.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    rows = await _ask(session, "leaf_admin_failures", FAILURES)
    return [
        Failure(row.run_id, row.ended_at, row.error_code or "", row.model or "", tracing.trace_id(row.run_id))
        for row in rows
    ]


async def health(session: Session) -> Health:
    """The state of the services.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    (row,) = await _ask(session, "leaf_admin_health")
    facts = await _redis()
    return Health(
        database=row.server_version.partition(" ")[0],
        revision=row.revision,
        database_bytes=row.size_bytes,
        unfinished=row.unfinished,
        redis=facts.get("version"),
        redis_bytes=facts.get("memory"),
        queue=facts.get("queue"),
        large_chats=len(await chats.large()),
        worker=facts.get("worker"),
        versions={name: metadata.version(name) for name in _PACKAGES},
    )


async def _redis() -> dict[str, Any]:
    try:
        with redis.guard():
            client = cast("Any", redis.client())
            about, memory = await client.info("server"), await client.info("memory")
        standing = await queue.current().standing()
    except errors.RedisUnavailable:
        return {}
    return {
        "version": str(about["redis_version"]),
        "memory": int(memory["used_memory"]),
        "queue": standing.jobs,
        "worker": standing.heartbeat,
    }


async def drive_failures(session: Session) -> list[DriveFailure]:
    """The failures that are recorded at connections, the most frequent first, and then bugs that calls have met.

    Raises:
        errors.NotFound: The actor is not an administrator.
    """
    counted = await _ask(session, "leaf_admin_drives")
    failures: list[DriveFailure] = []
    for row in counted:
        found = diagnosis.of_data({"cause": row.cause, "particulars": row.particulars or {}})
        if found is not None:
            accounts = _account_list(row.accounts, row.members)
            # The command in the text is for a single member.
            known = found.with_particulars(link=row.link, account=accounts, member=row.accounts[0])
            failures.append(DriveFailure(known, row.members, accounts))
    return failures + [_of_bug(one) for one in await integrations.known_bugs()]


def _of_bug(bug: integrations.Bug) -> DriveFailure:
    accounts = _account_list(bug.accounts, bug.members)
    return DriveFailure(Diagnosis(bug.cause, {"account": accounts, "member": bug.accounts[0]}), bug.members, accounts)


def _account_list(accounts: Sequence[str], members: int) -> str:
    return ", ".join([*accounts, *(["…"] if members > len(accounts) else [])])


async def _ask(session: Session, function: str, *arguments: object) -> Sequence[Any]:
    await require(session)
    async with transaction(Actor.administrator(session.user_id), read_only=True) as tx:
        return (await tx.call(function, *arguments)).all()
