"""Serves the compiled pages at their plain addresses and with security headers, and finds callers behind proxies.

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
"""The maximum length of a file name. The file server fails for longer names."""

_DATA = {"text/event-stream", "application/x-ndjson", "application/json"}
"""Content types that no browser shows as a page. The policy for pages is not sent with them."""
_FONT = ".woff2"
_PAGE = "text/html"
_ASSETS = "/assets/"
"""The path of the scripts, styles and fonts of the compiled pages. They have fewer headers than pages: a page loads
about thirty such files, and the headers of a page (2.6 kB each) would be a fifth of the traffic."""
_ASSET_HEADERS = {
    "x-content-type-options": "nosniff",
    # The name of each file contains the hash of its content.
    "cache-control": "public, max-age=31536000, immutable",
}
_VIA_PROXY = (b"x-forwarded-for", b"x-real-ip")
_FILE_STATUSES = {200, 206}
"""The HTTP statuses of a response with a file or a part of a file."""
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
        compiled: The folder of the compiled pages; None if the development server serves them.
        loopback: Whether signing in may redirect to a server on this machine, as with the sandbox.
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
            scope = {**scope, "path": _with_short_names(str(scope["path"]))}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if str(scope["path"]).endswith(_FONT):
                    # A public page is sandboxed, so its origin is opaque, and its fonts need CORS.
                    headers["access-control-allow-origin"] = "*"
                kind = headers.get("content-type", "").partition(";")[0]
                for name, value in self._headers_of(str(scope["path"]), kind, message["status"]):
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)

    def _headers_of(self, path: str, kind: str, status: int) -> Iterable[tuple[str, str]]:
        """The default headers of a response, by its path, content type and status."""
        # Failures are not cached, because the file may exist a moment later.
        if path.startswith(_ASSETS) and kind != _PAGE and status in _FILE_STATUSES:
            return _ASSET_HEADERS.items()
        headers = [(name, value) for name, value in self._headers.items() if not (kind in _DATA and name == _POLICY)]
        # Otherwise a browser could cache a page for days, while its scripts no longer exist.
        return [*headers, ("cache-control", "no-cache")] if kind == _PAGE else headers


def _with_short_names(path: str) -> str:
    """The path with shorter names in place of those that are too long for a file.

    For such a name, the file server would answer with a line of plain text instead of Leaf's own page.
    """
    parts = path.replace("\0", "\ufffd").split("/")
    return "/".join(part if len(part.encode()) <= _NAME_BYTES else part[: _NAME_BYTES // 4] for part in parts)


def _files(compiled: Path) -> list[str]:
    """The pages that are compiled to separate files, such as `settings/sessions.html`."""
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
            # Browsers also apply this to redirects after a form, such as to the identity provider.
            "form-action 'self' https:" + (" http://127.0.0.1:* http://localhost:*" if loopback else ""),
            "frame-ancestors 'none'",
        )
    )


def _client_of(scope: Scope, trusted: Sequence[callers.Network]) -> str:
    """The address of a request's caller, behind trusted proxies or not.

    A proxy sets `X-Forwarded-For` or `X-Real-IP`, and may pass on the other header as the caller has sent it. If the
    two name different callers, neither is trusted, and the proxy counts as the caller.
    """
    peer: str = scope["client"][0]
    sent = [[value.decode("latin-1") for name, value in scope["headers"] if name == wanted] for wanted in _VIA_PROXY]
    named = dict.fromkeys(callers.client_of(peer, values, trusted) for values in sent if values)
    outside = [one for one in named if not callers.is_within(one, trusted)]
    return peer if len(outside) > 1 else next(iter([*outside, *named]), peer)


def believed(trusted: Sequence[callers.Network]) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps the application so that the caller's address replaces that of a trusted proxy.

    Args:
        trusted: The networks of the proxies. `X-Forwarded-For` and `X-Real-IP` from other senders are ignored.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if trusted and scope["type"] in {"http", "websocket"} and scope.get("client"):
                peer, port = scope["client"]
                client = _client_of(scope, trusted)
                # The port belongs to the proxy's connection, not to the caller's.
                scope = {**scope, "client": (client, port if client == peer else 0)}
            await app(scope, receive, send)

        return wrapped

    return wrap
