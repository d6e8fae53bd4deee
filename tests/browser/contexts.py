"""Browser contexts that stay from test to test: what a page has loaded and compiled once, the next one finds there.

Half of the time of a walk was the first page of a new context: a megabyte of JavaScript, fetched and compiled anew.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, StorageState

DEFAULTS: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"}
_STORED = "file_systems,indexeddb,local_storage,cache_storage"
"""Kinds of what pages can store. The cache of the network stays, as it does in a browser that people use."""


@dataclass
class Lent:
    """A context that a test uses. `free` is where it goes afterwards; None: nowhere, it was made for this test."""

    context: BrowserContext
    blank: Page
    """Keeps the renderer of the context, and erases what pages have stored."""
    eraser: CDPSession
    free: "list[Lent] | None" = None

    @property
    def pages(self) -> list[Page]:
        return [page for page in self.context.pages if page is not self.blank]


@dataclass
class Contexts:
    """Contexts of one browser; those with the same options are lent again."""

    browser: Browser
    _free: dict[str, list[Lent]] = field(default_factory=lambda: defaultdict[str, list[Lent]](list))

    async def lend(self, state: StorageState | None, *, own: bool, serves: bool, options: dict[str, Any]) -> Lent:
        """A context with these cookies and nothing else in it. `own`: it is closed afterwards; `serves`: it has service
        workers.
        """
        free = self._free[json.dumps([serves, options], sort_keys=True)]
        lent = await self._make(serves, options) if own or not free else free.pop()
        lent.free = None if own else free
        if state:
            await lent.context.add_cookies(state.get("cookies", []))  # pyright: ignore[reportArgumentType]
        return lent

    async def _make(self, serves: bool, options: dict[str, Any]) -> Lent:
        context = await self.browser.new_context(**{**DEFAULTS, **options})
        context.set_default_timeout(60_000)
        if not serves:
            await context.add_init_script("delete Navigator.prototype.serviceWorker")
        blank = await context.new_page()
        return Lent(context, blank, await context.new_cdp_session(blank))

    async def take_back(self, lent: Lent, visited: Iterable[str]) -> None:
        """Closes its pages, and erases what they have stored for these origins, if it is to be lent again."""
        context = lent.context
        if lent.free is None:
            await context.close()
            return
        for page in lent.pages:
            await page.close()
        for origin in visited:
            await lent.eraser.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _STORED})
        await context.unroute_all()
        await context.clear_permissions()
        await context.clear_cookies()
        await context.set_offline(False)
        lent.free.append(lent)
