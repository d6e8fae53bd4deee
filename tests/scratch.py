"""Where the servers of the tests keep their data: in memory, where there is enough of it."""

import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made by mkdtemp
_ROOM_BYTES = 4_000_000_000


def folder(prefix: str) -> Path:
    """A new folder with a short path, because the path of a Unix socket must stay below about 100 bytes.

    Each test of the database has one of its own. On a disk it took longer and longer to make them, as the writes of
    those before were still under way.
    """
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES:
        return Path(tempfile.mkdtemp(prefix=prefix, dir=_MEMORY))
    return Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
