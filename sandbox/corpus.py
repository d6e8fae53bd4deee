"""The files of a Drive, from the bundled sample or from a local folder."""

import base64
import hashlib
import mimetypes
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from sandbox.accounts import Account

_GOOGLE = "application/vnd.google-apps."
FOLDER = _GOOGLE + "folder"
DOCUMENT = _GOOGLE + "document"
SPREADSHEET = _GOOGLE + "spreadsheet"
PRESENTATION = _GOOGLE + "presentation"
DRAWING = _GOOGLE + "drawing"
FORM = _GOOGLE + "form"
SHORTCUT = _GOOGLE + "shortcut"

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
PDF = "application/pdf"
_MIME_TYPES = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
    ".txt": "text/plain", ".log": "text/plain", ".rst": "text/plain", ".ini": "text/plain", ".toml": "text/plain",
    ".yaml": "text/plain", ".yml": "text/plain", ".json": "application/json", ".docx": DOCX, ".xlsx": XLSX,
    ".pptx": PPTX, ".pdf": PDF, ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet", ".eml": "message/rfc822",
}  # fmt: skip


@lru_cache(maxsize=1000)
def mime_type(suffix: str) -> str:
    """The MIME type of a file by the suffix of its name, such as `.md`."""
    known = _MIME_TYPES.get(suffix.lower())
    return known or mimetypes.guess_type(f"file{suffix}")[0] or "application/octet-stream"


def opaque_id(seed: str, prefix: str = "1", length: int = 33) -> str:
    """An id that looks like one of Google's and is always the same for the same seed."""
    # The name of a file need not be UTF-8. Python has surrogates for such bytes, which must be encodable.
    digest = hashlib.sha512(seed.encode(errors="surrogatepass")).digest()
    return (prefix + base64.urlsafe_b64encode(digest).decode())[:length].replace("=", "x")


@dataclass(frozen=True)
class Item:
    """A file, folder or shortcut."""

    id: str
    name: str
    mime_type: str
    parent: str | None
    owner: str
    """The owner's e-mail address. The owner of a file that others have shared is none of the accounts here."""
    readers: frozenset[str]
    """The keys of the accounts that may see the item."""
    created: datetime
    modified: datetime
    version: int
    revision: str
    """The id of the content, which changes whenever the content does."""
    drive_id: str | None = None
    trashed: bool = False
    can_download: bool = True
    resource_key: str | None = None
    target: str | None = None
    """The id of the item to which a shortcut points."""
    description: str | None = None
    is_root: bool = False
    modified_by: str = ""
    """The e-mail address of the person who changed it last; empty if that was the owner."""
    unlisted: bool = False
    """Whether no search finds it, because it or a folder above it is reached only by a link with a resource key."""

    @property
    def is_google(self) -> bool:
        """Whether it has no bytes, because it is a document of Google's editors, a folder or a shortcut."""
        return self.mime_type.startswith(_GOOGLE)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.mime_type == FOLDER


@dataclass(frozen=True)
class SharedDrive:
    """A Shared Drive. Its root folder has the same id."""

    id: str
    name: str
    created: datetime
    readers: frozenset[str]


@dataclass(frozen=True)
class Tab:
    """One tab of a spreadsheet."""

    name: str
    rows: tuple[tuple[str, ...], ...]


class Corpus(ABC):
    """The files behind the Drive endpoints. All methods may be called from several threads.

    The methods for tests raise `NotImplementedError` for a plain local folder, whose files are only read.
    """

    @abstractmethod
    def items(self) -> Mapping[str, Item]:
        """All present items by id, including the roots of the Drives."""

    @abstractmethod
    def root_id(self, account: Account) -> str:
        """The id of the root folder of an account's My Drive."""

    @abstractmethod
    def blob(self, item: Item) -> Path:
        """The path of the file with an item's bytes.

        Raises:
            OSError: The file cannot be read, or no longer.
        """

    @abstractmethod
    def checksum(self, item: Item) -> str | None:
        """The MD5 of an item's bytes in hexadecimal; None if it would be costly to compute."""

    @abstractmethod
    def size(self, item: Item) -> int | None:
        """The size of an item in bytes; None if it has none."""

    @abstractmethod
    def text(self, item: Item) -> str:
        """The text of an item for full-text search: its name and content, folded by `query.fold`."""

    def drives(self) -> tuple[SharedDrive, ...]:
        """The Shared Drives."""
        return ()

    def markdown(self, item: Item) -> str:
        """The content of a Google document or presentation; lines of `---` separate slides.

        Raises:
            LookupError: The item is neither.
        """
        raise LookupError(item.id)

    def tabs(self, item: Item) -> tuple[Tab, ...]:
        """The content of a Google spreadsheet.

        Raises:
            LookupError: The item is none.
        """
        raise LookupError(item.id)

    def revisions(self, item: Item) -> tuple[Item, ...]:
        """The versions of an item's content, the oldest first and the item itself last.

        Each is the item as it was at that time. `blob`, `markdown`, `tabs`, `size` and `checksum` return its content.
        """
        return (item,)

    def edit(self, item: Item, changes: "Changes") -> None:
        """Changes an item, for tests."""
        raise NotImplementedError(f"{item.name} is only read")

    def add(self, entries: Sequence[dict[str, Any]]) -> Item:
        """Adds the files that manifest entries describe, for tests; returns the last one."""
        raise NotImplementedError("no files are added to these")

    def restore(self, without: Collection[str] = ()) -> None:
        """Restores every item as it was authored, for tests, and removes the items in `without`."""
        raise NotImplementedError("these files are only read")

    def share_drive(self, drive_id: str, readers: frozenset[str]) -> None:
        """Changes the members of a Shared Drive, for tests."""
        raise NotImplementedError("there are no Shared Drives")


@dataclass(frozen=True)
class Changes:
    """Changes to an item. A field that is None stays unchanged."""

    content: str | None = None
    """The new content, in the form of the sample's sources."""
    by: str | None = None
    """The key of the account that writes the content; None for the owner."""
    name: str | None = None
    trashed: bool | None = None
    parent: str | None = None
    """The id of the new folder. The item then has the readers of this folder, unless it has its own."""
    readers: frozenset[str] | None = None
    """The keys of the accounts that may see the item; for a folder, also everything below it."""
    can_download: bool | None = None
    removed: bool | None = None
    """Whether the item is deleted permanently."""

    @property
    def terms(self) -> dict[str, Any]:
        """All changes that are not None, except that of the content, by name."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in {"content", "by"}}
        return {name: value for name, value in given.items() if value is not None}
