"""A log of requests to models and their responses, for people who have switched it on.

The bodies are logged verbatim, but without secrets and with limited length. Headers are never stored. `recording`
collects the requests of a run through hooks in the providers' HTTP clients.
"""

import json
import re
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from leaf.agent import stream_merger
from leaf.telemetry import logs

KEPT_BYTES: Final = 64 * 1024
"""The maximum length of a stored request or response, after secrets are removed."""
READ_BYTES: Final = 1024 * 1024
"""The maximum length of a request or response that is kept until secrets are removed."""
MOST: Final = 50
"""The maximum number of logged requests of one run."""
HIDDEN: Final = "[redacted]"
_WORDS: Final = "authorization|api[-_]?key|token|secret|password|passwd|cookie|credential"
_SECRET_NAMES: Final = re.compile(_WORDS, re.IGNORECASE)
_SECRET_FIELD: Final = re.compile(
    rf"""((?<!\\)\\*"(?=[^"\\]*(?:{_WORDS}))[^"\\]*\\*"\s*:\s*\\*")"""
    r"""((?:[^"\\]|\\[^"])+)""",
    re.IGNORECASE,
)
"""A JSON field that is named like a secret, in a text that is not valid JSON as a whole."""
_BASIC_AUTH: Final = re.compile(r"(?i)\b(basic\s+)[A-Za-z0-9+/=]{8,}")
_MARGIN: Final = 512
"""The number of characters before a cut that are removed, because they may be the beginning of a secret."""


@dataclass
class Exchange:
    """A request to a provider, and its response."""

    address: str
    """Method and address, without the query, which contains the key of some providers."""
    sent: bytes = field(repr=False)
    """The first part of the request's body."""
    request_bytes: int
    status: int | None = None
    """The HTTP status; None if there was no response."""
    latency_ms: int = 0
    """Time from the request to the end of the response."""
    _began: float = field(default_factory=time.monotonic)
    _pieces: list[bytes] = field(default_factory=list[bytes])
    response_bytes: int = 0

    @property
    def request(self) -> str:
        """The request without secrets, limited in length."""
        return _cut(redacted(self.sent.decode(errors="replace")), self.request_bytes > READ_BYTES)

    @property
    def response(self) -> str:
        """The response so far without secrets, limited in length."""
        return _cut(_events(b"".join(self._pieces).decode(errors="replace")), self.response_bytes > READ_BYTES)

    def answered(self, response: httpx2.Response) -> None:
        """Records the beginning of the response."""
        self.status = response.status_code
        self.read(b"")

    def read(self, piece: bytes) -> None:
        if self.response_bytes < READ_BYTES:
            self._pieces.append(piece[: READ_BYTES - self.response_bytes])
        self.response_bytes += len(piece)
        self.latency_ms = round((time.monotonic() - self._began) * 1000)


@contextmanager
def recording() -> Generator[list[Exchange]]:
    """Collects all requests to models that the block, and the tasks it starts, make."""
    exchanges: list[Exchange] = []
    before = _current.set(exchanges)
    try:
        yield exchanges
    finally:
        _current.reset(before)


async def ask(request: httpx2.Request) -> None:
    """Logs a request. This is a hook for the providers' HTTP clients."""
    exchanges = _current.get()
    if exchanges is None or len(exchanges) >= MOST:
        return
    body = await request.aread()
    address = f"{request.method} {request.url.copy_with(query=None, fragment=None, userinfo=b'')}"
    exchange = Exchange(address[:500], body[:READ_BYTES], len(body))
    request.extensions = {**request.extensions, _EXTENSION: exchange}
    exchanges.append(exchange)


async def answer(response: httpx2.Response) -> None:
    """Logs a response while it is read. This is a hook for the providers' HTTP clients. It follows
    `responses.limit`, which unpacks the response.
    """
    exchange = response.request.extensions.get(_EXTENSION)
    if exchange is not None and isinstance(response.stream, httpx2.AsyncByteStream):
        exchange.answered(response)
        response.stream = _LoggedStream(response.stream, exchange)


class _LoggedStream(httpx2.AsyncByteStream):
    """A stream that is logged while it is read."""

    def __init__(self, stream: httpx2.AsyncByteStream, exchange: Exchange) -> None:
        self._stream, self._exchange = stream, exchange

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for piece in self._stream:
            self._exchange.read(piece)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def redacted(text: str) -> str:
    """Returns a text without secrets.

    Secrets are texts with the form of a secret, Leaf's own secrets, and the values of fields that are named like one.
    """
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict | list):
            return json.dumps(_without_secrets(found), ensure_ascii=False)
    return _plain(text)


def _plain(text: str) -> str:
    return _BASIC_AUTH.sub(rf"\1{HIDDEN}", logs.redacted(_SECRET_FIELD.sub(rf"\1{HIDDEN}", text)))


def _without_secrets(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        known: dict[str, Any] = value
        return {_plain(key): _without_secrets(one, key) for key, one in known.items()}
    if isinstance(value, list):
        listed: list[Any] = value
        return [_without_secrets(one, name) for one in listed]
    if isinstance(value, str):
        # Arguments of tools are JSON in a string, so they are parsed again.
        return HIDDEN if value and _SECRET_NAMES.search(name) else redacted(value)
    return value


def _events(body: str) -> str:
    """Returns the body of a response without secrets.

    Events of a stream that add to the same text are joined first, so that a secret in several pieces is recognised.
    """
    if "data:" not in body[:2000]:
        return redacted(body)
    text_of = stream_merger.text_of
    pieces = [(event, text_of(event) or text_of(event, _arguments)) for event in body.encode().split(b"\n\n")]
    shown: list[str] = []
    for event in stream_merger.merged(pieces):
        lines = event.decode(errors="replace").split("\n")
        shown.append("\n".join(_line(line) for line in lines))
    return "\n\n".join(shown)


def _line(line: str) -> str:
    head, mark, data = line.partition("data: ")
    return f"{head}{mark}{redacted(data)}" if mark and not head else _plain(line)


def _arguments(data: dict[str, Any]) -> stream_merger.Place | None:
    """The place of a tool call's arguments in an event of OpenAI's two protocols or Anthropic's; None for others."""
    kind: Any = data.get("type")
    delta: Any = data.get("delta")
    if kind == "response.function_call_arguments.delta":
        return data, "delta", (kind, data.get("item_id"))
    if kind == "content_block_delta" and isinstance(delta, dict) and "partial_json" in delta:
        return delta, "partial_json", (kind, data.get("index"))
    with suppress(KeyError, IndexError, TypeError, ValueError):
        (call,) = data["choices"][0]["delta"]["tool_calls"]
        if not call.get("id"):
            return call["function"], "arguments", (kind, data.get("id"), call.get("index"))
    return None


def _cut(text: str, was_cut: bool = False) -> str:
    text = (text[:-_MARGIN] if was_cut else text).replace("\0", "")
    kept = text.encode()[:KEPT_BYTES].decode(errors="ignore")
    return kept if kept == text and not was_cut else f"{kept}…"


_EXTENSION: Final = "leaf_exchange"
_current: ContextVar[list[Exchange] | None] = ContextVar("exchanges", default=None)
