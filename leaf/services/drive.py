"""A member's Drive for pages and programs, always read with the member's own token."""

from dataclasses import dataclass, replace

from leaf import errors
from leaf.db.session import Actor
from leaf.documents import Unreadable
from leaf.google import content, drive, links
from leaf.google.files import DriveFile
from leaf.services.documents import UserDocuments
from leaf.services.integrations import UserDrive


@dataclass(frozen=True)
class Entry:
    """A file or folder. `modified` is RFC 3339; `size_bytes` is None for Google's own formats and folders."""

    id: str
    name: str
    kind: str
    mime_type: str
    modified: str | None
    url: str | None
    size_bytes: int | None


@dataclass(frozen=True)
class Folder:
    """A folder and its direct entries. If `partial` is true, some entries are missing, and `notes` give the reason."""

    folder: Entry
    files: list[Entry]
    partial: bool
    notes: list[str]


@dataclass(frozen=True)
class File:
    """A file with its text. If the text is not available, `text` is None and `reason` says why."""

    file: Entry
    text: str | None
    notes: list[str]
    reason: str | None = None


async def folder(actor: Actor, link: str) -> Folder:
    """The folder that a link or id names.

    Raises:
        errors.Invalid: The link is not a link to Drive, or leads to a file.
        errors.NotFound: There is no such folder.
        errors.DriveError: Drive is not connected, refuses the folder, or does not answer.
    """
    listing = await drive.Drive(UserDrive(actor)).list_folder(links.parse(link))
    if listing.folder is None:
        raise errors.NotFound("folder")
    return Folder(_entry(listing.folder), [_entry(file) for file in listing.files], listing.partial, listing.notes)


async def file(actor: Actor, link: str, *, resource_key: str | None = None) -> File:
    """The file that a link or id names, with its text if Leaf can read it.

    Args:
        actor: The member.
        link: The link or id.
        resource_key: The resource key, if the link does not contain it.

    Raises:
        errors.Invalid: The link is not a link to Drive, or the key is malformed.
        errors.DriveError: Drive is not connected, refuses the file, or does not answer.
    """
    client = drive.Drive(UserDrive(actor))
    parsed = links.parse(link)
    if resource_key is not None and not links.is_key(resource_key):
        raise errors.Invalid(
            "This is no key of a link: copy it from the address, after “resourcekey=”.", field="resource_key"
        )
    found = await client.get_file(replace(parsed, resource_key=resource_key or parsed.resource_key))
    try:
        document = await content.read(client, found, UserDocuments(actor))
    except Unreadable as error:
        return File(_entry(found), None, [], error.reason)
    return File(_entry(found), "\n\n".join(segment.text for segment in document.segments), document.notes)


def _entry(file: DriveFile) -> Entry:
    return Entry(
        id=file.id,
        name=file.name,
        kind=file.kind,
        mime_type=file.mime_type,
        modified=file.modified,
        url=file.url,
        size_bytes=file.size_bytes,
    )
