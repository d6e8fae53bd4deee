"""Zip archives that are created while they are sent: one piece of one file is in memory at a time, and nothing on
disk.
"""

import asyncio
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator


class _Pipe:
    """The output of a zip file, taken away piece by piece; it cannot seek."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Does nothing: there is no buffer behind it."""

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


async def zipped(files: AsyncIterator[tuple[str, bytes | AsyncIterator[bytes]]]) -> AsyncGenerator[bytes]:
    """A zip archive.

    Args:
        files: Paths and contents, whole or in pieces.
    """
    pipe = _Pipe()
    archive = zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)  # pyright: ignore[reportArgumentType, reportCallIssue] - it needs no more than a stream
    async for path, data in files:
        if isinstance(data, bytes):
            await asyncio.to_thread(archive.writestr, path, data)
        else:
            # The size is not known in advance: it may exceed 32 bits.
            with archive.open(path, "w", force_zip64=True) as entry:
                async for piece in data:
                    await asyncio.to_thread(entry.write, piece)
                    yield pipe.taken()
        yield pipe.taken()
    archive.close()
    yield pipe.taken()
