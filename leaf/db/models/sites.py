"""Sites (`tenants` in the database), their agents, visitors, budget alerts and logged requests."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Date,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field

from leaf.db.models.base import TIME, Base, created, default, key, owner, updated
from leaf.db.storable import StorableText

SITE_COLUMN: Final = {"name": "tenant_id"}
"""The name of the column for `site_id` in all tables."""


def _of_site() -> Any:
    return Field(foreign_key="tenants.id", ondelete="CASCADE", index=True, sa_column_kwargs=SITE_COLUMN)


def of_agent() -> ForeignKeyConstraint:
    """The foreign key to an agent of the same site."""
    return ForeignKeyConstraint(["tenant_id", "agent_id"], ["agents.tenant_id", "agents.id"], ondelete="CASCADE")


class Site(Base, table=True):
    """A website with agents of its own. Only `leaf_new_tenant` creates it."""

    __tablename__ = "tenants"
    __table_args__ = (
        CheckConstraint("char_length(name) BETWEEN 1 AND 80", name="name"),
        CheckConstraint("monthly_tokens > 0", name="monthly_tokens"),
        CheckConstraint("monthly_usd > 0", name="monthly_usd"),
    )

    id: UUID = key()
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", unique=True)
    """The workspace that owns the visitors' chats and usage."""
    name: str = Field(sa_type=StorableText)
    monthly_tokens: int | None = Field(default=None, sa_type=BigInteger)
    """The budget of all visitors together for a month (UTC); None for the limit in the settings."""
    monthly_usd: Decimal | None = Field(default=None, sa_type=Numeric)
    created_at: datetime = created()
    updated_at: datetime = updated()


class SiteMember(Base, table=True):
    """A member of a site's team. Only `leaf_new_tenant` and `leaf_join_tenant` add it."""

    __tablename__ = "tenant_members"

    site_id: UUID = Field(foreign_key="tenants.id", ondelete="CASCADE", primary_key=True, sa_column_kwargs=SITE_COLUMN)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, index=True)
    joined_at: datetime = created()
    alerts_seen_at: datetime = created()
    """The time up to which the member has seen the `budget_alerts`."""


class SiteInvitation(Base, table=True):
    """An invitation link, with which one person can join a site's team."""

    __tablename__ = "tenant_invitations"

    id: UUID = key()
    site_id: UUID = _of_site()
    created_by: UUID = owner()
    token_hash: str = Field(unique=True, sa_type=StorableText)
    """`tokens.digest` of the token in the link."""
    created_at: datetime = created()
    expires_at: datetime = Field(sa_type=TIME)


class Agent(Base, table=True):
    """The settings of an agent that answers a site's visitors. No request of a visitor can change them."""

    __tablename__ = "agents"
    __table_args__ = (
        CheckConstraint("char_length(name) BETWEEN 1 AND 80", name="name"),
        CheckConstraint("char_length(system_prompt) <= 20000", name="system_prompt"),
        CheckConstraint("temperature BETWEEN 0 AND 2", name="temperature"),
        CheckConstraint("cardinality(tools) <= 20", name="tools"),
        CheckConstraint("jsonb_typeof(output_schema) = 'object'", name="output_schema"),
        CheckConstraint("jsonb_typeof(context_injection) = 'object'", name="context_injection"),
        CheckConstraint("cardinality(origins) <= 50", name="origins"),
        CheckConstraint("identity IN ('any', 'proven', 'signed')", name="identity"),
        CheckConstraint("char_length(welcome) <= 1000", name="welcome"),
        CheckConstraint("cardinality(suggestions) <= 6", name="suggestions"),
        CheckConstraint("jsonb_typeof(look) = 'object'", name="look"),
        CheckConstraint("jsonb_typeof(client_tools) = 'array'", name="client_tools"),
        CheckConstraint("visitor_daily > 0", name="visitor_daily"),
        CheckConstraint("agent_daily > 0", name="agent_daily"),
        CheckConstraint("retention_days BETWEEN 1 AND 3650", name="retention_days"),
        UniqueConstraint("tenant_id", "id"),
        Index("agents_origins_idx", "origins", postgresql_using="gin"),
    )

    id: UUID = key()
    site_id: UUID = Field(foreign_key="tenants.id", ondelete="CASCADE", sa_column_kwargs=SITE_COLUMN)
    name: str = Field(sa_type=StorableText)
    system_prompt: str = default("")
    model: str | None = Field(default=None, sa_type=StorableText)
    """The model, as `provider:name`; None for the default model."""
    temperature: float | None = Field(default=None, sa_type=Double)
    tools: list[str] = default([], ARRAY(StorableText))
    """The tools of the agent. Only tools that are safe for the public can be chosen."""
    client_tools: list[dict[str, Any]] = default([], JSONB)
    """The tools that run in the visitor's page (`leaf.parts.client_tools.ClientTool`)."""
    output_schema: dict[str, Any] | None = Field(default=None, sa_type=JSONB(none_as_null=True))
    """The JSON schema of answers; None for answers in text."""
    context_injection: dict[str, Any] = default({}, JSONB)
    """The parts of the visitor's page context that are sent to the model (`leaf.sites.Injection`)."""
    origins: list[str] = default([], ARRAY(StorableText))
    """The exact origins whose pages may use the agent's keys, such as https://shop.example."""
    identity: str = default("any")
    """The accepted visitors. `any`: all. `proven`: all except users without a signed token. `signed`: only users with a
    token.
    """
    welcome: str = default("")
    suggestions: list[str] = default([], ARRAY(StorableText))
    look: dict[str, Any] = default({}, JSONB)
    attachments: bool = default(False)
    """Whether visitors may send files with their messages."""
    visitor_daily: int = default(100)
    """The maximum number of messages of one visitor per day."""
    agent_daily: int = default(2000)
    """The maximum number of messages of all visitors together per day."""
    retention_days: int | None = Field(default=None, sa_type=Integer)
    """The number of days without activity after which chats are deleted; None to keep them."""
    paused: bool = default(False)
    """Whether the agent currently accepts no questions."""
    provider_logs: bool = default(False)
    """Whether requests to models are stored as `ProviderLog`."""
    created_at: datetime = created()
    updated_at: datetime = updated()


class AgentKey(Base, table=True):
    """A public key of an agent. The pages of a site contain it, so it is not a secret."""

    __tablename__ = "agent_keys"
    __table_args__ = (
        CheckConstraint("char_length(name) BETWEEN 1 AND 80", name="name"),
        of_agent(),
        Index(None, "tenant_id", "agent_id"),
    )

    id: UUID = key()
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    name: str = Field(sa_type=StorableText)
    key: str = Field(unique=True, sa_type=StorableText)
    created_at: datetime = created()


class AgentFile(Base, table=True):
    """A file from which an agent may answer. It belongs to the site, and only its text is kept."""

    __tablename__ = "agent_files"
    __table_args__ = (
        CheckConstraint("char_length(title) BETWEEN 1 AND 120", name="title"),
        of_agent(),
        UniqueConstraint("agent_id", "sha256"),
        Index(None, "tenant_id", "agent_id"),
    )

    id: UUID = key()
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    title: str = Field(sa_type=StorableText)
    """Shown to visitors."""
    kind: str = Field(sa_type=StorableText)
    """The kind of the upload (`leaf.documents.Kind`)."""
    size_bytes: int = Field(sa_type=Integer)
    """The size of the upload."""
    characters: int = Field(sa_type=Integer)
    """The length of its text."""
    sha256: bytes = Field(sa_type=LargeBinary)
    """The hash of the upload, so that the same file is stored only once."""
    body: dict[str, Any] = Field(sa_type=JSONB)
    """The text, in the form of `Document.body`."""
    created_at: datetime = created()


class AgentFolder(Base, table=True):
    """A folder of a member's Drive from which an agent may answer, with the member's own grant.

    It is deleted when the member leaves the team.
    """

    __tablename__ = "agent_folders"
    __table_args__ = (
        CheckConstraint("char_length(title) BETWEEN 1 AND 120", name="title"),
        CheckConstraint("char_length(folder_id) BETWEEN 1 AND 200", name="folder_id"),
        of_agent(),
        ForeignKeyConstraint(
            ["tenant_id", "user_id"], ["tenant_members.tenant_id", "tenant_members.user_id"], ondelete="CASCADE"
        ),
        UniqueConstraint("agent_id", "folder_id"),
        Index(None, "tenant_id", "agent_id"),
        Index(None, "user_id", "tenant_id"),
    )

    id: UUID = key()
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    user_id: UUID
    """The member whose grant is used."""
    workspace_id: UUID = Field(foreign_key="workspaces.id", ondelete="CASCADE", index=True)
    """The member's workspace, which owns the grant."""
    title: str = Field(sa_type=StorableText)
    """Shown to visitors."""
    folder_id: str = Field(sa_type=StorableText)
    """Drive's id of the folder."""
    resource_key: str | None = Field(default=None, sa_type=StorableText)
    created_at: datetime = created()


class SigningSecret(Base, table=True):
    """A secret with which the site's servers sign visitors' identities. During a rotation, two secrets are valid."""

    __tablename__ = "signing_secrets"
    __table_args__ = (CheckConstraint("char_length(hint) <= 24", name="hint"),)

    id: UUID = key()
    site_id: UUID = _of_site()
    hint: str = Field(sa_type=StorableText)
    """The beginning of the secret."""
    sealed: str = Field(sa_type=StorableText, repr=False)
    """Sealed (`tokens.Sealer`)."""
    created_at: datetime = created()
    expires_at: datetime | None = Field(default=None, sa_type=TIME)
    """The time at which an older secret expires; None for the newest."""


class Visitor(Base, table=True):
    """The identity of a site visitor, who is a row of `users` without an account. Only `leaf_visitor` writes it."""

    __tablename__ = "visitors"
    __table_args__ = (
        CheckConstraint("kind IN ('session', 'trusted', 'signed', 'member')", name="kind"),
        CheckConstraint("char_length(subject) BETWEEN 1 AND 255", name="subject"),
        of_agent(),
        UniqueConstraint("agent_id", "kind", "subject"),
        Index(None, "tenant_id", "agent_id"),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True)
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    kind: str = Field(sa_type=StorableText)
    """`session`: a browser. `trusted`: a user of the site without proof. `signed`: one with proof. `member`: of the
    team.
    """
    subject: str = Field(sa_type=StorableText)
    """The hash of a session id, or the site's id of the user."""
    created_at: datetime = created()
    last_seen_at: datetime = created()


class SiteChat(Base, table=True):
    """The additional data of a site visitor's chat."""

    __tablename__ = "widget_chats"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(context) = 'object' AND pg_column_size(context) <= 40000", name="context"),
        of_agent(),
        Index("widget_chats_tenant_id_agent_id_created_at_idx", "tenant_id", "agent_id", text("created_at DESC")),
        Index(
            "widget_chats_listed_idx",
            "agent_id",
            text("active_at DESC"),
            text("chat_session_id DESC"),
            postgresql_where=text("listed"),
        ),
    )

    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", primary_key=True)
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    context: dict[str, Any] = default({}, JSONB)
    """The context that the visitor's page has sent (`leaf.sites.Context`)."""
    created_at: datetime = created()
    active_at: datetime = created()
    """The time of the chat's last activity. Triggers maintain this and `listed`."""
    listed: bool = default(False)


class BudgetAlert(Base, table=True):
    """An alert that 80 or 100 percent of a budget are used. Only `leaf_note_budgets` adds it, once for each period."""

    __tablename__ = "budget_alerts"
    __table_args__ = (
        CheckConstraint("unit IN ('tokens', 'usd', 'messages')", name="unit"),
        CheckConstraint("percent IN (80, 100)", name="percent"),
        CheckConstraint("(agent_id IS NULL) = (unit <> 'messages')", name="agent"),
        of_agent(),
        UniqueConstraint(
            "tenant_id", "agent_id", "unit", "percent", "period", postgresql_nulls_not_distinct=True
        ),
    )  # fmt: skip

    id: UUID = key()
    site_id: UUID = Field(foreign_key="tenants.id", ondelete="CASCADE", sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID | None = None
    """The agent, for a daily budget of messages; None for a monthly budget of the site."""
    unit: str = Field(sa_type=StorableText)
    percent: int = Field(sa_type=Integer)
    period: date = Field(sa_type=Date)
    """The day, or the first day of the month (UTC)."""
    created_at: datetime = created()


class ProviderLog(Base, table=True):
    """A request to a model and its response, complete except for secrets. It is deleted when it expires."""

    __tablename__ = "provider_logs"
    __table_args__ = (
        CheckConstraint("char_length(address) <= 500", name="address"),
        CheckConstraint("octet_length(request) <= 262144", name="request"),
        CheckConstraint("octet_length(response) <= 262144", name="response"),
        of_agent(),
        Index(None, "chat_session_id", "created_at"),
        Index(None, "tenant_id", "agent_id"),
    )

    id: UUID = key()
    site_id: UUID = Field(sa_column_kwargs=SITE_COLUMN)
    agent_id: UUID
    chat_session_id: UUID = Field(foreign_key="chat_sessions.id", ondelete="CASCADE")
    message_id: UUID = Field(foreign_key="messages.id", ondelete="CASCADE", index=True)
    run_id: UUID
    number: int = Field(sa_type=Integer)
    """The number of the request in its run, from 1."""
    address: str = Field(sa_type=StorableText)
    status: int | None = Field(default=None, sa_type=Integer)
    """The HTTP status; None without a response."""
    latency_ms: int = Field(sa_type=Integer)
    request: str = Field(sa_type=StorableText)
    request_bytes: int = Field(sa_type=BigInteger)
    """The length before truncation."""
    response: str = Field(sa_type=StorableText)
    response_bytes: int = Field(sa_type=BigInteger)
    created_at: datetime = created()
    expires_at: datetime = Field(sa_type=TIME, index=True)
