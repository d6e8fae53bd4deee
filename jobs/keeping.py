"""Where runs come from and where their answers go: the database for members, Redis for guests (decision 0028)."""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from leaf import errors, texts
from leaf.agent.context.window import SummaryStore
from leaf.agent.deps import DocumentCache, DriveAccess, FilesAccess
from leaf.google.access import DriveCredentials
from leaf.services import documents, files, guests, integrations, runs, summaries, usage
from leaf.services.runs import Assignment, Outcome

log = logging.getLogger(__name__)


class Keeper(Protocol):
    """Who keeps a run's chat: the services `runs` and `guests` are two."""

    def assignment(self, run_id: UUID) -> Awaitable[Assignment | None]:
        """What a worker needs for a run; None where it is gone or has ended."""
        ...

    def finish(self, task: Assignment, outcome: Outcome) -> Awaitable[bool]:
        """Keeps how it ended; False where the answer is gone."""
        ...

    def announce(self, task: Assignment) -> Awaitable[None]:
        """Tells open pages that it has ended."""
        ...

    def unfinished(self, older_than: timedelta) -> Awaitable[list[UUID]]:
        """Runs that have not ended, begun at least so long ago."""
        ...


_MEMBERS: Keeper = runs
_GUESTS: Keeper = guests


def of(task: Assignment) -> Keeper:
    """Who keeps a run's chat."""
    return _GUESTS if task.actor.kind == "guest" else _MEMBERS


async def assignment(run_id: UUID) -> Assignment | None:
    """What a worker needs for a run, whoever keeps it."""
    return await _GUESTS.assignment(run_id) or await _MEMBERS.assignment(run_id)


async def unfinished(older_than: timedelta) -> list[UUID]:
    """All runs that have not ended; those of guests also where the database does not answer."""
    found = await _GUESTS.unfinished(older_than)
    try:
        found += await _MEMBERS.unfinished(older_than)
    except errors.DatabaseUnavailable:
        log.warning("the database does not answer; unfinished runs of members are looked for later")
    return found


def asker(task: Assignment) -> UUID:
    """Who asks: a person, or the guest that a browser is."""
    actor = task.actor
    found = actor.guest_identity.id if actor.guest_identity is not None else actor.user_id
    if found is None:
        raise errors.Unauthenticated
    return found


async def enter(task: Assignment, entry: usage.Entry) -> None:
    """Enters what something beside an answer has used; of guests nothing is entered anywhere."""
    if task.actor.kind != "guest":
        await usage.record(task.actor, entry, chat_id=task.chat_id, message_id=task.message_id)


@dataclass(frozen=True)
class Shelves:
    """What a run may read and write of its asker's, with their permissions."""

    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    summaries: SummaryStore | None

    @classmethod
    def of(cls, task: Assignment) -> "Shelves":
        """Those of a run's asker and chat; a guest has none of them."""
        actor, chat_id = task.actor, task.chat_id
        return cls(
            NoDrive() if actor.kind == "guest" else integrations.UserDrive(actor),
            documents.UserDocuments(actor),
            files.ChatFiles(actor, chat_id, task.run_id),
            None if actor.kind == "guest" else summaries.ChatSummaries(actor, chat_id),
        )


@dataclass(frozen=True)
class NoDrive:
    """A guest's Drive: there is none."""

    async def credentials(self) -> DriveCredentials:
        """None.

        Raises:
            errors.DriveError: Always; the message says what to do.
        """
        raise errors.DriveError(texts.english("errors.guest_drive"), status=401, code="drive_not_connected")

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """None, as above."""
        del access_token
        return await self.credentials()

    async def report_refused(self) -> None:
        """Nobody has to be told."""
