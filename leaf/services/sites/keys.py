"""Public keys of agents, which the pages of websites contain. Each key can be revoked separately."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, func
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.redis import events
from leaf.services import security
from leaf.services.sites.settings import stored_name
from leaf.services.sites.visitors import PREFIX

MOST_KEYS: Final = 20
"""The largest number of keys of one agent."""


@dataclass(frozen=True)
class KeyRow:
    """A public key."""

    id: UUID
    name: str
    key: str
    created_at: datetime


async def create_key(actor: Actor, agent_id: UUID, name: str) -> KeyRow:
    """Creates a public key of an agent.

    Raises:
        errors.Invalid: The name is empty or too long, or the agent has 20 keys.
        errors.NotFound: The agent does not exist for this member.
    """
    name = stored_name(name)
    async with transaction(actor) as tx:
        agent = errors.found(await tx.session.get(models.Agent, agent_id), "agent")
        count = select(func.count()).where(col(models.AgentKey.agent_id) == agent_id)
        if (await tx.session.exec(count)).one() >= MOST_KEYS:
            raise errors.Invalid(texts.english("sites.too_many_keys", most=MOST_KEYS), field="name")
        row = models.AgentKey(
            site_id=agent.site_id, agent_id=agent_id, name=name, key=PREFIX + secrets.token_urlsafe(24)
        )
        tx.session.add(row)
        await security.note(tx, security.Kind.SITE_KEY_MADE, str(agent_id))
    return _row(row)


async def list_keys(actor: Actor, agent_id: UUID) -> list[KeyRow]:
    """The public keys of an agent, the oldest first. Empty if the actor is not in the site's team."""
    async with transaction(actor, read_only=True) as tx:
        query = select(models.AgentKey).where(col(models.AgentKey.agent_id) == agent_id)
        return [_row(row) for row in (await tx.session.exec(query.order_by(col(models.AgentKey.created_at)))).all()]


async def revoke_key(actor: Actor, key_id: UUID) -> None:
    """Revokes a public key. Requests with it are refused, and open streams end.

    Raises:
        errors.NotFound: The key does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = (
            delete(models.AgentKey).where(col(models.AgentKey.id) == key_id).returning(col(models.AgentKey.agent_id))
        )
        agent_id = errors.found((await tx.session.exec(query)).scalar_one_or_none(), "key")
        tx.after_commit(events.publish, [events.agent(agent_id)])
        await security.note(tx, security.Kind.SITE_KEY_REVOKED, str(key_id))


def _row(row: models.AgentKey) -> KeyRow:
    return KeyRow(row.id, row.name, row.key, row.created_at)
