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


class ReaderMiddleware(Middleware):
    """Sets the caller, language and time zone of each event, and of everything that the event starts."""

    async def preprocess(self, app: rx.App, state: Any, event: Event) -> StateUpdate | None:  # noqa: ARG002 - Reflex's
        """Sets them for the event's task. The caller's address is the client's, taken from trusted proxies."""
        headers = state.router.headers
        callers.use(callers.Caller(state.router.session.client_ip, headers.user_agent))
        chosen = (await state.get_state(LanguageState)).chosen
        # The cookie in the websocket's handshake may be older than the member's choice.
        wanted = chosen or cookie_parser(headers.cookie).get(texts.COOKIE, "")
        texts.use(texts.preferred(wanted, headers.accept_language), session.zone(state))
        return None
