"""Signing secrets, with which a site's servers sign user tokens. An old secret may stay valid for a while."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import delete, func
from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import security
from leaf.services.sites.settings import require

PREFIX: Final = "leaf_sign_"
OVERLAPS_HOURS: Final = (0, 1, 24, 168)
"""The possible times for which earlier secrets stay valid when a new secret is created."""
MOST_SECRETS: Final = 5
"""The largest number of valid secrets of a site."""
_HINT_CHARACTERS: Final = len(PREFIX) + 5


@dataclass(frozen=True)
class SecretRow:
    """A signing secret in a list."""

    id: UUID
    hint: str
    """The beginning of the secret."""
    created_at: datetime
    expires_at: datetime | None
    """The end of its validity; None for the newest secret."""


async def rotate_secret(actor: Actor, site_id: UUID, *, overlap_hours: int) -> tuple[SecretRow, str]:
    """Creates a signing secret. Former secrets stay valid for the overlap.

    Args:
        actor: A member of the site's team.
        site_id: The site.
        overlap_hours: One of `OVERLAPS_HOURS`. Within this time the site's servers need the new secret.

    Returns:
        The row, and the secret, which cannot be shown again.

    Raises:
        errors.Invalid: The overlap is unknown.
        errors.Conflict: Five secrets are valid.
        errors.NotFound: The site does not exist for this member.
    """
    if overlap_hours not in OVERLAPS_HOURS:
        raise errors.Invalid(texts.english("sites.no_value", name="overlap"), field="overlap_hours")
    secret = PREFIX + secrets.token_urlsafe(32)
    async with transaction(actor) as tx:
        await require(tx, site_id)
        await _delete_expired(tx, site_id)
        mine = col(models.SigningSecret.site_id) == site_id
        if (await tx.session.exec(select(func.count()).where(mine))).one() >= MOST_SECRETS:
            raise errors.Conflict(texts.english("sites.too_many_secrets", most=MOST_SECRETS))
        ends = utc_now() + timedelta(hours=overlap_hours)
        former = sqlalchemy.update(models.SigningSecret).where(mine)
        earliest = func.least(func.coalesce(col(models.SigningSecret.expires_at), ends), ends)
        await tx.session.exec(former.values(expires_at=earliest))
        row = models.SigningSecret(
            site_id=site_id, hint=secret[:_HINT_CHARACTERS], sealed=config.current().sealer.seal(secret)
        )
        tx.session.add(row)
        await security.note(tx, security.Kind.SIGNING_KEY_MADE, str(site_id))
    return _row(row), secret


async def list_secrets(actor: Actor, site_id: UUID) -> list[SecretRow]:
    """The valid signing secrets of a site, the newest first. Empty if the actor is not in the site's team."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.SigningSecret).where(
            col(models.SigningSecret.site_id) == site_id,
            func.coalesce(col(models.SigningSecret.expires_at), utc_now() + timedelta(days=1)) > utc_now(),
        )
        rows = (await tx.session.exec(query.order_by(col(models.SigningSecret.created_at).desc()))).all()
    return [_row(row) for row in rows]


async def revoke_secret(actor: Actor, secret_id: UUID) -> None:
    """Revokes a signing secret. Tokens signed with it are refused at once.

    Raises:
        errors.NotFound: The secret does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = delete(models.SigningSecret).where(col(models.SigningSecret.id) == secret_id)
        errors.found((await tx.session.exec(query)).rowcount, "secret")
        await security.note(tx, security.Kind.SIGNING_KEY_REVOKED, str(secret_id))


async def _delete_expired(tx: Transaction, site_id: UUID) -> None:
    ended = col(models.SigningSecret.expires_at) <= utc_now()
    await tx.session.exec(delete(models.SigningSecret).where(col(models.SigningSecret.site_id) == site_id, ended))


def _row(row: models.SigningSecret) -> SecretRow:
    return SecretRow(row.id, row.hint, row.created_at, row.expires_at)
