"""What an agent's tools are given: small protocols, introduced by the job that runs the agent."""

from dataclasses import dataclass, field
from uuid import UUID

from leaf.documents import DocumentCache
from leaf.google.access import DriveAccess, DriveCredentials

__all__ = ["Deps", "DocumentCache", "DriveAccess", "DriveCredentials"]


@dataclass(slots=True)
class Deps:
    """One run's surroundings. Everything in it acts with the asker's own permissions."""

    user_id: UUID
    """The asker."""
    run_id: UUID
    drive: DriveAccess
    documents: DocumentCache
    resource_keys: dict[str, str] = field(default_factory=dict[str, str])
    """Keys of files that were shared by link, by file id, met during this run: Google asks for them again and again."""
