"""The data between a conversation's store and the worker: a run's assignment, and its outcome."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from leaf import parts
from leaf.config.catalog import Mode
from leaf.db.actor import Actor
from leaf.db.models import MessageStatus
from leaf.parts.client_tools import Declared
from leaf.services import chats, usage
from leaf.services.library.scope import NO_SCOPE, ChatScope
from leaf.services.runs.answer import Waited
from leaf.sites import NO_SITE, SiteChat


@dataclass(frozen=True)
class Assignment:
    """Everything that a worker needs to write an answer."""

    actor: Actor
    """The asker; its audience decides what the answer may use."""
    run_id: UUID
    message_id: UUID
    chat_id: UUID
    model: str
    mode: Mode
    details: dict[str, Any]
    """The metadata of the answer from its beginning on: mode, type and model."""
    question: str
    untitled: bool
    """Whether its chat has no title yet but the question's first words."""
    waited: Waited | None
    """The point from which the answer continues, if it waited for its reader."""
    history: list[list[dict[str, Any]]]
    """The `model_messages` of earlier turns, the oldest first, without those that the summary covers."""
    turns: list[UUID] = field(default_factory=list[UUID])
    """The answers of these turns."""
    summary: chats.Summary | None = None
    """Stands for the turns before them."""
    approvals: bool = True
    """Whether calls that could send something out wait for the asker."""
    earlier_tools: frozenset[str] = frozenset()
    """The tools of the turns that the summary covers."""
    asked: list[parts.Part] = field(default_factory=list[parts.Part])
    """The parts of the question: its words, the files that it names, and those that came with it."""
    clicked: frozenset[str] = frozenset()
    """The questions that the asker sent by a click on an offer of an answer: their words are a model's."""
    instructions: str = ""
    """The asker's own instructions for the agent, sent with every question."""
    project_instructions: str = ""
    """The instructions of the asker's project in which the chat lies."""
    awaits: bool = False
    """Whether the asker has the question asked again until its answer appears in their files."""
    tools: Declared | None = None
    """Tools that run at the caller."""
    ends_at: float | None = None
    """The time at which an answer with such tools is ended (Unix time, seconds)."""
    allowance: usage.Allowance = field(default_factory=usage.Allowance)
    """The part of the asker's budgets that is set aside for it."""
    chat_tools: frozenset[str] | None = None
    """The tools to which the chat is limited; None for those of the mode."""
    thinking_tokens: int | None = None
    """The chat's budget of thinking for a request; None for the usual amount."""
    scope: ChatScope = NO_SCOPE
    """The part of the asker's Drive to which the chat is limited."""
    linked: frozenset[str] = frozenset()
    """Files and folders of Drive that the asker has linked or mentioned in a limited chat."""
    site: SiteChat = NO_SITE
    """The agent of the site and the page of its visitor, where a site's agent answers."""


@dataclass(frozen=True)
class Outcome:
    """The end of a run. Token counts are of the whole answer; `cost_usd` is None where the price is not known."""

    status: MessageStatus
    parts: list[dict[str, Any]]
    details: dict[str, Any]
    model_messages: list[dict[str, Any]]
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0
    requests: int = 0
    duration_ms: int | None = None
    first_text_ms: int | None = None
    cost_usd: Decimal | None = None
    error_code: str | None = None
    error_text: str | None = None
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """`id` and `at` of the response of the provider that each step of the answer comes from."""
