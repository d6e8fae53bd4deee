"""Queries of a member's own integrations."""

from sqlmodel import col, select

from leaf.db import models
from leaf.db.models import IntegrationProvider
from leaf.db.session import Transaction
from leaf.redis import events


async def drive(tx: Transaction, *, lock: bool = False) -> models.Integration | None:
    """The actor's connection to Google Drive; None if Drive is not connected."""
    query = select(models.Integration).where(
        col(models.Integration.user_id) == tx.actor.member_id,
        col(models.Integration.workspace_id) == tx.actor.own_workspace_id,
        col(models.Integration.provider) == IntegrationProvider.GOOGLE_DRIVE,
    )
    return (await tx.session.exec(query.with_for_update() if lock else query)).one_or_none()


def announce(tx: Transaction) -> None:
    """Notifies the actor's open pages, which show a card and the banner of chats that have used Drive."""
    tx.after_commit(events.publish, [events.user(tx.actor.member_id)])
