"""The build of the pages. Records from which sources they were compiled, so that a start can reuse them.

No page depends on a setting, so compiled pages can be served at any address (`leaf.components.page_files`).
"""

import hashlib
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parent.parent.parent
_SOURCES: Final = ("leaf", "assets", "reflex.lock/package-lock.json", "rxconfig.py", "requirements.lock")
"""Files and folders from which the pages are compiled, relative to the root of the project. Reflex rewrites the other
file of `reflex.lock` while it compiles.
"""
_NOTE: Final = Path("build") / "compiled-from"
"""The file with the hash of the sources. Its folder is removed before each build."""


def sources() -> str:
    """The hash of the Python version and of all files from which the pages are compiled (64 hexadecimal digits)."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for name in _SOURCES for path in (_ROOT / name, *(_ROOT / name).rglob("*"))):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(pages: Path) -> bool:
    """Whether the compiled pages in a folder were compiled from the current sources."""
    note = pages / _NOTE
    return note.is_file() and note.read_text() == sources()


def finished(pages: Path, of: str) -> None:
    """Records that the pages in a folder are compiled.

    Args:
        pages: The folder.
        of: The hash that the sources had before the compilation.
    """
    (pages / _NOTE).write_text(of)
