"""Archives that are made while they are sent: a piece of one file is in memory at a time, none on a disk."""

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
            # How long it becomes is not known: it may be longer than what 32 bits can tell.
            with archive.open(path, "w", force_zip64=True) as entry:
                async for piece in data:
                    await asyncio.to_thread(entry.write, piece)
                    yield pipe.taken()
        yield pipe.taken()
    archive.close()
    yield pipe.taken()
