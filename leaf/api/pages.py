"""Compiled pages, served at their plain addresses and with security headers; and the sender behind trusted proxies.

The Content-Security-Policy lists the hashes of the few inline scripts of the compiled pages, so that no other script
runs, whatever an answer or a document contains.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaf import callers

_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)

_ROUTES = ("/api/", "/auth/", "/_")
_NAME_BYTES = 255
"""A file server cannot look up a longer name."""

_DATA = {"text/event-stream", "application/x-ndjson", "application/json"}
"""Content types that no browser shows as a page: the policy for pages is not sent with them."""
_FONT = ".woff2"
_PAGE = "text/html"
_ASSETS = "/assets/"
"""Scripts, styles and fonts of the compiled pages. A page loads some thirty of them, and with the headers of pages
(2.6 kB) a fifth of that was headers."""
_OF_ASSETS = {
    "x-content-type-options": "nosniff",
    # Their names hold the hash of their content.
    "cache-control": "public, max-age=31536000, immutable",
}
_FOUND = {200, 206}
"""The statuses of an answer with a file, or with a part of one."""
_POLICY = "content-security-policy"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}


def served(compiled: Path | None, *, loopback: bool) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps the application so that it serves the pages.

    Args:
        compiled: The folder of the compiled pages; None with the development server, which has its own.
        loopback: Whether signing in may lead to a server on this machine, as with the sandbox.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        return _Pages(app, compiled, loopback=loopback)

    return wrap


class _Pages:
    def __init__(self, app: ASGIApp, compiled: Path | None, *, loopback: bool) -> None:
        self._app = app
        self._headers = dict(_HEADERS)
        self._files: dict[str, str] = {}
        if compiled is not None:
            self._files = {f"/{file}".removesuffix(".html"): f"/{file}" for file in _files(compiled)}
            self._headers[_POLICY] = _policy(compiled, loopback=loopback)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # The file server would redirect `/dashboard` to `/dashboard/`.
        file = self._files.get(str(scope["path"]).rstrip("/"))
        if file is not None:
            scope = {**scope, "path": file, "raw_path": file.encode()}
        elif not str(scope["path"]).startswith(_ROUTES):
            scope = {**scope, "path": _lookable(str(scope["path"]))}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if str(scope["path"]).endswith(_FONT):
                    # A public page is sandboxed, so it has no origin of its own.
                    headers["access-control-allow-origin"] = "*"
                kind = headers.get("content-type", "").partition(";")[0]
                for name, value in self._headers_of(str(scope["path"]), kind, message["status"]):
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)

    def _headers_of(self, path: str, kind: str, status: int) -> Iterable[tuple[str, str]]:
        """The headers that an answer of this content type is sent with where it has none of its own."""
        # A failure is kept by nobody: the file may be there a moment later.
        if path.startswith(_ASSETS) and kind != _PAGE and status in _FOUND:
            return _OF_ASSETS.items()
        headers = [(name, value) for name, value in self._headers.items() if not (kind in _DATA and name == _POLICY)]
        # A browser may keep a page for days otherwise, when its scripts are gone.
        return [*headers, ("cache-control", "no-cache")] if kind == _PAGE else headers


def _lookable(path: str) -> str:
    """The path, or one that the file server surely does not find if no file can have this name.

    The file server itself would answer with a line of plain text; a missing page gets Leaf's own.
    """
    parts = path.replace("\0", "\ufffd").split("/")
    return "/".join(part if len(part.encode()) <= _NAME_BYTES else part[: _NAME_BYTES // 4] for part in parts)


def _files(compiled: Path) -> list[str]:
    """The pages that are compiled to files of their own, such as `settings/sessions.html`."""
    files = (file.relative_to(compiled).as_posix() for file in compiled.rglob("*.html"))
    return [file for file in files if file.rpartition("/")[2] not in {"index.html", "404.html", "__spa-fallback.html"}]


def _policy(compiled: Path, *, loopback: bool) -> str:
    scripts = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for page in compiled.rglob("*.html")
        for script in _INLINE_SCRIPT.findall(page.read_text(encoding="utf-8"))
    }
    hashes = " ".join(f"'sha256-{digest}'" for digest in sorted(scripts))
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'wasm-unsafe-eval' {hashes}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: https://*.googleusercontent.com",
            "font-src 'self' data:",
            "connect-src 'self' ws: wss:",
            "object-src 'none'",
            "base-uri 'none'",
            # Browsers also apply this to the addresses to which a form redirects: the identity provider's.
            "form-action 'self' https:" + (" http://127.0.0.1:* http://localhost:*" if loopback else ""),
            "frame-ancestors 'none'",
        )
    )


def _forwarded(scope: Scope) -> list[str]:
    """The addresses that proxies have named: `X-Forwarded-For`, or `X-Real-IP` of a proxy that sends that alone."""
    for wanted in (b"x-forwarded-for", b"x-real-ip"):
        if found := [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]:
            return found
    return []


def believed(trusted: Sequence[callers.Network]) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps the application so that the caller's address replaces that of a trusted proxy.

    Args:
        trusted: The networks of the proxies. `X-Forwarded-For` and `X-Real-IP` from other senders are ignored.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if trusted and scope["type"] in {"http", "websocket"} and scope.get("client"):
                peer, port = scope["client"]
                client = callers.client_of(peer, _forwarded(scope), trusted)
                # The port belongs to the proxy's connection, not to the caller's.
                scope = {**scope, "client": (client, port if client == peer else 0)}
            await app(scope, receive, send)

        return wrapped

    return wrap
