"""The files and their metadata as one account sees them.

Like Google, this answers 404 both for files that do not exist and for files that are not shared with the account.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request

from sandbox import accounts, context, corpus, refusals
from sandbox.accounts import Account
from sandbox.context import Sandbox
from sandbox.corpus import Item, SharedDrive

_EDITORS = {
    corpus.DOCUMENT: "document/d/{}/edit",
    corpus.SPREADSHEET: "spreadsheets/d/{}/edit",
    corpus.PRESENTATION: "presentation/d/{}/edit",
    corpus.DRAWING: "drawings/d/{}/edit",
    corpus.FORM: "forms/d/{}/viewform",
    corpus.FOLDER: "drive/folders/{}",
}
EXPORTS: dict[str, dict[str, str]] = {
    corpus.DOCUMENT: {
        "text/plain": "txt", "text/markdown": "md", corpus.PDF: "pdf", corpus.DOCX: "docx",
    },
    corpus.SPREADSHEET: {"text/csv": "csv", corpus.XLSX: "xlsx"},
    corpus.PRESENTATION: {"text/plain": "txt", corpus.PDF: "pdf", corpus.PPTX: "pptx"},
    corpus.DRAWING: {corpus.PDF: "pdf"},
}  # fmt: skip
"""The export formats of each type: Google's file name extensions by MIME type."""


def timestamp(moment: datetime) -> str:
    """A time in RFC 3339 with milliseconds, as Google writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(seconds: float) -> datetime:
    """The UTC time of a number of seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def parse_resource_keys(header: str) -> dict[str, str]:
    """The resource keys by file id from the header `X-Goog-Drive-Resource-Keys: id/key,id/key`."""
    pairs = (pair.strip().partition("/") for pair in header.split(",") if pair.strip())
    return {file_id: key for file_id, _, key in pairs}


def link(base_url: str, item: Item) -> str:
    """The address of an item's page in a browser."""
    path = _EDITORS.get(item.mime_type, "file/d/{}/view").format(item.id)
    key = f"?resourcekey={item.resource_key}" if item.resource_key else ""
    return f"{base_url}/{path}{key}"


@dataclass(frozen=True)
class View:
    """The files as one account sees them at one moment."""

    sandbox: Sandbox
    account: Account
    items: Mapping[str, Item]
    keys: Mapping[str, str]
    """The resource keys in the request, by file id."""

    def may_see(self, item: Item) -> bool:
        """Whether this account may see the item."""
        return self.account.key in item.readers

    def find(self, file_id: str, *, all_drives: bool = True) -> Item:
        """The item with an id.

        Args:
            file_id: The id; `root` stands for the account's My Drive.
            all_drives: Whether the request has `supportsAllDrives`. Otherwise items of Shared Drives are not found.

        Raises:
            refusals.DriveRefusal: 404, if there is no such item, or the account may not see it, or the request lacks
                its resource key.
        """
        wanted = self.sandbox.corpus.root_id(self.account) if file_id == "root" else file_id
        item = self.items.get(wanted)
        if item is None or not self.may_see(item) or (item.drive_id is not None and not all_drives):
            raise refusals.not_found(file_id)
        if item.resource_key and item.owner != self.account.email and self.keys.get(item.id) != item.resource_key:
            raise refusals.not_found(file_id)
        return item

    def drives(self) -> list[SharedDrive]:
        """The Shared Drives of which this account is a member."""
        return [drive for drive in self.sandbox.corpus.drives() if self.account.key in drive.readers]

    def drive(self, drive_id: str) -> SharedDrive:
        """The Shared Drive with an id.

        Raises:
            refusals.DriveRefusal: 404, if this account is not a member of such a Shared Drive.
        """
        for drive in self.drives():
            if drive.id == drive_id:
                return drive
        raise refusals.DriveRefusal(404, "notFound", f"Shared drive not found: {drive_id}", location="driveId")

    def parents(self, item: Item) -> tuple[str, ...]:
        """The id of the parent; empty if this account may not see it, as with a file that somebody else shares."""
        parent = self.items.get(item.parent) if item.parent else None
        return (parent.id,) if parent is not None and self.may_see(parent) else ()

    def is_shared_with_me(self, item: Item) -> bool:
        """Whether the item itself was shared with this account, rather than a folder above it."""
        return item.drive_id is None and item.owner != self.account.email and not self.parents(item)

    def metadata(self, item: Item, wanted: Mapping[str, object] | None) -> dict[str, Any]:
        """The `File` resource of an item.

        Args:
            item: The item.
            wanted: The field mask; fields that are costly to compute are left out if it does not select them. None for
                all fields.
        """
        base_url = self.sandbox.base_url
        shared = len(item.readers) > 1 or not any(account.email == item.owner for account in accounts.ACCOUNTS)
        resource: dict[str, Any] = {
            "kind": "drive#file",
            "id": item.id,
            "name": item.name,
            "mimeType": item.mime_type,
            "starred": False,
            "trashed": item.trashed,
            "explicitlyTrashed": item.trashed,
            "spaces": ["drive"],
            "version": str(item.version),
            "createdTime": timestamp(item.created),
            "modifiedTime": timestamp(item.modified),
            "viewedByMe": False,
            "shared": shared,
            "webViewLink": link(base_url, item),
            "hasThumbnail": False,
            "lastModifyingUser": self.user(item.modified_by or item.owner),
            "capabilities": self._capabilities(item),
            "copyRequiresWriterPermission": not item.can_download,
            "viewersCanCopyContent": item.can_download,
            "quotaBytesUsed": "0",
            "isAppAuthorized": False,
        }
        parents = self.parents(item)
        resource |= {"parents": list(parents)} if parents else {}
        resource |= {"description": item.description} if item.description else {}
        resource |= {"resourceKey": item.resource_key} if item.resource_key else {}
        if item.drive_id is None:
            resource |= {"ownedByMe": item.owner == self.account.email, "owners": [self.user(item.owner)]}
        else:
            resource |= {"driveId": item.drive_id}
        if self.is_shared_with_me(item):
            resource |= {"sharedWithMeTime": timestamp(item.created), "sharingUser": self.user(item.owner)}
        if self.sandbox.faults.settings.get("encrypted") and not item.is_folder:
            resource["mimeType"] = f'application/vnd.google-gsuite.encrypted; content="{item.mime_type}"'
        return resource | self._special(item, wanted)

    def _special(self, item: Item, wanted: Mapping[str, object] | None) -> dict[str, Any]:
        """The fields that only some kinds of items have."""

        def asks(name: str) -> bool:
            return wanted is None or "*" in wanted or name in wanted

        special: dict[str, Any] = {}
        if item.target is not None:
            target = self.items.get(item.target)
            broken = self.sandbox.faults.settings.get("shortcuts") == "broken"
            details = {
                "targetId": "1missing_target" if broken else item.target,
                "targetMimeType": target.mime_type if target else corpus.DOCUMENT,
            }
            if target is not None and target.resource_key:
                details["targetResourceKey"] = target.resource_key
            special["shortcutDetails"] = details
        if asks("size") and (size := self.sandbox.corpus.size(item)) is not None:
            special["size"] = str(size)
        special |= self._export_links(item)
        if item.is_google:
            return special
        extension = PurePosixPath(item.name).suffix.lstrip(".")
        special |= {"headRevisionId": item.revision, "originalFilename": item.name, "fileExtension": extension}
        if asks("md5Checksum") and (checksum := self.sandbox.corpus.checksum(item)) is not None:
            special["md5Checksum"] = checksum
        return special

    def _export_links(self, item: Item, revision: str = "") -> dict[str, Any]:
        if item.mime_type not in EXPORTS or not item.can_download:
            return {}
        address = f"{self.sandbox.base_url}/feeds/download/documents/export/Export?id={item.id}{revision}&exportFormat="
        links = {mime_type: address + extension for mime_type, extension in EXPORTS[item.mime_type].items()}
        return {"exportLinks": links}

    def may_edit(self, item: Item) -> bool:
        """Whether this account could change an item at Google, as its owner or a member of its Shared Drive."""
        return item.owner == self.account.email or item.drive_id is not None

    def revisions(self, item: Item) -> tuple[Item, ...]:
        """The versions of an item.

        Raises:
            refusals.DriveRefusal: 403, if the account may not edit the item (google-api-python-client#1743).
        """
        if not self.may_edit(item):
            raise refusals.DriveRefusal(
                403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file."
            )
        return self.sandbox.corpus.revisions(item)

    def revision(self, item: Item, revision_id: str) -> Item:
        """One version of an item.

        Raises:
            refusals.DriveRefusal: 403 as for `revisions`; 404 if there is no such version.
        """
        found = next((one for one in self.revisions(item) if one.revision == revision_id), None)
        if found is None:
            raise refusals.DriveRefusal(404, "notFound", f"Revision not found: {revision_id}.", location="revisionId")
        return found

    def revision_resource(self, version: Item) -> dict[str, Any]:
        """The `Revision` resource of a version."""
        resource: dict[str, Any] = {
            "kind": "drive#revision", "id": version.revision, "mimeType": version.mime_type,
            "modifiedTime": timestamp(version.modified), "published": False,
            "lastModifyingUser": self.user(version.modified_by or version.owner),
        }  # fmt: skip
        if version.is_google:
            return resource | self._export_links(version, f"&revision={version.revision}")
        return resource | {
            "keepForever": False, "originalFilename": version.name,
            "size": str(self.sandbox.corpus.size(version) or 0),
            "md5Checksum": self.sandbox.corpus.checksum(version) or "",
        }  # fmt: skip

    def user(self, email: str) -> dict[str, Any]:
        """The `User` resource of a person."""
        account = accounts.find(email)
        local = email.partition("@")[0]
        user: dict[str, Any] = {
            "kind": "drive#user",
            "displayName": account.name if account else local.replace(".", " ").title(),
            "me": account == self.account,
            "emailAddress": email,
        }
        if account is not None:
            user["permissionId"] = account.subject
            user["photoLink"] = f"{self.sandbox.base_url}/sandbox/picture/{account.key}.svg"
        return user

    def _capabilities(self, item: Item) -> dict[str, bool]:
        may_load = item.can_download and not item.is_folder
        never = dict.fromkeys(("canEdit", "canShare", "canTrash", "canRename"), False)
        reads_revisions = not item.is_folder and self.may_edit(item)
        return {
            "canDownload": may_load, "canCopy": may_load, "canListChildren": item.is_folder,
            "canReadRevisions": reads_revisions, **never,
        }  # fmt: skip


def view(request: Request) -> View:
    """The files as the account of a request sees them now.

    Raises:
        refusals.DriveRefusal: 401 or 403 (`context.drive_account`).
    """
    account, sandbox = context.drive_account(request), context.of(request)
    keys = parse_resource_keys(request.headers.get("x-goog-drive-resource-keys", ""))
    return View(sandbox, account, sandbox.corpus.items(), keys)
