"""Notices to all participants of chats."""

from collections.abc import Collection
from uuid import UUID

from sqlmodel import col, select

from leaf.db import models
from leaf.db.session import Transaction
from leaf.redis import events


async def announce(tx: Transaction, chats: Collection[UUID]) -> None:
    """Notifies the pages and lists of all present participants of chats after the commit."""
    query = select(models.ChatParticipant.user_id).where(col(models.ChatParticipant.chat_session_id).in_(chats))
    people = {*(await tx.session.exec(query)).all()}
    topics = [*(events.chat(chat) for chat in chats), *(events.user(person) for person in people)]
    tx.after_commit(events.publish, topics)
