"""Reads the file of an upload request in memory, up to a limit."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from python_multipart.exceptions import MultipartParseError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from leaf import errors, texts
from leaf.api import storable
from leaf.services.files import MAX_UPLOAD_BYTES, too_large

OVERHEAD_BYTES = 100_000
"""The allowance for boundaries and headers of parts around the file."""
SECONDS = 600.0
"""The time limit of an upload."""
AT_ONCE = 3
"""The maximum number of concurrent uploads of one person in a process."""
_RETRY_SECONDS = 5
FORM: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": {"type": "string", "format": "binary"}},
                    "required": ["file"],
                }
            }
        },
    }
}
"""The body of an upload, for the document of the API."""

_running: defaultdict[UUID | None, int] = defaultdict(int)


@asynccontextmanager
async def turn(user_id: UUID | None) -> AsyncGenerator[None]:
    """Counts an upload of a person while the block runs.

    Raises:
        errors.LimitReached: The person has already too many uploads.
    """
    if _running[user_id] >= AT_ONCE:
        raise errors.LimitReached(
            texts.english("errors.uploads_at_once", most=AT_ONCE), resets_in_seconds=_RETRY_SECONDS
        )
    _running[user_id] += 1
    try:
        yield
    finally:
        _running[user_id] -= 1
        if not _running[user_id]:
            del _running[user_id]


async def one_file(request: Request, limit_bytes: int = MAX_UPLOAD_BYTES) -> tuple[str, bytes]:
    """The name and the bytes of the file in a `multipart/form-data` request, in the field `file`.

    Args:
        request: A request whose body has not been read.
        limit_bytes: The maximum size of the file. Slightly larger files may pass.

    Raises:
        errors.Invalid: The request is not `multipart/form-data`, or has not exactly one file.
        errors.LeafError: 413, the body is too large; 408, it does not arrive in time.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        raise errors.Invalid("Send the file as multipart/form-data.", field="file")
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > limit_bytes + OVERHEAD_BYTES:
        raise too_large(limit_bytes)
    stream = _limited(request.stream(), limit_bytes)
    try:
        async with asyncio.timeout(SECONDS):
            parser = MultiPartParser(request.headers, stream, max_files=1, max_fields=2, max_part_size=OVERHEAD_BYTES)
            # Starlette's own parser writes parts over a megabyte to a temporary file.
            parser.spool_max_size = limit_bytes + OVERHEAD_BYTES
            form = await parser.parse()
    except (MultiPartException, MultipartParseError, KeyError, ValueError) as error:
        # A codec of Python that cannot decode, such as `undefined`, raises a ValueError.
        raise errors.Invalid(
            "The body must be multipart/form-data with one file in the field “file”.", field="file"
        ) from error
    except TimeoutError:
        raise errors.LeafError(texts.english("errors.upload_slow"), status=408, code="timeout") from None
    except ClientDisconnect:
        raise errors.Invalid(texts.english("errors.upload_interrupted"), field="file") from None
    try:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise errors.Invalid("There is no file in the field “file”.", field="file")
        storable.require(file.filename or "", "file")
        return file.filename or "", await file.read()
    finally:
        await form.close()


async def _limited(stream: AsyncIterator[bytes], limit_bytes: int) -> AsyncGenerator[bytes]:
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > limit_bytes + OVERHEAD_BYTES:
            raise too_large(limit_bytes)
        yield piece
