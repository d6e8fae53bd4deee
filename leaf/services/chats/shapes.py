"""Chats and their messages, as pages, routes and jobs are told of them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.services import models as model_service

UNFINISHED = (MessageStatus.PENDING, MessageStatus.STREAMING)


@dataclass(frozen=True)
class ChatRow:
    """A chat in a list."""

    id: UUID
    title: str
    """Empty where it has none yet: the page has words for that in its reader's language."""
    updated_at: datetime
    """When something happened in it last."""
    running: bool
    waiting: bool = False
    """Whether an answer in it waits for its reader."""
    unread: bool = False
    """Whether an answer has ended that this participant has not seen."""
    pinned: bool = False
    archived: bool = False
    changed_at: datetime | None = None
    """When anything of this changed last: of two rows of a chat, the later one holds."""


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
    """Who asked."""
    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    """What has been answered so far to what it asks, by tool call id; none any more once it has gone on."""

    at_caller: bool = False
    """Whether it was asked with tools that run at its caller."""

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def unfinished(self) -> bool:
        """Whether its run still has to end."""
        return self.status in UNFINISHED

    def as_ui_message(self) -> dict[str, Any]:
        """The message in the AI SDK's format."""
        return {"id": str(self.id), "role": self.role, "parts": self.parts, "metadata": self.details}


@dataclass(frozen=True)
class Summary:
    """What stands for the turns up to an answer, this one included."""

    message_id: UUID
    text: str


@dataclass(frozen=True)
class Chat:
    """An open chat with the messages along one path through it, the oldest first."""

    id: UUID
    title: str
    used_drive: bool
    messages: list[Message]
    approvals: bool = True
    """Whether its people are asked before an answer could send out what it has read."""
    summary: Summary | None = None
    """What models are sent in the place of its earlier turns, where some take too much room."""
    versions: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict[UUID, tuple[UUID, ...]])
    """Messages of the path that stand beside others: the versions of each, itself among them, the oldest first."""
    people: dict[UUID, str] = field(default_factory=dict[UUID, str])
    """The names of those who take part, by their ids, who began it first."""
    imported_from: str = ""
    """leaf or chatgpt, where it comes from a file."""
    above: int = 0
    """How many messages of the path stand before these and were not read."""


def message_of(row: models.Message) -> Message:
    """A stored message as the pages and the API show it."""
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
    )


def title_of(chat: models.ChatSession) -> str:
    """What a chat is called; one without messages has no title yet."""
    return chat.title or "New chat"
