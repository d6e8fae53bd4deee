"""Browser contexts that stay from test to test: what a page has loaded and compiled once, the next one finds there.

A new context has a renderer of its own, and fetches and compiles a megabyte of JavaScript anew. What cannot be undone
(scripts and sockets that a walk gives the context, service workers) needs a context of the walk's own: `own=True`.
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
class Kept:
    """What a context has that stays: a blank page, which keeps its renderer and erases what other pages have stored."""

    blank: Page
    eraser: CDPSession
    free: "list[Lent]"
    """Where it goes after a test."""


@dataclass
class Lent:
    """A context that a test uses."""

    context: BrowserContext
    kept: Kept | None
    """None: it was made for this test, and is closed afterwards."""

    @property
    def pages(self) -> list[Page]:
        """The pages that the test has opened."""
        return [page for page in self.context.pages if self.kept is None or page is not self.kept.blank]


@dataclass
class Contexts:
    """Contexts of one browser; those with the same options are lent again."""

    browser: Browser
    _free: dict[str, list[Lent]] = field(default_factory=lambda: defaultdict[str, list[Lent]](list))

    async def lend(self, state: StorageState | None, *, own: bool, serves: bool, options: dict[str, Any]) -> Lent:
        """A context with these cookies and nothing else in it. `own`: it is closed afterwards; `serves`: it has service
        workers, which is for such a context alone.
        """
        free = self._free[json.dumps(options, sort_keys=True)]
        if own:
            lent = Lent(await self._make(serves, options), None)
        elif free:
            lent = free.pop()
        else:
            context = await self._make(serves, options)
            blank = await context.new_page()
            lent = Lent(context, Kept(blank, await context.new_cdp_session(blank), free))
        if state:
            await lent.context.add_cookies(state.get("cookies", []))  # pyright: ignore[reportArgumentType]
        return lent

    async def _make(self, serves: bool, options: dict[str, Any]) -> BrowserContext:
        context = await self.browser.new_context(**{**DEFAULTS, **options})
        context.set_default_timeout(60_000)
        if not serves:
            await context.add_init_script("delete Navigator.prototype.serviceWorker")
        return context

    async def take_back(self, lent: Lent, visited: Iterable[str]) -> None:
        """Closes its pages, and erases what they have stored for these origins, if it is to be lent again."""
        context = lent.context
        if lent.kept is None:
            await context.close()
            return
        for page in lent.pages:
            await page.close()
        for origin in visited:
            await lent.kept.eraser.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _STORED})
        await context.unroute_all()
        await context.clear_permissions()
        await context.clear_cookies()
        await context.set_offline(False)
        lent.kept.free.append(lent)
