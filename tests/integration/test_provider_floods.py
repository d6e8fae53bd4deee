"""Providers that answer without an end, or lead elsewhere. # 001-21"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx2
import openai
import pytest
import pytest_asyncio

from leaf import config
from leaf.agent import models, responses

MOST_BYTES = 1_000_000
SOCKET_BYTES = 16_000_000
"""The buffers of two sockets hold at most this much."""
BODIES = {
    "whole": ("application/json", b'{"id": "', b"x" * 65_536),
    "line": ("text/event-stream", b"data: ", b"x" * 65_536),
    "comments": ("text/event-stream", b": \n\n", b": \n\n" * 16_384),
}
"""Bodies by the first part of the path: type, beginning, and a piece that is repeated."""


@dataclass
class Provider:
    """A server with one of `BODIES`, or with a redirect."""

    port: int = 0
    sent: int = 0
    paths: list[str] = field(default_factory=list[str])

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next((line for line in head.splitlines() if line.startswith("content-length:")), ":0")
                await reader.readexactly(int(length.partition(":")[2]))
                self.paths.append(head.split()[1])
                kind = head.split()[1].split("/")[1]
                if kind in BODIES:
                    await self._flood(writer, *BODIES[kind])
                leads = f"location: http://127.0.0.2:{self.port}/elsewhere\r\n" if kind == "leads" else ""
                body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []})
                status = "307 Elsewhere" if leads else "200 OK"
                writer.write(
                    f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{leads}content-length: {len(body)}\r\n\r\n"
                    f"{body}".encode()
                )
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _flood(self, writer: asyncio.StreamWriter, kind: str, first: bytes, piece: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head.encode() + b"%x\r\n%s\r\n" % (len(first), first))
        while True:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.sent += len(piece)
            await writer.drain()
            await asyncio.sleep(0)


@pytest_asyncio.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setattr(config, "_current", None)
    monkeypatch.setattr(responses, "MOST_BYTES", MOST_BYTES)
    monkeypatch.setattr(models, "CLIENT_RETRIES", 0)
    made = Provider()
    async with await asyncio.start_server(made.handle, "127.0.0.1", 0) as listening:
        made.port = listening.sockets[0].getsockname()[1]
        async with await asyncio.start_server(made.handle, "127.0.0.2", made.port):
            yield made
            await models.close()


def _asked(provider: Provider, kind: str) -> openai.AsyncOpenAI:
    """The client of a provider that is configured by its address."""
    return models._openai_client(f"http://127.0.0.1:{provider.port}/{kind}/v1", "key")  # pyright: ignore[reportPrivateUsage]


async def _read(client: openai.AsyncOpenAI, *, streams: bool) -> None:
    if streams:
        async for _ in await client.chat.completions.create(model="m", messages=[], stream=True):
            pass
    else:
        await client.chat.completions.create(model="m", messages=[])


@pytest.mark.parametrize("kind", BODIES)
async def test_a_providers_answer_without_an_end_is_read_no_further(provider: Provider, kind: str) -> None:
    """The worker kept all of it, 1.3 GB in six seconds. # 001-21"""
    with pytest.raises((openai.APIConnectionError, httpx2.ReadError)):
        await asyncio.wait_for(_read(_asked(provider, kind), streams=kind != "whole"), 60)
    assert provider.sent < MOST_BYTES + SOCKET_BYTES


async def test_a_question_follows_no_redirect_of_a_provider(provider: Provider) -> None:
    """It went on to whatever host the provider named. # 001-21"""
    with pytest.raises(openai.APIStatusError):
        await _asked(provider, "leads").chat.completions.create(model="m", messages=[])
    assert provider.paths == ["/leads/v1/chat/completions"]
