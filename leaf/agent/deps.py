"""What an agent's tools are given: small protocols, introduced by the job that runs the agent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from pydantic_ai.messages import ModelMessage

from leaf.documents import DocumentCache
from leaf.google.access import DriveAccess, DriveCredentials

__all__ = ["Deps", "DocumentCache", "DriveAccess", "DriveCredentials", "Journal"]


class Journal(Protocol):
    """Where a run keeps how far it has come, so that another worker can go on from there."""

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Called before each request to the model, and before the tool calls that it asks for are made."""
        ...

    def result(self, call_id: str) -> bytes | None:
        """What a tool call returned, as JSON, where it was finished before; else None."""
        ...

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Called when a tool call has returned."""
        ...


@dataclass(slots=True)
class Deps:
    """One run's surroundings. Everything in it acts with the asker's own permissions."""

    user_id: UUID
    """The asker."""
    run_id: UUID
    drive: DriveAccess
    documents: DocumentCache
    journal: Journal | None = None
    resource_keys: dict[str, str] = field(default_factory=dict[str, str])
    """Keys of files that were shared by link, by file id, met during this run: Google asks for them again and again."""
