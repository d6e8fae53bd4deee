"""Queries of a person's own integrations."""

from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from leaf.db import models
from leaf.db.models import IntegrationProvider
from leaf.db.session import Actor, Transaction
from leaf.redis import events


def mine(actor: Actor, provider: IntegrationProvider | None = None) -> SelectOfScalar[models.Integration]:
    """The actor's rows in their workspace, optionally of one provider."""
    query = select(models.Integration).where(
        col(models.Integration.user_id) == actor.member_id,
        col(models.Integration.workspace_id) == actor.own_workspace_id,
    )
    return query if provider is None else query.where(col(models.Integration.provider) == provider)


def announce(tx: Transaction, actor: Actor) -> None:
    """Notifies open pages, which show a card and the banner of chats that have used Drive."""
    tx.after_commit(events.publish, [events.user(actor.member_id)])
