"""Chats and messages in the form that pages, routes and jobs use."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.parts.summaries import Summary
from leaf.services import models as model_service
from leaf.services.chats.tree import Outline
from leaf.services.library.scope import NO_SCOPE, ChatScope
from leaf.services.library.standings import SourceChanges

UNFINISHED = (MessageStatus.PENDING, MessageStatus.STREAMING)
WATCHED = "watched"
"""The field of an answer's details that is true if Leaf has asked a watched question again."""


@dataclass(frozen=True)
class ChatRow:
    """A chat in a list."""

    id: UUID
    title: str
    """Empty if the chat has no title yet. Pages show a substitute."""
    updated_at: datetime
    """Time of the last activity."""
    running: bool
    waiting: bool = False
    """Whether an answer in the chat waits for a reply of this participant."""
    unread: bool = False
    """Whether the chat has a finished answer that this participant has not seen."""
    pinned: bool = False
    archived: bool = False
    created_at: datetime | None = None
    changed_at: datetime | None = None
    """Time of the last change of any field. Of two rows for the same chat, the one with the later time is valid."""
    project_id: UUID | None = None
    """The participant's project that contains the chat."""
    moved: SourceChanges | None = None
    """The sources of the answers on this participant's branch that have changed; None if all sources are unchanged."""


@dataclass(frozen=True)
class Message:
    """A question or an answer. `parts` are AI SDK UIMessage parts."""

    id: UUID
    role: str
    status: str
    parts: list[dict[str, Any]]
    created_at: datetime
    updated_at: datetime
    run_id: UUID | None = None
    error_code: str | None = None
    error_text: str | None = None
    model_label: str | None = None
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    user_id: UUID | None = None
    """The author."""
    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    """Replies so far to its open questions and approvals, by tool call id; empty once the answer has continued."""
    at_caller: bool = False
    """Whether the caller has sent its own tools with the question, which run at the caller."""
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """`id` and `at` of each response of the model (`models.Message.responses`)."""

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def program_metadata(self) -> dict[str, Any]:
        """The metadata that came with a question."""
        return self.details.get("metadata") or {}

    @property
    def asked_again(self) -> bool:
        """Whether Leaf has asked for this answer itself, because a participant watches the question."""
        return self.details.get(WATCHED) is True

    @property
    def unfinished(self) -> bool:
        """Whether its run has not ended."""
        return self.status in UNFINISHED

    def as_ui_message(self) -> dict[str, Any]:
        """The message in the AI SDK's format."""
        return {"id": str(self.id), "role": self.role, "parts": self.parts, "metadata": self.details}


@dataclass(frozen=True)
class Chat:
    """An open chat with the messages along one path through it, the oldest first."""

    id: UUID
    title: str
    used_drive: bool
    messages: list[Message]
    approvals: bool = True
    """Whether an answer asks for approval before a step that could send out data that it has read."""
    summary: Summary | None = None
    """Replaces the earlier turns for the model if they are too long."""
    versions: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict[UUID, tuple[UUID, ...]])
    """The versions of each message on the path that has several, the oldest first."""
    people: dict[UUID, str] = field(default_factory=dict[UUID, str])
    """The participants' names by their ids, the creator first."""
    imported_from: str = ""
    """`leaf` or `chatgpt` for a chat imported from a file."""
    program_metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """The metadata that a program keeps with the chat."""
    tools: list[str] | None = None
    """The names of the tools that the agent may use; None for the tools of its mode."""
    thinking_tokens: int | None = None
    """The thinking budget of a request, in tokens; None for the default."""
    used_percent: int = 0
    """The size of the messages as a percentage of the limit (LEAF_CHAT_MB)."""
    scope: ChatScope = NO_SCOPE
    """The part of the participants' Drives to which the chat is limited."""
    above: int = 0
    """Number of earlier messages on the path that were not read."""
    archived: bool = False
    """Whether the reader has archived the chat."""
    project_id: UUID | None = None
    """The reader's project that contains the chat."""
    outline: Outline | None = field(default=None, repr=False, compare=False)
    """All messages without their contents. The next read of the chat starts from this outline."""


def message_of(row: models.Message) -> Message:
    """A stored message in the form that pages and the API use."""
    return Message(
        id=row.id,
        role=row.role.value,
        status=row.status.value,
        parts=row.parts,
        created_at=row.created_at,
        updated_at=row.updated_at,
        run_id=row.workflow_run_id,
        error_code=row.error_code,
        error_text=row.error_text,
        model_label=model_service.label_of(row.model) if row.model else None,
        details=row.details,
        user_id=row.user_id,
        answers=row.answers or {},
        at_caller=row.client_tools is not None,
        responses=row.responses or [],
    )


def title_of(chat: models.ChatSession) -> str:
    """The title of a chat, or its substitute before the first message."""
    return chat.title or "New chat"
