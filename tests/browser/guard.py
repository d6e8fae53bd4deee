"""Faults that no page of Leaf may have: to raise, complain on the console, break its own policy, talk to strangers."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Request, WebError

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_QUIET = re.compile(
    # Chromium asks every origin for an icon, and the sandbox's pages have none.
    r"favicon\.ico"
    # A page that is left or loaded again before its socket is open.
    r"|WebSocket is closed before the connection is established"
)
RECONNECTING = (
    # What browsers write by themselves while a killed web process is away.
    r"WebSocket connection to .* failed",
    r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_FAILED",
)


@dataclass
class Guard:
    """Collects problems of one browser context; `allow` names those that a test provokes."""

    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    allowed: list[re.Pattern[str]] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        context.on("console", self._on_console)
        context.on("weberror", self._on_error)
        context.on("request", self._on_request)

    def leave(self, context: BrowserContext) -> None:
        """Watches no more; others may use the context."""
        context.remove_listener("console", self._on_console)
        context.remove_listener("weberror", self._on_error)
        context.remove_listener("request", self._on_request)

    def allow(self, *patterns: str) -> None:
        """From now on and for what was seen already, problems that match are expected."""
        self.allowed += [re.compile(pattern) for pattern in patterns]

    def unexpected(self) -> list[str]:
        return [problem for problem in self.problems if not any(one.search(problem) for one in self.allowed)]

    def strangers(self) -> list[str]:
        """Requests that left this machine."""
        return [address for address in self.requests if urlsplit(address).hostname not in LOOPBACK]

    def origins(self) -> set[str]:
        """The origins whose pages were open, or that were asked for something."""
        return {f"{one.scheme}://{one.netloc}" for one in map(urlsplit, self.requests) if one.scheme.startswith("http")}

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        text = f"console {message.type}: {message.text} ({message.location.get('url')})"
        if not _QUIET.search(text):
            self.problems.append(text)

    def _on_error(self, error: WebError) -> None:
        self.problems.append(f"page error: {error.error}")

    def _on_request(self, request: Request) -> None:
        if urlsplit(request.url).scheme in {"http", "https", "ws", "wss"}:
            self.requests.append(request.url)
