"""The language of a page, and the middleware that sets the caller and language of each event."""

from typing import Any

import reflex as rx
from reflex.middleware.middleware import Middleware
from reflex.state import StateUpdate
from reflex_base.event import Event
from starlette.requests import cookie_parser

from leaf import callers, texts
from leaf.state import session

_YEAR_SECONDS = 365 * 86_400
_COOKIE: Any = rx.Cookie("", name=texts.COOKIE, max_age=_YEAR_SECONDS, same_site="lax")


class LanguageState(rx.State):
    """The language chosen in Settings."""

    chosen: str = _COOKIE
    """The value of the cookie, which is not checked; empty if no language was chosen."""

    @rx.event
    def choose(self, language: str) -> None:
        """Sets the language: one of `texts.LANGUAGES`, or `auto` for the browser's language."""
        self.chosen = language if language in texts.LANGUAGES else "auto"


class CallerMiddleware(Middleware):
    """Sets the caller of each event, and thus of everything that the event starts."""

    async def preprocess(self, app: rx.App, state: Any, event: Event) -> StateUpdate | None:  # noqa: ARG002 - Reflex's
        """Sets the caller of the event's task. The address is the client's address, taken from trusted proxies."""
        callers.use(callers.Caller(state.router.session.client_ip, state.router.headers.user_agent))
        return None


class LanguageMiddleware(Middleware):
    """Sets the language and time zone of each event, and of everything that the event starts, from the event's page."""

    async def preprocess(self, app: rx.App, state: Any, event: Event) -> StateUpdate | None:  # noqa: ARG002 - Reflex's
        """Sets the language and time zone of the event's task."""
        chosen = (await state.get_state(LanguageState)).chosen
        texts.use(_preferred(state, chosen), session.zone(state))
        return None


def _preferred(state: Any, chosen: str) -> str:
    headers = state.router.headers
    # The cookie in the websocket's handshake may be older than the member's choice.
    return texts.preferred(chosen or cookie_parser(headers.cookie).get(texts.COOKIE, ""), headers.accept_language)
