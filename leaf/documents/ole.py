"""Compound files (MS-CFB), in which Office 97 to 2003 and Outlook keep the streams of a file."""

from collections.abc import Mapping
from typing import Any, Final

from leaf import texts
from leaf.documents.kinds import Kind
from leaf.documents.model import Unreadable
from leaf.documents.office import BROKEN, COMPOUND

WORD: Final = "WordDocument"
WORKBOOK: Final = ("Workbook", "Book")
"""The names of the stream of a workbook: in Excel 97 and later, and in earlier versions."""
MESSAGE: Final = "__properties_version1.0"
_KINDS: Final[Mapping[str, Kind]] = {**dict.fromkeys(WORKBOOK, "excel"), WORD: "word", MESSAGE: "mail"}
_ENCRYPTED: Final = "EncryptedPackage"


def kind_of(data: bytes) -> Kind | None:
    """The kind of a compound file by its streams; None for other files, and for a file with a password.

    Raises:
        Unreadable: It is damaged.
    """
    if not data.startswith(COMPOUND):
        return None
    try:
        with opened(data) as file:
            found: Kind | None = next((kind for name, kind in _KINDS.items() if file.exists(name)), None)
            return None if file.exists(_ENCRYPTED) else found
    except BROKEN:
        raise Unreadable(texts.english("refusals.wrong_kind")) from None


def opened(data: bytes) -> Any:
    """A compound file as `olefile` represents it, with `exists` and `openstream`; a context manager.

    Raises:
        OSError: The file is damaged.
    """
    from olefile import OleFileIO

    return OleFileIO(data)
