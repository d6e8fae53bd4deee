"""Knowledge of a site's agent, for runs. `leaf.services.sites.knowledge` has the operations of the team.

A folder is read with its owner's grant, which is looked up at each use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import sqlalchemy
from sqlmodel import col, select

from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.documents import Document, DocumentCache
from leaf.google.access import DriveAccess
from leaf.services.documents import UserDocuments
from leaf.services.integrations import UserDrive
from leaf.sites import Source

_FILE: Final = models.AgentFile
_FOLDER: Final = models.AgentFolder


@dataclass(frozen=True)
class AgentKnowledge:
    """The knowledge of one agent for a run (`leaf.agent.deps.KnowledgeAccess`). It is read again at each use."""

    actor: Actor
    """The site visitor, whose rights are limited to the agent, or a member of the team."""
    agent_id: UUID

    async def sources(self) -> Sequence[Source]:
        """The files and folders, in the order in which they were added."""
        async with transaction(self.actor, read_only=True) as tx:
            return await sources(tx, self.agent_id)

    async def document(self, source: Source) -> Document | None:
        """The text of a file; None if it was removed."""
        async with transaction(self.actor, read_only=True) as tx:
            row = await tx.session.get(_FILE, source.id)
        if row is None or row.agent_id != self.agent_id:
            return None
        return Document.from_body(
            row.body, file_id=source.handle(), revision="", name=source.title, mime_type="", kind=row.kind
        )

    def drive(self, source: Source) -> DriveAccess:
        """The Drive access of a folder's owner."""
        return UserDrive(_owner(source))

    def cache(self, source: Source) -> DocumentCache:
        """The cache of texts that were read with the owner's grant."""
        return UserDocuments(_owner(source))


async def sources(tx: Transaction, agent_id: UUID) -> list[Source]:
    """The files and folders of an agent, in the order in which they were added."""
    columns = sqlalchemy.select(col(_FILE.created_at), col(_FILE.id), col(_FILE.title))
    files = (await tx.execute(columns.where(col(_FILE.agent_id) == agent_id))).all()
    folders = (await tx.session.exec(select(_FOLDER).where(col(_FOLDER.agent_id) == agent_id))).all()
    found = [(one.created_at, Source(one.id, one.title, "file")) for one in files]
    found += [
        (
            one.created_at,
            Source(one.id, one.title, "folder", one.user_id, one.workspace_id, one.folder_id, one.resource_key),
        )
        for one in folders
    ]
    return [source for _, source in sorted(found, key=lambda one: (one[0], one[1].id))]


def _owner(source: Source) -> Actor:
    if source.owner_id is None:
        raise ValueError("A file has no grant.")
    return Actor.worker_for(source.owner_id, source.workspace_id)
