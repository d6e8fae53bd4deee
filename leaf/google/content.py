"""Reads a Drive file as a document: chooses the export or download for its kind, and caches the text per revision."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from leaf import documents, errors, texts
from leaf.documents import Document, DocumentCache, Kind, Parsed, Unreadable, isolation
from leaf.documents.kinds import DOCX, PDF, PPTX, XLSX
from leaf.documents.model import Line
from leaf.google import revisions
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.revisions import Revision

MARKDOWN = "text/markdown"


async def read(
    drive: Drive, file: DriveFile, cache: DocumentCache | None = None, *, patient: bool = False, lane: str = ""
) -> Document:
    """The text of a file. A revision in the cache is not downloaded again.

    Args:
        drive: The Drive client, with the permissions of its user.
        file: Current metadata, which decides about revision and permission.
        cache: The cache of documents.
        patient: Whether nobody waits for the result, so that more time is spent on pictures.
        lane: The queue in which the file is read. Each lane reads a limited number of files of a member at once.

    Raises:
        documents.Unreadable: The text is not available; the message says why.
        errors.DriveError: A call to Drive failed.
    """
    _require_text(file, file.size_bytes)
    if cache is not None and not file.trashed:
        await cache.confirmed(file.id, file.revision)
    cached = await cache.get(file.id, file.revision) if cache is not None and file.revision else None
    if cached is not None:
        return replace(cached, name=file.name)
    owner = (drive.access, lane) if lane else drive.access
    parsed = await _parsed(drive, file, owner, patient=patient)
    document = Document(
        file.id, file.revision, file.name, file.mime_type, file.kind, parsed.segments, parsed.notes, parsed.truncated
    )
    if cache is not None and file.revision:
        await cache.put(document)
    return document


async def tables(drive: Drive, file: DriveFile, cache: DocumentCache | None = None) -> Document:
    """A file for a computation: the result of `read`, but with the tables of a PDF as its segments.

    Raises:
        As `read`.
    """
    document = await read(drive, file, cache)
    if document.kind != "pdf":
        return document
    segments, notes = await isolation.tables(await drive.download(file), owner=drive.access)
    return replace(document, segments=segments, notes=notes)


async def earlier(drive: Drive, file: DriveFile, revision: Revision) -> Document:
    """The text of an earlier version of a file. It is not cached.

    Raises:
        As `read`.
    """
    _require_text(file, revision.size_bytes)
    formats = _EARLIER.get(file.kind)
    if formats is None:
        data, kind = await revisions.download(drive, file, revision), file.kind
    else:
        mime_type, kind = next((one for one in formats if one[0] in revision.links), formats[0])
        data = await revisions.export(drive, file, revision, mime_type)
    parsed = await isolation.parse(data, kind, owner=drive.access)
    return Document(
        file.id, revision.id, file.name, file.mime_type, kind, parsed.segments, parsed.notes, parsed.truncated
    )


_EARLIER: dict[Kind, Sequence[tuple[str, Kind]]] = {
    "document": ((MARKDOWN, "document"), (DOCX, "word"), ("text/plain", "text")),
    "spreadsheet": ((XLSX, "spreadsheet"), ("text/csv", "csv")),
    "presentation": ((PPTX, "presentation"), ("text/plain", "text")),
    "drawing": ((PDF, "drawing"),),
}
"""The formats in which Google exports earlier versions of its own formats, the best first, and the kind of each for the
parser."""


def _require_text(file: DriveFile, size_bytes: int | None) -> None:
    """Checks that the text of a file may be read.

    Raises:
        documents.Unreadable: It may not; the message says why.
    """
    if file.is_shortcut:
        raise Unreadable(texts.english("refusals.shortcut"))
    if file.is_client_encrypted:
        raise Unreadable(_refusal_text(Cause.CLIENT_ENCRYPTED, file))
    if reason := documents.refusal(file.kind, file.mime_type, file.name):
        raise Unreadable(reason)
    if not file.can_download:
        raise Unreadable(_refusal_text(Cause.NO_DOWNLOAD, file))
    if size_bytes is not None and size_bytes > documents.MAX_BYTES:
        raise documents.too_many_bytes(size_bytes)


def _refusal_text(cause: Cause, file: DriveFile) -> texts.Message:
    return file.named.refused(Diagnosis(cause)).message


async def picture(drive: Drive, file: DriveFile, part: str, lines: Sequence[Line]) -> bytes:
    """A page of a file, or a picture in it, as JPEG with lines highlighted.

    Args:
        drive: The Drive client, with the permissions of its user.
        file: Current metadata of the file.
        part: `page 3` or `picture 1`.
        lines: The lines to highlight.

    Raises:
        documents.Unreadable: The file has no such picture, or may not be downloaded.
        errors.DriveError: A call to Drive failed.
    """
    if not file.can_download or file.trashed:
        raise Unreadable(_refusal_text(Cause.NO_DOWNLOAD, file))
    if file.size_bytes is not None and file.size_bytes > documents.MAX_BYTES:
        raise documents.too_many_bytes(file.size_bytes)
    formats: dict[Kind, str] = {"document": MARKDOWN, "presentation": PPTX, "drawing": PDF}
    export = formats.get(file.kind)
    data = await (drive.export(file, export) if export else drive.download(file))
    return await isolation.picture(data, file.kind, part, lines, owner=drive.access)


_EXPORTS: dict[Kind, tuple[str, str, Kind, str]] = {
    # Markdown contains pictures as data, so it reaches the export limit long before plain text does.
    "document": (
        MARKDOWN, "text/plain", "text", "Only plain text could be exported, without headings and tables.",
    ),
    "spreadsheet": (
        XLSX, "text/csv", "csv", "Only the first sheet could be exported, without the names of the others.",
    ),
    "presentation": (
        PPTX, "text/plain", "text",
        "Only plain text could be exported: where one slide ends and the next begins is not known.",
    ),
}  # fmt: skip
"""The best and the second format in which Google exports its own formats, the kind of the second, and its note."""


async def _parsed(drive: Drive, file: DriveFile, owner: Hashable, *, patient: bool) -> Parsed:
    if file.kind in _EXPORTS:
        return await _exported(drive, file, owner, *_EXPORTS[file.kind])
    data = await (drive.export(file, PDF) if file.kind == "drawing" else drive.download(file))
    return await isolation.parse(data, file.kind, owner=owner, patient=patient)


async def _exported(
    drive: Drive, file: DriveFile, owner: Hashable, best: str, second: str, second_kind: Kind, note: str
) -> Parsed:
    """Parses the better export. If Google refuses it or it cannot be parsed, parses the second one and adds a note."""
    try:
        return await isolation.parse(await drive.export(file, best), file.kind, owner=owner)
    except (errors.DriveNotConnected, errors.DriveRevoked):
        raise
    except (errors.DriveRefused, Unreadable) as refused:
        if isinstance(refused, errors.DriveRefused) and refused.status == 404:
            raise
        try:
            parsed = await isolation.parse(await drive.export(file, second), second_kind, owner=owner)
        except errors.DriveRefused:
            raise refused from None
    # The second export of a workbook has only its first sheet.
    truncated = parsed.truncated or file.kind == "spreadsheet"
    return replace(parsed, notes=[note, *parsed.notes], truncated=truncated)
