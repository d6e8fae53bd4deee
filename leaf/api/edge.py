"""The outermost layer of a web process: limits of sockets and bodies per address, and headers of every response."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import Self

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaf import callers, config, errors, texts
from leaf.api import http
from leaf.api.shutdown import Shutdown
from leaf.telemetry import logs

log = logging.getLogger("leaf.edge")

_PRIVATE = ("/api/", "/auth/")
_UNKNOWN_BYTES = 51 * 1024 * 1024
"""The size that is assumed for a body of unknown length: the largest that any route accepts."""
_DRAINED_BYTES = 8192
"""The number of unread bytes of a body up to which the server reads the rest. If more is left, it closes the
connection."""
_RETRY_SECONDS = 5
_YEAR_SECONDS = 365 * 86_400
_TRY_AGAIN = 1013
"""The close code of a websocket that may be opened again later (RFC 6455, registry)."""


def guarded(settings: config.Settings, shutdown: Shutdown) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps the application so that no address takes more sockets and bodies than its share.

    Args:
        settings: The limits, and whether this Leaf is in production.
        shutdown: Keeps the open sockets, and closes them before the process ends.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        return _Edge(app, settings, shutdown)

    return wrap


class _Edge:
    def __init__(self, app: ASGIApp, settings: config.Settings, shutdown: Shutdown) -> None:
        self._app, self._shutdown = app, shutdown
        self._most_sockets = settings.sockets_per_address
        self._most_bytes = settings.upload_mb_per_address * 1024 * 1024
        self._headers: dict[str, str] = {}
        if settings.env == "production":
            self._headers["strict-transport-security"] = f"max-age={_YEAR_SECONDS}"
        self._sockets: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else ""
        headers = Headers(scope=scope)
        with callers.calling(callers.Caller(peer, headers.get("user-agent", ""))):
            if scope["type"] == "websocket":
                await self._socket(callers.counted(peer), headers, scope, receive, send)
            else:
                await self._request(callers.counted(peer), headers, scope, receive, send)

    async def _socket(self, address: str, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        if self._shutdown.has_begun or _has_several_hosts(headers):
            await send({"type": "websocket.close", "code": _TRY_AGAIN})
            return
        if self._sockets[address] >= self._most_sockets:
            logs.refused(log, "an address has opened too many sockets")
            await send({"type": "websocket.close", "code": _TRY_AGAIN})
            return
        with _Share(self._sockets, address, 1), self._shutdown.watching(receive) as watched:
            try:
                await self._app(scope, watched, send)
            except (ValueError, TypeError, LookupError) as error:
                # A message that is neither Engine.IO's nor Socket.IO's ends the socket.
                logs.refused(log, "a socket sent a malformed message", type(error).__name__)

    async def _request(self, address: str, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        share = _Share(self._bytes, address, _size(scope, headers))

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                if share.left > _DRAINED_BYTES and scope["http_version"] in _ONE_AT_A_TIME:
                    # Without this header, a client would send its next request on a connection that is being closed.
                    answer["connection"] = "close"
                for name, value in self._headers.items():
                    answer.setdefault(name, value)
                if str(scope["path"]).startswith(_PRIVATE) or "json" in answer.get("content-type", ""):
                    answer.setdefault("cache-control", "no-store")
                if vary := answer.getlist("vary"):
                    # Reflex applies its CORS middleware several times, and each adds the same names.
                    answer["vary"] = _without_duplicates(vary)
            await send(message)

        if _has_several_hosts(headers):
            refusal = errors.Invalid(texts.english("errors.several_hosts"))
            await http.problem(refusal, headers.get(http.LANGUAGE_HEADER, ""))(scope, receive, with_headers)
            return
        if share.left and self._bytes[address] + share.left > self._most_bytes and self._bytes[address]:
            logs.refused(log, "an address sends too much at the same time")
            refusal = errors.LimitReached(texts.english("errors.network_busy"), resets_in_seconds=_RETRY_SECONDS)
            await http.problem(refusal, headers.get(http.LANGUAGE_HEADER, ""))(scope, receive, with_headers)
            return
        with share:
            await self._app(scope, share.measuring(receive) if share.left else receive, with_headers)


_ONE_AT_A_TIME = frozenset({"1.0", "1.1"})
"""The versions of HTTP with one request at a time on a connection."""


def _has_several_hosts(headers: Headers) -> bool:
    """Whether a request names several hosts. A proxy could use another one of them (RFC 9112, section 3.2)."""
    return len(headers.getlist("host")) > 1


def _without_duplicates(lists: list[str]) -> str:
    """The names of several lists as one list, without names that differ only in case."""
    names = [name.strip() for name in ",".join(lists).split(",")]
    return ", ".join({name.lower(): name for name in names if name}.values())


def _size(scope: Scope, headers: Headers) -> int:
    """The size of a request's body in bytes according to its headers. HTTP/2 allows bodies without such a header."""
    length = headers.get("content-length", "")
    if length.isascii() and length.isdigit():
        return int(length[:15])
    may_follow = scope["http_version"] not in _ONE_AT_A_TIME and scope["method"] not in {"GET", "HEAD", "OPTIONS"}
    return _UNKNOWN_BYTES if may_follow or "transfer-encoding" in headers else 0


class _Share:
    """An amount (sockets or bytes) that counts for an address while the block runs."""

    left: int
    """The number of bytes of the body that were not read yet."""

    def __init__(self, used: Counter[str], address: str, amount: int) -> None:
        self._used, self._address, self._amount = used, address, amount
        self.left, self._is_open = amount, True

    def __enter__(self) -> Self:
        self._used[self._address] += self._amount
        return self

    def __exit__(self, *_: object) -> None:
        self._change(0)
        self._is_open = False

    def measuring(self, receive: Receive) -> Receive:
        """Returns a receiver that replaces the amount by the actual size of the body once all of it has arrived."""
        size = 0

        async def measured() -> Message:
            nonlocal size
            message = await receive()
            piece = len(message.get("body", b""))
            size += piece
            self.left = max(self.left - piece, 1)
            if message["type"] == "http.request" and not message.get("more_body", False):
                self.left = 0
                if self._is_open:
                    self._change(size)
            return message

        return measured

    def _change(self, amount: int) -> None:
        self._used[self._address] += amount - self._amount
        self._amount = amount
        if not self._used[self._address]:
            del self._used[self._address]
