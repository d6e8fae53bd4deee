"""Limits of the responses of servers that Leaf is configured to ask: models, MCP servers, search services.

A faulty server may send without an end, and the client libraries keep in memory what they have not parsed yet.
"""

import asyncio
import math
import time
from collections.abc import AsyncGenerator

import httpx2

MOST_BYTES = 100_000_000
"""The maximum size of a response to a request to a model, unpacked and including all events."""


class Limited(httpx2.AsyncByteStream):
    """A stream that fails beyond a size or a time.

    Args:
        stream: The stream.
        most_bytes: The maximum size.
        until: The time limit (`time.monotonic`).
    """

    def __init__(self, stream: httpx2.AsyncByteStream, most_bytes: int, until: float = math.inf) -> None:
        self._stream, self._left, self._until = stream, most_bytes, until

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0 or time.monotonic() > self._until:
                raise httpx2.ReadError("the response does not end")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Unpacked(httpx2.AsyncByteStream):
    """The stream of a packed response, unpacked in pieces of at most 1 MiB."""

    def __init__(self, stream: httpx2.AsyncByteStream, encoding: str) -> None:
        self._packed = httpx2.Response(200, headers={"content-encoding": encoding}, stream=stream)

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for piece in self._packed.aiter_bytes():
            yield piece
            # One packed piece may become a thousand, and none of them waits for the network.
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        await self._packed.aclose()


async def limit(response: httpx2.Response) -> None:
    """Limits the size of a response, both packed and unpacked. This is a hook for HTTP clients, and must come first.

    The response is unpacked here, so that all who read it after this hook see the same bytes.
    """
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    response.stream = Limited(response.stream, MOST_BYTES)
    if encoding := response.headers.pop("content-encoding", ""):
        response.stream = Limited(_Unpacked(response.stream, encoding), MOST_BYTES)
