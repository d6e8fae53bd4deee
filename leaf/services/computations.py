"""Repeats the computations of answers for a reader, with a view of the cells that they read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaf import errors, parts
from leaf.citations import figures
from leaf.db.session import Actor
from leaf.documents import Unreadable, isolation
from leaf.documents.tables import Cell, Source
from leaf.google import content
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.services.documents import UserDocuments
from leaf.services.integrations import UserDrive
from leaf.services.library import file_texts, sight

MAX_FILES = 10


@dataclass(frozen=True)
class Repetition:
    """The present result of a computation of an answer."""

    output: Mapping[str, Any]
    """The output of the tool `compute`; its tables have a `view` (`leaf.documents.tables.engine.compute`)."""
    is_same: bool
    """Whether the result equals that of the answer."""


def finished(message_parts: Sequence[parts.Part]) -> list[parts.Part]:
    """The tool calls of an answer that are finished computations with a query."""
    return [one for one in figures.finished(message_parts) if one["output"].get("query")]


def has_cells(message_parts: Sequence[parts.Part]) -> bool:
    """Whether an answer has a computation that can be exported, and that later computations can read."""
    return any(Cell.all_of(one["output"]) for one in finished(message_parts))


async def repeat(actor: Actor, kept: Mapping[str, Any]) -> Repetition:
    """Repeats a computation with the present revisions of its files.

    First, Google confirms with the reader's own token that the reader may see the files.

    Args:
        actor: The reader.
        kept: The output of the tool `compute`.

    Raises:
        errors.NotFound: A file is gone or closed to the reader, or the output is not that of a computation.
        errors.DriveError: Drive is not connected, or does not answer.
        tables.Refused: The tables have changed so that the query fails.
    """
    return await _repeated(actor, kept, await sources(actor, _files_of(kept)), view=True)


async def sources(actor: Actor, files: Sequence[str]) -> list[Source]:
    """The present revisions of files, read after Google has confirmed that the actor may see each of them.

    Raises:
        errors.NotFound: A file is gone or closed to the actor.
        errors.DriveError: Drive is not connected, or does not answer.
        tables.Refused: A file is too large to compute over all of it.
    """
    access = UserDrive(actor)
    await sight.require(actor, access, files)
    return [await _source(actor, access, file) for file in files]


async def from_index(actor: Actor, kept: Mapping[str, Any]) -> Repetition | None:
    """Repeats a computation with the texts of the index, in the latest revisions that the member's feed has shown.

    Tables of PDFs are read from the files, because the index has only the words of a PDF.

    Args:
        actor: The member.
        kept: The output of the tool `compute`.

    Returns:
        The result; None if the index lacks the text of a file.

    Raises:
        errors.NotFound: The output is not that of a computation, or a PDF is closed to the member.
        errors.DriveError: As in `again`, for a PDF.
        tables.Refused: As in `again`.
    """
    files = _files_of(kept)
    found = [source for file in files if (source := await _present(actor, file)) is not None]
    return await _repeated(actor, kept, found) if len(found) == len(files) else None


def _files_of(kept: Mapping[str, Any]) -> list[str]:
    """The ids of the files of a computation.

    Raises:
        errors.NotFound: The output is not that of a computation.
    """
    files = [str(one["id"]) for one in kept.get("files") or () if isinstance(one, dict) and one.get("id")]
    if not files or len(files) > MAX_FILES or not isinstance(kept.get("query"), str):
        raise errors.NotFound("file")
    return files


async def _repeated(
    actor: Actor, kept: Mapping[str, Any], sources: Sequence[Source], *, view: bool = False
) -> Repetition:
    cells = [Cell.of(one) for one in kept.get("cells") or ()]
    units = dict(kept.get("units") or {})
    output = await isolation.computed(sources, kept["query"], units=units, cells=cells, owner=actor.user_id, view=view)
    return Repetition(output, _values(output.get("rows")) == _values(kept.get("rows")))


async def _present(actor: Actor, file_id: str) -> Source | None:
    """A file from the index, or the present revision of a PDF at Google. None if the index has no text of the file."""
    document = await file_texts.present(actor, file_id)
    if document is not None and document.kind == "pdf":
        # The index has the words of a PDF, but not its tables.
        return await _source(actor, UserDrive(actor), file_id)
    return Source.of(document, document.name) if document is not None else None


async def _source(actor: Actor, access: UserDrive, file_id: str) -> Source:
    """The present revision of a file at Google.

    Raises:
        errors.NotFound: The file cannot be read.
    """
    drive = Drive(access)
    try:
        file = await drive.get_file(DriveLink(file_id, await sight.resource_key(actor, file_id)))
        document = await content.tables(drive, file, UserDocuments(actor))
    except (errors.DriveRefused, Unreadable):
        raise errors.NotFound("file") from None
    return Source.of(document, document.name)


def _values(rows: Sequence[Any] | None) -> list[Any]:
    return [list(row) if isinstance(row, list | tuple) else row for row in rows or ()]
