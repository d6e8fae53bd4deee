"""Keeps the widget API out of Reflex's own rules for other origins.

Reflex puts a CORS middleware around the whole application, and that one answers all preflights by itself: for Leaf's
own pages, and with a refusal for everybody else's. What a public key leads to is answered before it.
"""

from collections.abc import Callable, Collection, Sequence

from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from leaf.api.widget.mounting import mount


class _Apart:
    def __init__(self, app: ASGIApp, around: Sequence[Callable[[ASGIApp], ASGIApp]], own: Collection[str]) -> None:
        self._app = app
        self._own = own
        self._mount = mount()
        self._widget: ASGIApp = self._mount.handle
        for wrap in around:
            self._widget = wrap(self._widget)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match, further = self._mount.matches(scope)
        if match is Match.FULL and not self._is_of_own_page(scope):
            await self._widget({**scope, **further}, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_of_own_page(self, scope: Scope) -> bool:
        """Whether this is a preflight of one of Leaf's pages, which are on another port while developing."""
        return scope["method"] == "OPTIONS" and Headers(scope=scope).get("origin") in self._own


def apart(app: ASGIApp, around: Sequence[Callable[[ASGIApp], ASGIApp]], *, own: Collection[str]) -> ASGIApp:
    """The application, before which the widget API answers what is its own.

    Args:
        app: Everything else.
        around: What is put around the widget API, as it is around everything else; the innermost first.
        own: The origins of Leaf's pages; their preflights are Reflex's.
    """
    return _Apart(app, around, own)
