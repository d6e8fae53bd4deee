"""Links to chats, and invitations to take part in them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Column, DateTime, FetchedValue, UniqueConstraint, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, key, owner
from leaf.db.storable import StorableString, StorableText


class ChatShare(Base, table=True):
    """A public link to a chat, and what it shows, which the database itself makes of the messages."""

    __tablename__ = "chat_shares"
    __table_args__ = (UniqueConstraint("chat_session_id"), UniqueConstraint("token"))

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    created_by: UUID = owner()
    token: str = Field(sa_type=StorableText, repr=False)
    """Random; whoever has it sees what the link shows. As long as the link is there, its owner can copy it again."""
    message_ids: list[UUID] = Field(sa_type=ARRAY(Uuid()))
    """What was shared, in order. Written again, it has the database make the rest anew."""
    title: str = Field(
        default=None,
        sa_column=Column(StorableString(255), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    content: list[dict[str, Any]] = Field(
        default=None,
        sa_column=Column(JSONB(none_as_null=True), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    """`leaf_shared_content`: of each message role, status, time, texts, citations and coverage."""
    expires_at: datetime | None = Field(default=None, sa_type=TIME)
    created_at: datetime = created()
    shared_at: datetime = Field(
        default=None,
        sa_column=Column(DateTime(timezone=True), FetchedValue(), FetchedValue(for_update=True), nullable=False),
    )
    """When the content was made."""


class ChatInvitation(Base, table=True):
    """An invitation to take part in a chat, for whoever signs in with an e-mail address."""

    __tablename__ = "chat_invitations"
    __table_args__ = (UniqueConstraint("chat_session_id", "email"),)

    id: UUID = key()
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    invited_by: UUID = owner()
    email: str = Field(sa_type=StorableText, index=True)
    """In lower case."""
    declined_at: datetime | None = Field(default=None, sa_type=TIME)
    """Nobody who invites is told: they would learn that there is such a person."""
    created_at: datetime = created()
