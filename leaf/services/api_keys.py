"""API keys with which a member's programs call Leaf. A key is shown once, and only its hash is stored."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import func
from sqlmodel import col, delete, select

from leaf import errors, texts
from leaf.callers import tokens
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import security

Scope = Literal["read", "write", "drive"]
SCOPES: Final[tuple[Scope, ...]] = ("read", "write", "drive")
"""Permissions of a key: read chats, usage and models; ask and change chats; read Drive and disconnect it."""
LIFETIMES_DAYS: Final = (30, 90, 365, 0)
"""Possible lifetimes of a key in days; 0 for no end."""
NAME_CHARACTERS: Final = 80
MOST_KEYS: Final = 50
"""Maximum number of keys of a member."""
PREFIX: Final = "leaf_key_"
_HINT_CHARACTERS = len(PREFIX) + 5
_LONGEST_KEY = 200
_TOUCH_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class KeyRow:
    """A key of a member, as Settings lists it."""

    id: UUID
    name: str
    hint: str
    """The beginning of the key."""
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    expired: bool


@dataclass(frozen=True)
class Bearer:
    """The member to whom a key belongs, and the permissions of the key."""

    id: UUID
    user_id: UUID
    workspace_id: UUID
    scopes: frozenset[str]

    @property
    def actor(self) -> Actor:
        """The member as an actor."""
        return Actor.user(self.user_id, self.workspace_id)


async def create(actor: Actor, name: str, scopes: Collection[str], *, lasts_days: int) -> tuple[KeyRow, str]:
    """Creates a key.

    Args:
        actor: The member.
        name: Its name, 1-80 characters.
        scopes: Its permissions; at least one of `SCOPES`.
        lasts_days: One of `LIFETIMES_DAYS`.

    Returns:
        The row, and the key, which cannot be shown again.

    Raises:
        errors.Invalid: The name, the scopes or the lifetime is invalid, or the member already has 50 keys.
    """
    stored = storable.name(name, NAME_CHARACTERS)
    if stored is None:
        raise errors.Invalid(texts.english("keys.name_length", most=NAME_CHARACTERS), field="name")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise errors.Invalid(texts.english("keys.no_scope"), field="scopes")
    if lasts_days not in LIFETIMES_DAYS:
        raise errors.Invalid(texts.english("keys.no_such_time"), field="expires")
    key = tokens.new("key")
    row = models.ApiKey(
        user_id=actor.member_id,
        name=stored,
        hint=key[:_HINT_CHARACTERS],
        token_hash=tokens.digest(key),
        scopes=[scope for scope in SCOPES if scope in scopes],
        expires_at=datetime.now(UTC) + timedelta(days=lasts_days) if lasts_days else None,
    )
    async with transaction(actor) as tx:
        await tx.lock(f"api-keys:{actor.user_id}")
        count = select(func.count()).where(col(models.ApiKey.user_id) == actor.user_id)
        if (await tx.session.exec(count)).one() >= MOST_KEYS:
            raise errors.Invalid(texts.english("keys.too_many", most=MOST_KEYS), field="name")
        tx.session.add(row)
        await security.note(tx, security.Kind.API_KEY_MADE, row.hint)
    return _row(row), key


async def listed(actor: Actor) -> list[KeyRow]:
    """The member's keys, newest first, including expired ones."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.ApiKey).order_by(col(models.ApiKey.created_at).desc())
        return [_row(row) for row in (await tx.session.exec(query)).all()]


async def revoke(actor: Actor, key_id: UUID) -> None:
    """Revokes a key at once. Streams that are read with it end too.

    Raises:
        errors.NotFound: It is not the member's key, or was already revoked.
    """
    async with transaction(actor) as tx:
        query = delete(models.ApiKey).where(col(models.ApiKey.id) == key_id).returning(col(models.ApiKey.id))
        errors.found((await tx.session.exec(query)).one_or_none(), "key")
        await security.note(tx, security.Kind.API_KEY_REVOKED)
        tx.after_commit(events.publish, [events.user(actor.member_id)])


async def bearer(key: str) -> Bearer | None:
    """The member and permissions of a key; None if it is unknown, expired or revoked."""
    if not key.startswith(PREFIX) or len(key) > _LONGEST_KEY or not key.isascii():
        return None
    digest = tokens.digest(key)
    async with transaction(Actor.system()) as tx:
        row = (await tx.call("leaf_api_key", digest)).one_or_none()
        if row is None:
            return None
        if row.last_used_at is None or datetime.now(UTC) - row.last_used_at > _TOUCH_EVERY:
            await tx.call("leaf_touch_api_key", digest)
    return Bearer(row.key_id, row.user_id, row.workspace_id, frozenset(row.scopes))


async def is_valid(tx: Transaction, key: str) -> bool:
    """Whether a key has neither expired nor been revoked."""
    return (await tx.call("leaf_api_key", tokens.digest(key))).first() is not None


def _row(row: models.ApiKey) -> KeyRow:
    return KeyRow(
        row.id,
        row.name,
        row.hint,
        tuple(row.scopes),
        row.created_at,
        row.expires_at,
        row.last_used_at,
        expired=row.expires_at is not None and row.expires_at <= datetime.now(UTC),
    )
