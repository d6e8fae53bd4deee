"""The data that a conversation's store and a worker exchange: the assignment of a run, and its outcome."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from leaf import parts
from leaf.config.catalog import Mode
from leaf.db.actor import Actor
from leaf.db.models import MessageStatus
from leaf.parts.client_tools import Declared
from leaf.parts.summaries import Summary
from leaf.services import usage
from leaf.services.library.scope import NO_SCOPE, ChatScope
from leaf.services.runs.answer import Waited
from leaf.sites import NO_SITE, SiteChat


@dataclass(frozen=True)
class Assignment:
    """Everything that a worker needs to write an answer."""

    actor: Actor
    """The asker, whose audience decides what the answer may use."""
    run_id: UUID
    message_id: UUID
    chat_id: UUID
    model: str
    mode: Mode
    details: dict[str, Any]
    """The details of the answer at its beginning, such as mode, type and model."""
    question: str
    untitled: bool
    """Whether the title of the chat is only the first words of a question."""
    waited: Waited | None
    """The state from which the answer continues; None if it begins."""
    history: list[list[dict[str, Any]]]
    """The `model_messages` of earlier turns, the oldest first, without turns that the summary covers."""
    turns: list[UUID] = field(default_factory=list[UUID])
    """The ids of the answers of the turns in `history`."""
    summary: Summary | None = None
    """The summary of the turns before `history`."""
    approvals: bool = True
    """Whether calls that could send data out wait for the asker's approval."""
    earlier_tools: frozenset[str] = frozenset()
    """The tools of the turns that the summary covers."""
    asked: list[parts.Part] = field(default_factory=list[parts.Part])
    """The parts of the question: its words, the mentioned files, and the attached files."""
    suggested: frozenset[str] = frozenset()
    """The questions that the asker sent by a click on a suggestion in an answer. A model wrote their words."""
    instructions: str = ""
    """The asker's own instructions for the agent, sent with every question."""
    project_instructions: str = ""
    """The instructions of the asker's project that contains the chat."""
    awaits: bool = False
    """Whether the asker watches the question until their files have an answer. Leaf asks it again until then."""
    tools: Declared | None = None
    """Tools that run at the caller."""
    ends_at: float | None = None
    """The time at which an answer with tools at the caller is ended (Unix time, seconds); None without such tools."""
    allowance: usage.Allowance = field(default_factory=usage.Allowance)
    """The part of the asker's budgets that is set aside for the answer."""
    chat_tools: frozenset[str] | None = None
    """The tools to which the chat is limited; None for the tools of the mode."""
    thinking_tokens: int | None = None
    """The chat's thinking budget for a request, in tokens; None for the default."""
    scope: ChatScope = NO_SCOPE
    """The part of the asker's Drive to which the chat is limited."""
    linked: frozenset[str] = frozenset()
    """Ids of files and folders in Drive that the asker has linked or mentioned in a limited chat."""
    site: SiteChat = NO_SITE
    """The agent of the site and the page of its visitor, if a site's agent answers."""


@dataclass(frozen=True)
class Outcome:
    """The end of a run."""

    status: MessageStatus
    parts: list[dict[str, Any]]
    details: dict[str, Any]
    model_messages: list[dict[str, Any]]
    used: usage.Usage = field(default_factory=usage.Usage)
    """The usage of all runs of the answer."""
    duration_ms: int | None = None
    first_text_ms: int | None = None
    error_code: str | None = None
    error_text: str | None = None
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """For each step of the answer, the `id` and `at` of the provider's response that it comes from."""
