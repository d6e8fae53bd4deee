"""The build of the pages: whether an earlier start has compiled the pages of the present sources and settings."""

import hashlib
import sys
from pathlib import Path
from typing import Final

from leaf.config.settings import Settings

_ROOT: Final = Path(__file__).parent.parent.parent
_SOURCES: Final = ("leaf", "assets", "reflex.lock", "rxconfig.py", "requirements.lock")
"""Files and folders that the pages are compiled from, relative to the root of the project."""
_NOTE: Final = Path("build") / "compiled-from"
"""The fingerprint of the sources, in the folder that is removed before each build."""


def fingerprint(settings: Settings) -> str:
    """A hash of the sources and of the settings that are not secrets (64 hexadecimal digits)."""
    return hashlib.sha256(f"{sources()} {settings!r}".encode()).hexdigest()


def sources() -> str:
    """A hash of the version of Python and of all files that the pages are compiled from (64 hexadecimal digits)."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for name in _SOURCES for path in (_ROOT / name, *(_ROOT / name).rglob("*"))):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def is_current(settings: Settings) -> bool:
    """Whether the compiled pages are those of the present sources and settings."""
    note = settings.pages_dir / _NOTE
    return note.is_file() and note.read_text() == fingerprint(settings)


def finished(settings: Settings, of: str) -> None:
    """Notes that the pages are compiled.

    Args:
        settings: The settings.
        of: The fingerprint from before the compilation.
    """
    (settings.pages_dir / _NOTE).write_text(of)
