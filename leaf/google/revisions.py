"""Earlier versions of a Drive file: its revisions, as far as Drive keeps them and shows them to this account.

Only editors of a file see its revisions (google-api-python-client#1743). Drive merges and drops older ones, so the list
is not a complete history (#725); content that it has dropped answers 404.
"""

from dataclasses import dataclass
from typing import Any, Final

from leaf import errors, texts
from leaf.google import responses, transport
from leaf.google.drive import DOWNLOAD_UNITS, Drive
from leaf.google.files import DriveFile
from leaf.google.transport import Nonsense, Transport

_PAGE: Final = 200
MOST: Final = 1_000
"""Revisions of a file that are listed; the newest ones of more."""
_FIELDS: Final = "nextPageToken,revisions(id,modifiedTime,size,lastModifyingUser(displayName,emailAddress),exportLinks)"
_NAME_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a file, as Drive keeps it."""

    id: str
    modified: str
    """The time at which it was written, as RFC 3339."""
    by: str
    """The name of the author, or else the address; empty if Google does not say."""
    size_bytes: int | None
    """Absent (None) for Google's own formats."""
    links: dict[str, str]
    """The addresses of its exports by their MIME types; none of files that have bytes."""

    def describe(self) -> dict[str, str]:
        """The JSON by which a tool names it."""
        return {"id": self.id, "date": self.modified, "by": self.by}


async def listed(drive: Drive, file: DriveFile) -> list[Revision]:
    """The revisions of a file, the oldest first.

    Raises:
        errors.DriveRefused: The account may not see them, because it cannot edit the file.
    """
    given = await drive.call(
        lambda api: api.files().get(
            fileId=file.id, fields="capabilities(canReadRevisions)", supportsAllDrives=True
        ),
        ids=[file.id], about=file.named,
    )  # fmt: skip
    if responses.part(responses.mapping(given).get("capabilities")).get("canReadRevisions", True) is False:
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
    given = responses.part(entry)
    revision_id, modified = responses.identifier(given.get("id")), responses.moment(given.get("modifiedTime"))
    if revision_id is None or modified is None:
        return None
    person = responses.part(given.get("lastModifyingUser"))
    by = responses.text(person.get("displayName")) or responses.text(person.get("emailAddress")) or ""
    links = {
        str(kind): address
        for kind, address in responses.part(given.get("exportLinks")).items()
        if isinstance(address, str) and transport.may_see_token(address)
    }
    return Revision(
        revision_id, modified, " ".join(by.split())[:_NAME_CHARACTERS], responses.size(given.get("size")), links
    )


async def download(drive: Drive, file: DriveFile, revision: Revision) -> bytes:
    """The bytes of a revision of a file that is not in one of Google's own formats.

    Raises:
        errors.DriveRefused: Drive does not keep them any more.
    """
    drive.learn(file.id, file.resource_key)
    try:
        content = await drive.call(
            lambda api: api.revisions().get_media(fileId=file.id, revisionId=revision.id),
            ids=[file.id], about=file.named, units=DOWNLOAD_UNITS,
        )  # fmt: skip
    except errors.DriveRefused as refused:
        raise _gone(refused, file, revision) from refused
    return responses.content(content)


async def export(drive: Drive, file: DriveFile, revision: Revision, mime_type: str) -> bytes:
    """A revision of a Google Doc, Sheet or presentation in another format, through its export link.

    Raises:
        errors.DriveRefused: Drive does not keep it any more, or has no link for this format.
    """
    address = revision.links.get(mime_type)
    if address is None:
        raise errors.DriveRefused(texts.english("refusals.no_export", name=file.name), status=403)

    def fetch(connection: Transport) -> bytes:
        response, content = connection.request(address)
        if response.get("content-type", "").startswith("text/html"):
            raise Nonsense
        return content

    drive.learn(file.id, file.resource_key)
    try:
        return await drive.run(fetch, ids=[file.id], about=file.named, attempts=3, units=DOWNLOAD_UNITS)
    except errors.DriveRefused as refused:
        raise _gone(refused, file, revision) from refused


def _gone(refused: errors.DriveRefused, file: DriveFile, revision: Revision) -> errors.DriveRefused:
    """The refusal for content that Drive has dropped: the file itself is there, because it was just described."""
    if refused.status != 404:
        return refused
    date = revision.modified[:10]
    return errors.DriveRefused(texts.english("refusals.revision_gone", name=file.name, date=date), status=404)
