"""Names of files that every system takes."""

import re
import unicodedata

_CHARACTERS = 80
_UNSAFE = re.compile(r"[^\w .,()&+-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Names of devices on Windows, with any ending."""
_BYTES = 180
"""Most file systems take 255, of which the ending and a number have some."""


def file_name(title: str, ending: str, *, otherwise: str = "chat") -> str:
    """A file name from a title.

    Args:
        title: Any text.
        ending: File extension with its dot.
        otherwise: The name if no character of the title is usable.
    """
    bare = _UNSAFE.sub(" ", unicodedata.normalize("NFC", title))
    bare = " ".join(bare.split())[:_CHARACTERS].strip(" .-")
    bare = bare.encode()[:_BYTES].decode(errors="ignore").strip(" .-")
    if not bare or _RESERVED.fullmatch(bare):
        bare = f"{otherwise} {bare}".strip()
    return bare + ending
