"""The rows of a person's own integrations."""

from uuid import UUID

from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from leaf import errors
from leaf.db import models
from leaf.db.models import IntegrationProvider
from leaf.db.session import Actor, Transaction
from leaf.redis import events


def mine(actor: Actor, provider: IntegrationProvider | None = None) -> SelectOfScalar[models.Integration]:
    """The actor's rows in their workspace, optionally of one provider."""
    query = select(models.Integration).where(
        col(models.Integration.user_id) == user_of(actor),
        col(models.Integration.workspace_id) == workspace_of(actor),
    )
    return query if provider is None else query.where(col(models.Integration.provider) == provider)


def announce(tx: Transaction, actor: Actor) -> None:
    """Has open pages look again: a card, and the banner of chats that have used Drive."""
    topics = [events.user(user_of(actor))]
    tx.after_commit(lambda: events.publish(topics))


def user_of(actor: Actor) -> UUID:
    """The person behind an actor."""
    if actor.user_id is None:
        raise errors.Unauthenticated
    return actor.user_id


def workspace_of(actor: Actor) -> UUID:
    """The workspace in which an actor acts."""
    if actor.workspace_id is None:
        raise errors.Unauthenticated
    return actor.workspace_id
