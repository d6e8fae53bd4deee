"""Creates, renames and deletes sites, and sets the monthly limits of their visitors."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models, storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import security

NAME_CHARACTERS: Final = 80
MOST_SITES: Final = 20
"""The largest number of sites of a member."""


@dataclass(frozen=True)
class SiteRow:
    """A site with the data that its team may see."""

    id: UUID
    name: str
    monthly_tokens: int | None
    """The monthly limit of the site's visitors in tokens; None for the limit of the installation."""
    monthly_usd: Decimal | None
    """The monthly limit of the site's visitors in US dollars; None for the limit of the installation."""
    created_at: datetime


async def create(actor: Actor, name: str) -> UUID:
    """Creates a site, and returns its id. The actor becomes its first member.

    Raises:
        errors.Unauthenticated: The actor is not a member.
        errors.Forbidden: Sites are turned off in this installation.
        errors.Invalid: The name is empty or too long, or the member has 20 sites.
    """
    if actor.kind != "user":
        raise errors.Unauthenticated
    if not config.current().sites:
        raise errors.Forbidden(texts.english("sites.off"))
    name = stored_name(name)
    async with transaction(actor) as tx:
        count = select(func.count()).select_from(models.Site)
        if (await tx.session.exec(count)).one() >= MOST_SITES:
            raise errors.Invalid(texts.english("sites.too_many", most=MOST_SITES), field="name")
        return (await tx.call("leaf_new_tenant", name)).scalar_one()


async def listed(actor: Actor) -> list[SiteRow]:
    """The sites to whose teams the member belongs, the oldest first."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Site).order_by(col(models.Site.created_at), col(models.Site.id))
        return [_row(row) for row in (await tx.session.exec(query)).all()]


async def read(actor: Actor, site_id: UUID) -> SiteRow:
    """A site.

    Raises:
        errors.NotFound: The site does not exist for this member.
    """
    async with transaction(actor, read_only=True) as tx:
        row = errors.found(await tx.session.get(models.Site, site_id), "site")
    return _row(row)


def _row(row: models.Site) -> SiteRow:
    return SiteRow(row.id, row.name, row.monthly_tokens, row.monthly_usd, row.created_at)


async def change(
    actor: Actor,
    site_id: UUID,
    *,
    name: str,
    monthly_tokens: int | None = None,
    monthly_usd: Decimal | None = None,
) -> None:
    """Changes the name and the monthly limits of a site.

    None removes a limit of the site, so that the installation's limit applies.

    Raises:
        errors.Invalid: The name is empty or too long, or a limit is not positive.
        errors.NotFound: The site does not exist for this member.
    """
    has_valid_tokens = monthly_tokens is None or 0 < monthly_tokens < 2**62
    has_valid_usd = monthly_usd is None or 0 < monthly_usd < 10**9
    if not (has_valid_tokens and has_valid_usd):
        raise errors.Invalid(texts.english("sites.no_limit"), field="limit")
    values: dict[str, Any] = {
        "name": stored_name(name), "monthly_tokens": monthly_tokens, "monthly_usd": monthly_usd,
        "updated_at": utc_now(),
    }  # fmt: skip
    async with transaction(actor) as tx:
        query = sqlalchemy.update(models.Site).where(col(models.Site.id) == site_id).values(values)
        errors.found((await tx.session.exec(query)).rowcount, "site")


async def delete(actor: Actor, site_id: UUID) -> None:
    """Deletes a site at once, with its agents, visitors and all their chats.

    Raises:
        errors.NotFound: The site does not exist for this member.
    """
    async with transaction(actor) as tx:
        agents = select(models.Agent.id).where(col(models.Agent.site_id) == site_id)
        people = select(models.SiteMember.user_id).where(col(models.SiteMember.site_id) == site_id)
        topics = [events.agent(one) for one in (await tx.session.exec(agents)).all()]
        topics += [events.user(one) for one in (await tx.session.exec(people)).all()]
        tx.after_commit(events.publish, topics)
        query = sqlalchemy.delete(models.Site).where(col(models.Site.id) == site_id)
        errors.found((await tx.session.exec(query)).rowcount, "site")
        await security.note(tx, security.Kind.SITE_DELETED, str(site_id))


async def require(tx: Transaction, site_id: UUID) -> None:
    """Raises `errors.NotFound` unless the actor is a member of the site."""
    query = select(models.Site.id).where(col(models.Site.id) == site_id)
    errors.found((await tx.session.exec(query)).one_or_none(), "site")


def stored_name(name: str) -> str:
    """A name in its stored form.

    Raises:
        errors.Invalid: The name is empty or too long.
    """
    stored = storable.name(name, NAME_CHARACTERS)
    if stored is None:
        raise errors.Invalid(texts.english("sites.name_length", most=NAME_CHARACTERS), field="name")
    return stored
