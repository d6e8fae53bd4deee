"""Zip archives that are created while they are sent. Only one piece of one file is in memory, and nothing on disk."""

import asyncio
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator


class _Pipe:
    """The output stream of a zip file. Its bytes are taken away piece by piece, and it cannot seek."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Does nothing, because there is no further buffer."""

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


async def zipped(files: AsyncIterator[tuple[str, bytes | AsyncIterator[bytes]]]) -> AsyncGenerator[bytes]:
    """Yields the bytes of a zip archive.

    Args:
        files: The path and content of each file. A content is either whole or an iterator over its pieces.
    """
    pipe = _Pipe()
    archive = zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)  # pyright: ignore[reportArgumentType, reportCallIssue] - it needs no more than a stream
    async for path, data in files:
        if isinstance(data, bytes):
            await asyncio.to_thread(archive.writestr, path, data)
        else:
            # The size is not known in advance, and may exceed 32 bits.
            with archive.open(path, "w", force_zip64=True) as entry:
                async for piece in data:
                    await asyncio.to_thread(entry.write, piece)
                    yield pipe.taken()
        yield pipe.taken()
    archive.close()
    yield pipe.taken()
