"""Earlier versions of a Drive file, which Drive calls revisions.

Only editors of a file see its revisions (google-api-python-client#1743). Drive merges and deletes old revisions, so
the list is not a complete history (#725). A request for deleted content is answered with 404.
"""

from dataclasses import dataclass
from typing import Any, Final

from leaf import errors, texts
from leaf.google import responses, transport
from leaf.google.drive import DOWNLOAD_UNITS, Drive
from leaf.google.files import DriveFile
from leaf.parts.objects import object_of

_PAGE: Final = 200
MOST: Final = 1_000
"""The maximum number of revisions that are listed for a file. If it has more, the oldest are left out."""
_FIELDS: Final = "nextPageToken,revisions(id,modifiedTime,size,lastModifyingUser(displayName,emailAddress),exportLinks)"
_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a file, as Drive keeps it."""

    id: str
    modified: str
    """The time at which it was written, as RFC 3339."""
    by: str
    """The name of the author, or the mail address if there is no name; empty if Google returns neither."""
    size_bytes: int | None
    """The size; None for Google's own formats."""
    links: dict[str, str]
    """The addresses of its exports, by MIME type. Only Google's own formats have any."""

    def describe(self) -> dict[str, str]:
        """The revision as JSON, for the results of tools."""
        return {"id": self.id, "date": self.modified, "by": self.by}


async def listed(drive: Drive, file: DriveFile) -> list[Revision]:
    """The revisions of a file, the oldest first.

    Raises:
        errors.DriveRefused: The account may not list revisions, because it cannot edit the file.
    """
    response = await drive.call(
        lambda api: api.files().get(
            fileId=file.id, fields="capabilities(canReadRevisions)", supportsAllDrives=True
        ),
        ids=[file.id], about=file.named,
    )  # fmt: skip
    if object_of(responses.mapping(response).get("capabilities")).get("canReadRevisions", True) is False:
        raise errors.DriveRefused(texts.english("refusals.no_revisions", name=file.name), status=403)
    found: list[Revision] = []
    tokens: list[str | None] = [None]
    while True:
        page = responses.mapping(await drive.call(
            lambda api, token=tokens[-1]: api.revisions().list(
                fileId=file.id, pageSize=_PAGE, pageToken=token, fields=_FIELDS
            ),
            ids=[file.id], about=file.named,
        ))  # fmt: skip
        found += [one for entry in responses.items(page.get("revisions")) if (one := _revision(entry)) is not None]
        token = responses.page_token(page.get("nextPageToken"))
        if not token or token in tokens:
            return sorted(found, key=lambda one: one.modified)[-MOST:]
        tokens.append(token)


def _revision(entry: Any) -> Revision | None:
    fields = object_of(entry)
    revision_id, modified = responses.identifier(fields.get("id")), responses.moment(fields.get("modifiedTime"))
    if revision_id is None or modified is None:
        return None
    person = object_of(fields.get("lastModifyingUser"))
    by = responses.name(person.get("displayName")) or responses.text(person.get("emailAddress")) or ""
    links = {
        str(kind): address
        for kind, address in object_of(fields.get("exportLinks")).items()
        if isinstance(address, str) and transport.may_see_token(address)
    }
    return Revision(
        revision_id, modified, " ".join(by.split())[:_NAME_CHARACTERS], responses.size(fields.get("size")), links
    )


async def download(drive: Drive, file: DriveFile, revision: Revision) -> bytes:
    """The bytes of a revision of a file that is not in one of Google's own formats.

    Raises:
        errors.DriveRefused: Drive has deleted the content of the revision.
    """
    drive.learn(file.id, file.resource_key)
    try:
        content = await drive.call(
            lambda api: api.revisions().get_media(fileId=file.id, revisionId=revision.id),
            ids=[file.id], about=file.named, units=DOWNLOAD_UNITS,
        )  # fmt: skip
    except errors.DriveRefused as refused:
        raise _content_deleted(refused, file, revision) from refused
    return responses.content(content)


async def export(drive: Drive, file: DriveFile, revision: Revision, mime_type: str) -> bytes:
    """A revision of a Google Doc, Sheet or presentation in another format, through its export link.

    Raises:
        errors.DriveRefused: Drive has deleted the content of the revision, or offers no export in this format.
    """
    address = revision.links.get(mime_type)
    if address is None:
        raise errors.DriveRefused(texts.english("refusals.no_export", name=file.name), status=403)
    drive.learn(file.id, file.resource_key)
    try:
        return await drive.fetch(file, address)
    except errors.DriveRefused as refused:
        raise _content_deleted(refused, file, revision) from refused


def _content_deleted(refused: errors.DriveRefused, file: DriveFile, revision: Revision) -> errors.DriveRefused:
    """The refusal with a better message if Drive has deleted the content of a revision; unchanged otherwise.

    A 404 cannot mean a missing file, because Drive has just returned its metadata.
    """
    if refused.status != 404:
        return refused
    date = revision.modified[:10]
    return errors.DriveRefused(texts.english("refusals.revision_gone", name=file.name, date=date), status=404)
