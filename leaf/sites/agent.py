"""The agent of a site, in the form that requests, services and runs use."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self
from uuid import UUID

from leaf.sites.context import Context
from leaf.sites.injection import Injection

Identity = Literal["any", "proven", "signed"]
TOOLS: Final = ("search", "fetch")
"""The tools among which a site can choose. They are safe for the public, because they only read the web."""


@dataclass(frozen=True)
class SiteAgent:
    """An agent of a site."""

    id: UUID
    site_id: UUID
    name: str
    system_prompt: str = ""
    model: str | None = None
    """`provider:name`; None for the default model."""
    temperature: float | None = None
    tools: frozenset[str] = field(default_factory=frozenset[str])
    client_tools: tuple[dict[str, Any], ...] = ()
    """Tools that run in the visitor's page, in their stored form (`leaf.parts.client_tools`)."""
    output_schema: dict[str, Any] | None = None
    injection: Injection = field(default_factory=Injection)
    origins: frozenset[str] = field(default_factory=frozenset[str])
    identity: Identity = "any"
    welcome: str = ""
    suggestions: tuple[str, ...] = ()
    look: dict[str, Any] = field(default_factory=dict[str, Any])
    visitor_daily: int = 100
    agent_daily: int = 2000
    paused: bool = False
    attachments: bool = False
    """Whether visitors may send files with their messages."""
    provider_logs: bool = False
    """Whether requests to the model and its responses are stored verbatim for some days."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        """An agent from its row as JSON."""
        return cls(
            id=UUID(row["id"]),
            site_id=UUID(row["tenant_id"]),
            name=row["name"],
            system_prompt=row["system_prompt"],
            model=row["model"],
            temperature=row["temperature"],
            # A tool may have been removed from `TOOLS` since the site chose it.
            tools=frozenset(row["tools"]) & frozenset(TOOLS),
            client_tools=tuple(row.get("client_tools", ())),
            output_schema=row["output_schema"],
            injection=Injection.of(row["context_injection"]),
            origins=frozenset(row["origins"]),
            identity=row["identity"],
            welcome=row["welcome"],
            suggestions=tuple(row["suggestions"]),
            look=row["look"],
            visitor_daily=row["visitor_daily"],
            agent_daily=row["agent_daily"],
            paused=row["paused"],
            attachments=row.get("attachments", False),
            # During an upgrade, rows from a web process of the older version lack this field.
            provider_logs=row.get("provider_logs", False),
        )


@dataclass(frozen=True)
class SiteChat:
    """The agent with which a site visitor chats, with its present settings, and the context of the visitor's page."""

    agent: SiteAgent
    context: Context = field(default_factory=dict[str, Any])
    knowledge: tuple[str, ...] = ()
    """The titles of the files and folders that the agent may read."""


NO_SITE: Final = SiteChat(SiteAgent(UUID(int=0), UUID(int=0), ""))
"""The value for any other chat: an agent without instructions, tools and provider logs, and no context."""
