"""The build of the pages: whether an earlier start has compiled the pages of the present sources.

No page depends on a setting: compiled once, pages are served at any address (`leaf.components.page_files`).
"""

import hashlib
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parent.parent.parent
_SOURCES: Final = ("leaf", "assets", "reflex.lock/package-lock.json", "rxconfig.py", "requirements.lock")
"""Files and folders that the pages are compiled from, relative to the root of the project. Reflex writes the other file
of `reflex.lock` anew while it compiles."""
_NOTE: Final = Path("build") / "compiled-from"
"""The fingerprint of the sources, in the folder that is removed before each build."""


def sources() -> str:
    """A hash of the version of Python and of all files that the pages are compiled from (64 hexadecimal digits)."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for name in _SOURCES for path in (_ROOT / name, *(_ROOT / name).rglob("*"))):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(pages: Path) -> bool:
    """Whether the compiled pages of a folder are those of the present sources."""
    note = pages / _NOTE
    return note.is_file() and note.read_text() == sources()


def finished(pages: Path, of: str) -> None:
    """Notes that the pages of a folder are compiled.

    Args:
        pages: The folder.
        of: The hash of the sources from before the compilation.
    """
    (pages / _NOTE).write_text(of)
