"""Reads a response body that may be endless, or may unpack into something endless."""

import zlib
from collections.abc import AsyncIterator

_GZIP = zlib.MAX_WBITS | 16
ACCEPT_ENCODING = "gzip, identity"
"""The accepted encodings. gzip can be unpacked piece by piece with a limit."""


class Overflow(Exception):
    """The body exceeds its limit."""


class Damaged(Exception):
    """The body is packed in an encoding that was not accepted, or is malformed."""


async def read(pieces: AsyncIterator[bytes], encoding: str, limit_bytes: int, *, beginning: bool = False) -> bytes:
    """Reads a body and unpacks it.

    Args:
        pieces: The bytes as they arrive.
        encoding: The value of the header Content-Encoding.
        limit_bytes: Maximum number of bytes, both packed and unpacked.
        beginning: Whether to return the first `limit_bytes` of a larger body instead of raising an error.

    Raises:
        Overflow: The body exceeds the limit.
        Damaged: The body cannot be unpacked.
    """
    codings = [coding.strip().lower() for coding in encoding.split(",")]
    codings = [coding for coding in codings if coding not in {"", "identity"}]
    if codings not in ([], ["gzip"], ["x-gzip"]):
        raise Damaged
    unpack = _Gzip() if codings else None
    body, taken = bytearray(), 0
    async for piece in pieces:
        taken += len(piece)
        body += piece if unpack is None else unpack.add(piece, limit_bytes + 1 - len(body))
        if max(len(body), taken) > limit_bytes:
            if beginning:
                return bytes(body[:limit_bytes])
            raise Overflow
    if unpack is not None and not unpack.complete:
        raise Damaged
    return bytes(body)


class _Gzip:
    """Unpacks gzip data of one or several members, and stops at a limit."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)

    @property
    def complete(self) -> bool:
        return self._member.eof

    def add(self, piece: bytes, room: int) -> bytes:
        """Unpacks a piece, up to `room` bytes. The caller allows one byte more than its limit to detect an excess."""
        out = bytearray()
        try:
            while piece and len(out) < room:
                if self._member.eof:
                    piece = piece.lstrip(b"\0")
                    if not piece:
                        break
                    self._member = zlib.decompressobj(_GZIP)
                out += self._member.decompress(piece, room - len(out))
                piece = self._member.unconsumed_tail or self._member.unused_data
        except zlib.error:
            raise Damaged from None
        return bytes(out)
