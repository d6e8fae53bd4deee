"""A computation of an answer, made anew for its reader, with a view of the cells that it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaf import errors
from leaf.db.session import Actor
from leaf.documents import Unreadable, isolation
from leaf.documents.tables import Source
from leaf.google import content
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.services.documents import UserDocuments
from leaf.services.integrations import UserDrive
from leaf.services.library import sight

MAX_FILES = 10


@dataclass(frozen=True)
class Again:
    """The result of a computation at this moment."""

    output: Mapping[str, Any]
    """As of the tool `compute`; its tables have a `view` (`leaf.documents.tables.engine.compute`)."""
    is_same: bool
    """Whether the result equals the kept one."""


async def again(actor: Actor, kept: Mapping[str, Any]) -> Again:
    """Computes the kept output of a tool call anew, from the present revisions of its files.

    Google confirms the permission first, with the reader's own token.

    Args:
        actor: The reader.
        kept: The output of the tool `compute`.

    Raises:
        errors.NotFound: A file is gone or closed to the reader, or the output is none of a computation.
        errors.DriveError: Drive is not connected, or does not answer.
        tables.Refused: The tables have changed so that the query fails.
    """
    files = [str(one["id"]) for one in kept.get("files") or () if isinstance(one, dict) and one.get("id")]
    query = kept.get("query")
    if not files or len(files) > MAX_FILES or not isinstance(query, str):
        raise errors.NotFound("file")
    access = UserDrive(actor)
    revisions = await sight.require(actor, access, files)
    sources = [await _source(actor, access, file, revisions[file]) for file in files]
    made = await isolation.computed(sources, query, owner=actor.user_id, view=True)
    return Again(made, _values(made.get("rows")) == _values(kept.get("rows")))


async def _source(actor: Actor, access: UserDrive, file_id: str, revision: str) -> Source:
    documents = UserDocuments(actor)
    document = await documents.get(file_id, revision)
    if document is None or document.kind == "pdf":
        drive = Drive(access)
        try:
            file = await drive.get_file(DriveLink(file_id, await sight.resource_key(actor, file_id)))
            document = await content.tables(drive, file, documents)
        except (errors.DriveRefused, Unreadable):
            raise errors.NotFound("file") from None
    return Source.of(document, document.name)


def _values(rows: Sequence[Any] | None) -> list[Any]:
    return [list(row) if isinstance(row, list | tuple) else row for row in rows or ()]
