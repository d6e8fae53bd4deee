"""Archives that are made while they are sent: one of their files is in memory at a time, none on a disk."""

import asyncio
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator


class _Pipe:
    """What an archive is written to, piece by piece; it cannot be gone back in."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """There is nothing behind it."""

    def taken(self) -> bytes:
        """What was written since the last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


async def zipped(files: AsyncIterator[tuple[str, bytes]]) -> AsyncGenerator[bytes]:
    """A zip archive.

    Args:
        files: Paths and contents.
    """
    pipe = _Pipe()
    archive = zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)  # pyright: ignore[reportArgumentType, reportCallIssue] - it needs no more than a stream
    async for path, data in files:
        await asyncio.to_thread(archive.writestr, path, data)
        yield pipe.taken()
    archive.close()
    yield pipe.taken()
