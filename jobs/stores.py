"""The stores that a run may use with its asker's permissions, such as Drive and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from jobs.library import vectors
from leaf import errors, texts
from leaf.agent.deps import FilesAccess, KnowledgeAccess, LibraryAccess
from leaf.db.session import Actor
from leaf.documents import DocumentCache
from leaf.google import refusals
from leaf.google.access import DriveAccess, DriveCredentials, Unrecorded
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.services import cells, documents, files, integrations, knowledge
from leaf.services.library import lookup, progress, search
from leaf.services.library.scope import NO_SCOPE, ChatScope, Scope
from leaf.services.runs import Assignment


async def results(task: Assignment) -> list[Mapping[str, Any]]:
    """The stored results of computations in the answers before a run's question, including manual edits."""
    return [one.current for one in await cells.of_chat(task.actor, task.chat_id, upto=task.message_id)]


@dataclass(frozen=True)
class Stores:
    """The stores that a run may use with its asker's permissions. A store that the audience lacks is None."""

    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    knowledge: KnowledgeAccess | None
    library: LibraryAccess | None

    @classmethod
    def of(cls, task: Assignment) -> "Stores":
        """The stores of a run's asker and chat."""
        actor, chat_id = task.actor, task.chat_id
        has_drive = actor.audience.has_drive
        return cls(
            integrations.UserDrive(actor) if has_drive else NoDrive(),
            documents.UserDocuments(actor),
            files.ChatFiles(actor, chat_id, task.run_id),
            knowledge.AgentKnowledge(actor, task.site.agent.id) if actor.audience.has_knowledge else None,
            MemberLibrary(actor, task.scope, task.linked) if has_drive else None,
        )


@dataclass(frozen=True)
class MemberLibrary:
    """The search in a member's Drive for the agent (`leaf.agent.deps.LibraryAccess`)."""

    actor: Actor
    chat: ChatScope = NO_SCOPE
    """The part of the Drive that the chat is limited to."""
    linked: frozenset[str] = frozenset()
    """Files and folders that the asker has linked or mentioned in the chat."""

    @property
    def limits(self) -> dict[str, Any] | None:
        """The limits of the chat (`ChatScope.data`)."""
        return self.chat.data()

    async def covers(self, file: DriveFile, resource_keys: dict[str, str]) -> bool:
        """Whether a file or folder may be opened: it lies in the chat's scope, or the asker has linked it."""
        scope = self.chat.conditions
        if scope is None or file.id in self.linked:
            return True
        drive = Drive(integrations.UserDrive(self.actor), resource_keys=resource_keys)
        in_linked = Scope(folders=self.linked)
        return await lookup.covers(self.actor, drive, scope, file) or (
            bool(self.linked) and await lookup.covers(self.actor, drive, in_linked, file)
        )

    async def look_up(
        self, queries: Sequence[str], *, folder: DriveLink | None, kinds: frozenset[str], since: date | None,
        name: str | None, resource_keys: dict[str, str],
    ) -> dict[str, Any]:  # fmt: skip
        """The files and passages that match, as the output of a tool."""
        found = await lookup.look_up(
            self.actor, integrations.UserDrive(self.actor), queries,
            Scope(kinds=kinds, since=since, name=name, within=self.chat.conditions),
            folder=folder, resource_keys=resource_keys, embed=vectors.of_queries,
        )  # fmt: skip
        is_empty = not (found.files or found.others or folder or (await progress.of(self.actor)).files)
        if is_empty and (other := await integrations.other_account(self.actor)) is not None:
            raise refusals.error_of(other)
        within = {"within": limits} if (limits := self.limits) else {}
        return {
            "files": [*map(_described, found.files), *(file.describe() for file in found.others)],
            "passages": [
                {
                    "file_id": file.file_id,
                    "name": file.name,
                    "place": passage.place,
                    "heading": passage.heading.removeprefix(file.name).removeprefix(" › "),
                    "text": passage.text,
                }
                for file in found.files
                for passage in file.passages
            ],
            "index": found.progress.data(),
            "asked_google": found.asked_google,
            "partial": found.partial,
            **({"drives_missed": True} if found.drives_missed else {}),
            "refused": found.refused,
            "unanswered": found.unanswered,
            **within,
        }


def _described(file: search.Found) -> dict[str, Any]:
    copies = {"copies": [_about(one) for one in file.copies]} if file.copies else {}
    return {**_about(file), "revision": file.revision, "path": file.path, **copies}


def _about(file: search.Found) -> dict[str, Any]:
    return {
        "id": file.file_id, "name": file.name, "kind": file.kind,
        "modified": file.modified.isoformat() if file.modified else None, "url": file.url,
    }  # fmt: skip


@dataclass(frozen=True)
class NoDrive(Unrecorded):
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
