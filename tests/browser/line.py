"""The socket between a page and Leaf: as slow as one likes, or held up for a while."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Error, WebSocketRoute

SOCKET = re.compile(r"/_event")


class Line:
    """Every frame of the pages of a browser context is under way for `seconds`, each way."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._waiting: list[Callable[[], None]] | None = None
        self.mute = False
        """Whether pages hear nothing of what Leaf says."""

    async def lay(self, context: BrowserContext) -> None:
        """Lies between Leaf and all pages that are opened from now on."""
        await context.route_web_socket(SOCKET, self._between)

    def hold(self) -> None:
        """Frames of pages reach Leaf from now on only after `let_go`."""
        self._waiting = []

    def let_go(self) -> None:
        """Frames go through again, those that were held first."""
        waiting, self._waiting = self._waiting or [], None
        for pass_on in waiting:
            pass_on()

    def _between(self, page: WebSocketRoute) -> None:
        leaf = page.connect_to_server()
        loop = asyncio.get_running_loop()

        def delay(send: Callable[[Any], None]) -> Callable[[Any], None]:
            def later(frame: Any) -> None:
                loop.call_later(self.seconds, lambda: _send(send, frame))

            return later

        to_leaf = delay(leaf.send)

        def from_page(frame: Any) -> None:
            if self._waiting is None:
                to_leaf(frame)
            else:
                self._waiting.append(lambda: to_leaf(frame))

        page.on_message(from_page)
        to_page = delay(page.send)
        leaf.on_message(lambda frame: None if self.mute else to_page(frame))


def _send(send: Callable[[Any], None], frame: Any) -> None:
    # The page may be gone by now.
    with suppress(Error):
        send(frame)
