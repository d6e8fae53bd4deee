"""Accounts: members, their sign-ins and their browser sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlmodel import col, delete, select
from starlette.requests import cookie_parser

from leaf import config, errors
from leaf.callers import tokens
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import oauth
from leaf.redis import events
from leaf.services import security
from leaf.services.joint_reads import JointRead

TOUCH_EVERY = timedelta(minutes=10)
_USER_AGENT_CHARACTERS = 300


@dataclass(frozen=True)
class Session:
    """A signed-in browser, with the data of the member that pages show."""

    id: UUID
    user_id: UUID
    workspace_id: UUID
    name: str
    email: str
    picture_url: str | None
    workspace_name: str

    @property
    def first_name(self) -> str:
        """The name by which pages address the member."""
        return self.name.split(maxsplit=1)[0] if self.name.strip() else self.email

    @property
    def actor(self) -> Actor:
        """The member as an actor."""
        return Actor.user(self.user_id, self.workspace_id)


@dataclass(frozen=True)
class SessionRow:
    """A session of a member, as Settings lists it."""

    id: UUID
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    current: bool


def cookie_name() -> str:
    """The name of the session cookie.

    Browsers do not separate the ports of a host, so several copies of Leaf on one machine need different names.
    """
    settings = config.current()
    if settings.secure_cookies:
        return "__Host-leaf_session"
    return f"leaf_session_{tokens.digest(settings.signing_secret)[:8]}"


def token_of(cookie_header: str) -> str | None:
    """The session token in a Cookie header; None if there is none.

    Starlette parses it, because the standard library's parser fails at cookies that other programs on the host may set.
    """
    return cookie_parser(cookie_header).get(cookie_name()) or None


async def sign_in(provider_id: str, identity: oauth.Identity, *, user_agent: str) -> str:
    """Creates a session for a verified identity. At the first sign-in, it also creates the member and their workspace.

    Args:
        provider_id: The provider of the identity.
        identity: The identity from a verified id_token.
        user_agent: The user agent of the browser, which Settings shows.

    Returns:
        The session token. It is stored in the cookie; the database has only its hash.
    """
    token = tokens.new("session")
    profile = map(storable.text, (identity.subject, identity.email, identity.name, identity.first_name))
    picture = storable.text(identity.picture_url) if identity.picture_url else None
    async with transaction(Actor.system()) as tx:
        user_id: UUID = (await tx.call("leaf_sign_in", provider_id, *profile, picture)).scalar_one()
    async with transaction(Actor.user(user_id)) as tx:
        tx.session.add(
            models.Session(
                user_id=user_id,
                token_hash=tokens.digest(token),
                user_agent=user_agent[:_USER_AGENT_CHARACTERS],
                expires_at=_expiry(),
            )
        )
        await security.note(tx, security.Kind.SIGNED_IN, provider_id)
    return token


async def session(cookie_header: str) -> Session | None:
    """The session of a Cookie header; None if it has none.

    The expiry of an active session is extended, so that nobody is signed out while they work.
    """
    if token_of(cookie_header) is None:
        return None
    # All tabs of a browser ask at the same time, whenever a notice for their member arrives.
    return await _read_session(cookie_header, None)


async def _session(cookie_header: str, _: Sequence[None]) -> Session | None:
    async with transaction(Actor.system()) as tx:
        return await find_session(tx, cookie_header)


_read_session = JointRead(_session)


async def find_session(tx: Transaction, cookie_header: str) -> Session | None:
    """The session of a Cookie header, in a transaction of the system actor; None if it has none."""
    token = token_of(cookie_header)
    if token is None:
        return None
    digest = tokens.digest(token)
    row = (await tx.call("leaf_session_user", digest)).one_or_none()
    if row is None:
        return None
    if datetime.now(UTC) - row.last_seen_at > TOUCH_EVERY:
        await tx.call("leaf_touch_session", digest, _expiry())
    return Session(
        id=row.session_id,
        user_id=row.user_id,
        workspace_id=row.workspace_id,
        name=row.name,
        email=row.email,
        picture_url=row.picture_url,
        workspace_name=row.workspace_name,
    )


async def is_session(tx: Transaction, cookie_header: str) -> bool:
    """Whether a Cookie header has a session that has neither expired nor been revoked."""
    token = token_of(cookie_header)
    return token is not None and (await tx.call("leaf_session_user", tokens.digest(token))).first() is not None


async def sessions(actor: Actor, current_id: UUID) -> list[SessionRow]:
    """The member's sessions that have not expired, the most recently used first.

    Args:
        actor: The member.
        current_id: The current session, which is marked in the result.
    """
    async with transaction(actor) as tx:
        query = (
            select(models.Session)
            .where(col(models.Session.expires_at) > datetime.now(UTC))
            .order_by(col(models.Session.last_seen_at).desc())
        )
        rows = (await tx.session.exec(query)).all()
    return [
        SessionRow(row.id, row.user_agent or "", row.created_at, row.last_seen_at, current=row.id == current_id)
        for row in rows
    ]


async def revoke_session(
    actor: Actor, session_id: UUID, *, noted: security.Kind = security.Kind.SESSION_REVOKED
) -> None:
    """Ends a session of the member.

    Args:
        actor: The member.
        session_id: The session.
        noted: The kind of security event to record.

    Raises:
        errors.NotFound: The session is another member's, or has already ended.
    """
    async with transaction(actor) as tx:
        query = delete(models.Session).where(col(models.Session.id) == session_id).returning(col(models.Session.id))
        errors.found((await tx.session.exec(query)).one_or_none(), "session")
        await security.note(tx, noted)
        # Open tabs of that session read again and find that it has ended.
        tx.after_commit(events.publish, [events.user(actor.member_id)])


async def revoke_others(actor: Actor, current_id: UUID) -> None:
    """Ends all sessions of the member except the current one.

    Args:
        actor: The member.
        current_id: The current session, which stays.

    Raises:
        errors.NotFound: The current session is another member's, or has already ended.
    """
    async with transaction(actor) as tx:
        mine = select(models.Session.id).where(col(models.Session.id) == current_id)
        errors.found((await tx.session.exec(mine)).one_or_none(), "session")
        await tx.session.exec(delete(models.Session).where(col(models.Session.id) != current_id))
        await security.note(tx, security.Kind.SESSIONS_REVOKED)
        tx.after_commit(events.publish, [events.user(actor.member_id)])


async def sign_out(cookie_header: str) -> None:
    """Ends the session of a Cookie header, if it has one."""
    current = await session(cookie_header)
    if current is not None:
        await revoke_session(current.actor, current.id, noted=security.Kind.SIGNED_OUT)


def _expiry() -> datetime:
    return datetime.now(UTC) + timedelta(days=config.current().session_days)
