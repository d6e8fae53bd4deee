"""The team of a site: its members, who all have the same rights, and invitations."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, texts
from leaf.callers import tokens
from leaf.db import models
from leaf.db.models import utc_now
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import security
from leaf.services.sites.settings import require

INVITATION: Final = "leaf_tenant_"
"""The beginning of an invitation's token."""
_INVITATION_DAYS: Final = 7
_MOST_INVITATIONS: Final = 50
_LONGEST_TOKEN: Final = 200


@dataclass(frozen=True)
class Member:
    """A member of a site's team."""

    user_id: UUID
    name: str
    email: str
    joined_at: datetime


async def members(actor: Actor, site_id: UUID) -> list[Member]:
    """The team of a site in the order of joining. Empty if the actor is not in the team."""
    async with transaction(actor, read_only=True) as tx:
        found = await tx.call("leaf_tenant_people", site_id)
        return [Member(row.user_id, row.name, row.email, row.joined_at) for row in found]


async def invite(actor: Actor, site_id: UUID) -> str:
    """Creates an invitation, and returns its token. With it, one signed-in person can join the team within seven days.

    Raises:
        errors.NotFound: The site does not exist for this member.
        errors.Conflict: 50 invitations are open.
    """
    token = tokens.new("tenant")
    async with transaction(actor) as tx:
        await require(tx, site_id)
        count = select(func.count()).where(
            col(models.SiteInvitation.site_id) == site_id, col(models.SiteInvitation.expires_at) > utc_now()
        )
        if actor.user_id is None or (await tx.session.exec(count)).one() >= _MOST_INVITATIONS:
            raise errors.Conflict(texts.english("sites.too_many_invitations"))
        ends = utc_now() + timedelta(days=_INVITATION_DAYS)
        row = models.SiteInvitation(
            site_id=site_id, created_by=actor.user_id, token_hash=tokens.digest(token), expires_at=ends
        )
        tx.session.add(row)
        await security.note(tx, security.Kind.SITE_INVITED, str(site_id))
    return token


async def join(actor: Actor, token: str) -> UUID:
    """Adds the actor to the team of an invitation, which is then used up. Returns the id of the site.

    Raises:
        errors.NotFound: The invitation is unknown, used or expired.
    """
    found: UUID | None = None
    if token.startswith(INVITATION) and len(token) <= _LONGEST_TOKEN and token.isascii():
        async with transaction(actor) as tx:
            found = (await tx.call("leaf_join_tenant", tokens.digest(token))).scalar_one()
            if found is not None:
                await security.note(tx, security.Kind.SITE_JOINED, str(found))
    if found is None:
        raise errors.NotFound("invitation")
    return found


async def remove(actor: Actor, site_id: UUID, user_id: UUID) -> None:
    """Ends the membership of the actor or of another member. A site is deleted with its last member.

    Raises:
        errors.NotFound: The membership does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = sqlalchemy.delete(models.SiteMember).where(
            col(models.SiteMember.site_id) == site_id, col(models.SiteMember.user_id) == user_id
        )
        errors.found((await tx.session.exec(query)).rowcount, "member")
        tx.after_commit(events.publish, [events.user(user_id)])
        await security.note(tx, security.Kind.SITE_MEMBER_REMOVED, str(site_id))
