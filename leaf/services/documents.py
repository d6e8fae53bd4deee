"""The texts of files that were read, by member and revision, so that an unchanged file is not downloaded again."""

from dataclasses import dataclass

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf.db import models
from leaf.db.models import IntegrationProvider
from leaf.db.session import Actor, transaction
from leaf.documents.model import Document
from leaf.services.library import feeds, file_texts, sight


@dataclass(frozen=True)
class UserDocuments:
    """The cache of one member (`leaf.documents.DocumentCache`).

    Before each use, the caller must ask Google whether the member may see the file.
    """

    actor: Actor

    async def confirmed(self, file_id: str, revision: str) -> None:
        """Stores that Google has just shown the file for reading, so that Google is not asked again within a minute."""
        await sight.note_shown(self.actor, file_id, revision)

    async def get(self, file_id: str, revision: str) -> Document | None:
        """The document of exactly this revision, from the index or from this cache; None if neither has it."""
        if (indexed := await file_texts.document(self.actor, file_id, revision)) is not None:
            return indexed
        async with transaction(self.actor, read_only=True) as tx:
            query = select(models.Document).where(
                col(models.Document.user_id) == self.actor.user_id,
                col(models.Document.provider) == IntegrationProvider.GOOGLE_DRIVE,
                col(models.Document.file_id) == file_id,
                col(models.Document.revision) == revision,
            )
            row = (await tx.session.exec(query)).one_or_none()
        if row is None:
            return None
        return Document.from_body(
            row.body, file_id=row.file_id, revision=row.revision, name=row.name, mime_type=row.mime_type, kind=row.kind
        )

    async def put(self, document: Document) -> None:
        """Stores a document in place of earlier revisions of the same file, if the member allows Leaf to keep texts.

        In any case, stores that the member has read the file.
        """
        values = {
            "user_id": self.actor.user_id,
            "provider": IntegrationProvider.GOOGLE_DRIVE,
            "file_id": document.file_id,
            "revision": document.revision,
            "name": document.name,
            "mime_type": document.mime_type,
            "kind": document.kind,
            "body": document.body(),
        }
        earlier = delete(models.Document).where(
            col(models.Document.user_id) == self.actor.user_id,
            col(models.Document.provider) == IntegrationProvider.GOOGLE_DRIVE,
            col(models.Document.file_id) == document.file_id,
            col(models.Document.revision) != document.revision,
        )
        async with transaction(self.actor) as tx:
            if await feeds.keeps_texts(tx, lock=True):
                await tx.session.exec(earlier)
                await tx.session.exec(insert(models.Document).values(values).on_conflict_do_nothing())
            await sight.allow(tx, {document.file_id}, has_read=True)
