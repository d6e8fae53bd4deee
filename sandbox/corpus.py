"""The files of a Drive, made from the bundled sample or from a local folder."""

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
    """The type of a file by the end of its name, such as `.md`."""
    known = _MIME_TYPES.get(suffix.lower())
    return known or mimetypes.guess_type(f"file{suffix}")[0] or "application/octet-stream"


def opaque_id(seed: str, prefix: str = "1", length: int = 33) -> str:
    """An id that looks like Google's and is always the same for the same seed."""
    # A file's name need not be UTF-8: what Python makes of such bytes is encoded as it is.
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
    """The owner's e-mail address; of no account here for files that others shared."""
    readers: frozenset[str]
    """Keys of the accounts that may see it."""
    created: datetime
    modified: datetime
    version: int
    revision: str
    """Changes whenever the content does."""
    drive_id: str | None = None
    trashed: bool = False
    can_download: bool = True
    resource_key: str | None = None
    target: str | None = None
    """The id a shortcut points to."""
    description: str | None = None
    is_root: bool = False
    modified_by: str = ""
    """The e-mail address of who changed it last; empty where that was its owner."""
    unlisted: bool = False
    """It, or a folder above it, is reached by a link with a resource key only, so that no search finds it."""

    @property
    def is_google(self) -> bool:
        """Whether it lives in one of Google's editors (or is a folder or shortcut), so that it has no bytes."""
        return self.mime_type.startswith(_GOOGLE)

    @property
    def is_folder(self) -> bool:
        """Whether other items may lie in it."""
        return self.mime_type == FOLDER


@dataclass(frozen=True)
class SharedDrive:
    """A Shared Drive; its root folder has the same id."""

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

    Files that belong to the person at this machine are only read: their methods for tests raise `NotImplementedError`.
    """

    @abstractmethod
    def items(self) -> Mapping[str, Item]:
        """All present items by id, with the roots of the Drives."""

    @abstractmethod
    def root_id(self, account: Account) -> str:
        """The id of an account's My Drive."""

    @abstractmethod
    def blob(self, item: Item) -> Path:
        """The file with an item's bytes.

        Raises:
            OSError: It cannot be read (any more).
        """

    @abstractmethod
    def checksum(self, item: Item) -> str | None:
        """The MD5 of an item's bytes in hexadecimal, where that is cheap to know."""

    @abstractmethod
    def size(self, item: Item) -> int | None:
        """The size of an item in bytes."""

    @abstractmethod
    def text(self, item: Item) -> str:
        """The text for full-text search: name and content, folded by `query.fold`."""

    def drives(self) -> tuple[SharedDrive, ...]:
        """The Shared Drives."""
        return ()

    def markdown(self, item: Item) -> str:
        """The content of a Doc, or of Slides (slides separated by lines of `---`)."""
        raise LookupError(item.id)

    def tabs(self, item: Item) -> tuple[Tab, ...]:
        """The content of a Sheet."""
        raise LookupError(item.id)

    def revisions(self, item: Item) -> tuple[Item, ...]:
        """The versions of an item's content, the oldest first and the item itself last.

        Each is the item as it was then: `blob`, `markdown`, `tabs`, `size` and `checksum` give its content.
        """
        return (item,)

    def edit(self, item: Item, changes: "Changes") -> None:
        """Changes an item, for tests."""
        raise NotImplementedError(f"{item.name} is only read")

    def add(self, entries: Sequence[dict[str, Any]]) -> Item:
        """Adds files as entries of the manifest describe them, for tests; returns the last one."""
        raise NotImplementedError("no files are added to these")

    def restore(self, without: Collection[str] = ()) -> None:
        """Makes every item as it was authored, for tests, but removes some."""
        raise NotImplementedError("these files are only read")

    def share_drive(self, drive_id: str, readers: frozenset[str]) -> None:
        """Changes the members of a Shared Drive, for tests."""
        raise NotImplementedError("there are no Shared Drives")


@dataclass(frozen=True)
class Changes:
    """Changes to an item; what is None stays as it is."""

    content: str | None = None
    """The text as authored."""
    by: str | None = None
    """The key of the account that writes the content; the owner's where it is None."""
    name: str | None = None
    trashed: bool | None = None
    parent: str | None = None
    """The id of a folder; the item then has the readers of that folder, unless it names its own."""
    readers: frozenset[str] | None = None
    """Keys of accounts; they count for everything below a folder as well."""
    can_download: bool | None = None
    removed: bool | None = None
    """Whether it is deleted for good."""

    @property
    def terms(self) -> dict[str, Any]:
        """All changes but that of the content."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in {"content", "by"}}
        return {name: value for name, value in given.items() if value is not None}
