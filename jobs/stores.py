"""Stores that a run may use with its asker's permissions: Drive, files, documents and summaries; and the usage
ledger.
"""

from dataclasses import dataclass

from leaf import errors, texts
from leaf.agent.context.window import SummaryStore
from leaf.agent.deps import FilesAccess, KnowledgeAccess
from leaf.documents import DocumentCache
from leaf.google.access import DriveAccess, DriveCredentials
from leaf.services import documents, files, integrations, knowledge, summaries, usage
from leaf.services.runs import Assignment


async def enter(task: Assignment, entry: usage.Entry) -> None:
    """Enters the usage of a request other than the answer itself, if the audience is billed."""
    if task.actor.audience.is_billed:
        await usage.record(task.actor, entry, chat_id=task.chat_id, message_id=task.message_id)


@dataclass(frozen=True)
class Stores:
    """The stores that a run may read and write with its asker's permissions."""

    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    summaries: SummaryStore | None
    knowledge: KnowledgeAccess | None

    @classmethod
    def of(cls, task: Assignment) -> "Stores":
        """The stores of a run's asker and chat, as far as the audience has them."""
        actor, chat_id = task.actor, task.chat_id
        return cls(
            integrations.UserDrive(actor) if actor.audience.has_drive else NoDrive(),
            documents.UserDocuments(actor),
            files.ChatFiles(actor, chat_id, task.run_id),
            summaries.ChatSummaries(actor, chat_id) if actor.audience.summaries else None,
            knowledge.AgentKnowledge(actor, task.site.agent.id) if actor.audience.agent == "site" else None,
        )


@dataclass(frozen=True)
class NoDrive:
    """The Drive of an audience that has none."""

    async def credentials(self) -> DriveCredentials:
        """Refuses: this audience has no Drive.

        Raises:
            errors.DriveError: Always; the message says what to do.
        """
        raise errors.DriveError(texts.english("errors.guest_drive"), status=401, code="drive_not_connected")

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Refuses, like `credentials`."""
        del access_token
        return await self.credentials()

    async def report_refused(self) -> None:
        """Does nothing: there is nothing to note."""
