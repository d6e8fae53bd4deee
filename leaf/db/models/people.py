"""Members: accounts, identities, sessions, API keys, workspaces and integrations."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field

from leaf.db.models.base import (
    PROVIDER,
    TIME,
    Base,
    IntegrationProvider,
    IntegrationStatus,
    created,
    default,
    enum,
    key,
    owner,
    updated,
)
from leaf.db.storable import StorableString, StorableText


class User(Base, table=True):
    """A person, with the data that the identity provider sent last."""

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint(r"display_name ~ '\S'", name="display_name"),
        Index("users_lower_email_idx", text("lower(email)")),
    )

    id: UUID = key()
    email: str = Field(sa_type=StorableText)
    name: str = Field(sa_type=StorableText)
    picture_url: str | None = Field(default=None, sa_type=StorableText)
    display_name: str | None = Field(default=None, sa_type=StorableString(80))
    """A name that the person has chosen, which replaces the provider's name."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class Identity(Base, table=True):
    """An account at an identity provider. The provider is text, so that a new provider needs no migration."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("provider", "subject"),)

    id: UUID = key()
    user_id: UUID = owner()
    provider: str = Field(sa_type=StorableText)
    subject: str = Field(sa_type=StorableText)
    """The provider's stable id of the account. An e-mail address may pass to another person; this id does not."""
    email: str = Field(sa_type=StorableText)
    created_at: datetime = created()
    updated_at: datetime = updated()


class Session(Base, table=True):
    """A signed-in browser."""

    __tablename__ = "sessions"

    id: UUID = key()
    user_id: UUID = owner()
    token_hash: str = Field(unique=True, sa_type=StorableText)
    """`tokens.digest` of the cookie. The token itself is not stored."""
    user_agent: str | None = Field(default=None, sa_type=StorableText)
    created_at: datetime = created()
    last_seen_at: datetime = created()
    expires_at: datetime = Field(sa_type=TIME)


class ApiKey(Base, table=True):
    """A key with which a person's programs call Leaf."""

    __tablename__ = "api_keys"
    __table_args__ = (
        CheckConstraint("char_length(name) BETWEEN 1 AND 80", name="name"),
        CheckConstraint("char_length(hint) <= 20", name="hint"),
        CheckConstraint(
            "scopes <@ ARRAY['read', 'write', 'drive'] AND cardinality(scopes) BETWEEN 1 AND 3", name="scopes"
        ),
    )

    id: UUID = key()
    user_id: UUID = owner()
    name: str = Field(sa_type=StorableText)
    """The name that the person gave the key."""
    hint: str = Field(sa_type=StorableText)
    """The beginning of the key, by which its owner recognises it."""
    token_hash: str = Field(unique=True, sa_type=StorableText)
    """`tokens.digest` of the key. The key itself is not stored."""
    scopes: list[str] = Field(sa_type=ARRAY(StorableText))
    created_at: datetime = created()
    expires_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which the key expires; None for a key that does not expire."""
    last_used_at: datetime | None = Field(default=None, sa_type=TIME)


class Workspace(Base, table=True):
    """The owner of integrations and chats. Each person and each site has one."""

    __tablename__ = "workspaces"

    id: UUID = key()
    name: str = Field(sa_type=StorableString(255))
    personal_user_id: UUID | None = Field(default=None, foreign_key="users.id", ondelete="CASCADE", unique=True)
    """The person of a personal workspace; None for a site's workspace."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class WorkspaceMember(Base, table=True):
    """A person's membership in a workspace. Only database functions write it."""

    __tablename__ = "workspace_members"

    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    created_at: datetime = created()


class Integration(Base, table=True):
    """A person's connection to an external service, within one workspace."""

    __tablename__ = "integrations"
    __table_args__ = (UniqueConstraint("user_id", "workspace_id", "provider"),)

    id: UUID = key()
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    provider: IntegrationProvider = Field(sa_type=PROVIDER)
    status: IntegrationStatus = Field(
        default=IntegrationStatus.ACTIVE,
        sa_type=enum(IntegrationStatus, "integration_status"),
        sa_column_kwargs={"server_default": "active"},
    )
    status_reason: str | None = Field(default=None, sa_type=StorableText)
    """The reason in English why it is not active, which version 0.1.0 shows."""
    status_key: str | None = Field(default=None, sa_type=StorableText)
    """The text key of that reason, which the version before revision 0057 reads and writes."""
    diagnosis: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The cause of a failure of the connection (`leaf.google.diagnosis.Diagnosis.data`), and its time `at`. An active
    connection with a cause works again as soon as the cause is removed.
    """
    granted_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time of the last consent; None if it is unknown."""
    grant_expires_at: datetime | None = Field(default=None, sa_type=TIME)
    """The end of the grant, if Google reports it. Google does so while the app is in the state Testing."""
    provider_account_email: str | None = Field(default=None, sa_type=StorableText)
    access_token: str = Field(sa_type=StorableText, repr=False)
    """Sealed (`tokens.Sealer`)."""
    refresh_token: str | None = Field(default=None, sa_type=StorableText, repr=False)
    """Sealed (`tokens.Sealer`)."""
    token_expires_at: datetime | None = Field(default=None, sa_type=TIME)
    scopes: list[str] = default([], ARRAY(StorableText))
    created_at: datetime = created()
    updated_at: datetime = updated()
