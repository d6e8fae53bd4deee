"""Files of Drive, as Leaf represents them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from leaf import documents
from leaf.google import refusals, responses
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.parts.objects import list_of, object_of

FIELDS = (
    "id,name,mimeType,modifiedTime,size,webViewLink,headRevisionId,md5Checksum,version,driveId,resourceKey,trashed,parents,"
    "capabilities(canDownload),ownedByMe,owners(displayName,emailAddress),"
    "shortcutDetails(targetId,targetMimeType,targetResourceKey)"
)
"""The fields that are requested for each file."""

_PATHS = {"folder": "drive/folders/{id}", "document": "document/d/{id}/edit", "spreadsheet": "spreadsheets/d/{id}/edit",
          "presentation": "presentation/d/{id}/edit"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DriveFile:
    """A file or folder, as Drive describes it."""

    id: str
    name: str
    mime_type: str
    modified: str | None
    """RFC 3339, as Google returns it."""
    size_bytes: int | None
    """None for Google's own formats."""
    url: str
    """The address that opens the file in a browser."""
    revision: str
    """A value that changes whenever the content changes. It may change more often."""
    drive_id: str | None
    """The Shared Drive that contains the file."""
    resource_key: str | None
    trashed: bool
    can_download: bool
    target_id: str | None
    """The target, if the file is a shortcut."""
    target_mime_type: str | None
    target_resource_key: str | None
    parent_id: str | None = None
    """The folder that contains the file, if the user may see the folder."""
    md5: str | None = None
    """The MD5 of its bytes in hexadecimal; None for Google's own formats."""
    owner: str = ""
    """Name and address of the owner, as far as Google returns them. Files of Shared Drives have no owner."""
    is_own: bool = False
    """Whether the connected account owns the file."""

    @property
    def named(self) -> refusals.Named:
        """The properties of the file for the message of a refusal."""
        return refusals.Named(self.name, self.owner, self.is_own, self.mime_type)

    @property
    def kind(self) -> documents.Kind:
        """The kind of the file. For a shortcut it is the kind of its target, if Drive returns that."""
        return documents.kind_of(self.target_mime_type or self.mime_type, self.name)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder itself. A shortcut to a folder is not."""
        return documents.kind_of(self.mime_type) == "folder"

    @property
    def is_client_encrypted(self) -> bool:
        """Whether the owner's organisation encrypts the file before Google receives it."""
        return self.mime_type.startswith("application/vnd.google-gsuite.encrypted")

    @property
    def is_shortcut(self) -> bool:
        """Whether it is a shortcut."""
        return documents.kind_of(self.mime_type) == "shortcut"

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "DriveFile":
        """A file made from Drive's JSON. Missing and malformed fields count as empty.

        Raises:
            errors.DriveError: It has no id.
        """
        file_id = responses.identifier(fields.get("id"))
        if file_id is None:
            raise refusals.unexpected_response()
        shortcut = object_of(fields.get("shortcutDetails"))
        resource_key = responses.identifier(fields.get("resourceKey"))
        mime_type = responses.text(fields.get("mimeType")) or ""
        modified = responses.moment(fields.get("modifiedTime"))
        version = responses.version(fields.get("version"))
        numbered = f"v{version}" if version else ""
        md5 = responses.version(fields.get("md5Checksum"))
        return cls(
            id=file_id,
            name=responses.name(fields.get("name")) or "Untitled",
            mime_type=mime_type,
            modified=modified,
            size_bytes=responses.size(fields.get("size")),
            url=responses.address(fields.get("webViewLink")) or _url(file_id, mime_type, resource_key),
            revision=responses.version(fields.get("headRevisionId")) or md5 or numbered or modified or "",
            drive_id=responses.identifier(fields.get("driveId")),
            resource_key=resource_key,
            trashed=fields.get("trashed") is True,
            can_download=object_of(fields.get("capabilities")).get("canDownload", True) is not False,
            target_id=responses.identifier(shortcut.get("targetId")),
            target_mime_type=responses.text(shortcut.get("targetMimeType")),
            target_resource_key=responses.identifier(shortcut.get("targetResourceKey")),
            parent_id=next(filter(None, map(responses.identifier, list_of(fields.get("parents")))), None),
            md5=md5,
            owner=_owner(fields),
            is_own=fields.get("ownedByMe") is True,
        )

    def describe(self) -> dict[str, Any]:
        """The file as JSON, for tools and the API. `size_bytes` and `shortcut` are present only if they apply."""
        described: dict[str, Any] = {
            "id": self.id, "name": self.name, "kind": self.kind, "modified": self.modified, "url": self.url,
        }  # fmt: skip
        if self.size_bytes is not None:
            described["size_bytes"] = self.size_bytes
        if self.is_shortcut:
            described["shortcut"] = True
        return described


def _owner(fields: Mapping[str, Any]) -> str:
    owner = object_of(next(iter(list_of(fields.get("owners"))), None))
    name, address = (
        refusals.on_one_line(responses.name(owner.get(key)) or "") for key in ("displayName", "emailAddress")
    )
    return f"{name} ({address})" if name and address else name or address


def _url(file_id: str, mime_type: str, resource_key: str | None) -> str:
    path = _PATHS.get(documents.kind_of(mime_type), "file/d/{id}/view").format(id=file_id)
    host = "drive.google.com" if path.startswith(("drive", "file")) else "docs.google.com"
    query = f"?{urlencode({'resourcekey': resource_key})}" if resource_key else ""
    return f"https://{host}/{path}{query}"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of all files in a Drive; `next_token` is None on the last page."""

    files: list[DriveFile]
    next_token: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """One page of a Changes feed."""

    files: list[DriveFile]
    """Current metadata of the files, including files in the bin."""
    removed: list[str]
    """Ids of files that were deleted, or that the user may no longer see. Google does not distinguish the two."""
    next_token: str
    """The position in the feed after this page."""
    last: bool
    """Whether there is no further page at present."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a folder or search. If `partial`, some files are missing, and `notes` say why."""

    files: list[DriveFile]
    partial: bool = False
    notes: list[str] = field(default_factory=list[str])
    folder: DriveFile | None = None

    @property
    def drives_missed(self) -> bool:
        """Whether Google did not search every drive."""
        return Diagnosis(Cause.INCOMPLETE_SEARCH).message in self.notes
