"""The language in which the server speaks to a page."""

from typing import Any

import reflex as rx
from reflex.middleware.middleware import Middleware
from reflex.state import StateUpdate
from reflex_base.event import Event
from starlette.requests import cookie_parser

from leaf import texts

_YEAR_SECONDS = 365 * 86_400
_COOKIE: Any = rx.Cookie("", name=texts.COOKIE, max_age=_YEAR_SECONDS, same_site="lax")


class LanguageState(rx.State):
    """What was chosen in Settings."""

    chosen: str = _COOKIE
    """As the browser keeps it: anything may stand there. Empty where nothing was chosen."""

    @rx.event
    def choose(self, language: str) -> None:
        """The language from now on: one of `texts.LANGUAGES`, or `auto` for the browser's."""
        self.chosen = language if language in texts.LANGUAGES else "auto"


def _preferred(state: Any, chosen: str) -> str:
    headers = state.router.headers
    # The cookie of the handshake is old where somebody has chosen since.
    return texts.preferred(chosen or cookie_parser(headers.cookie).get(texts.COOKIE, ""), headers.accept_language)


class Speaking(Middleware):
    """Has each event speak the language of its page, and whatever it starts."""

    async def preprocess(self, app: rx.App, state: Any, event: Event) -> StateUpdate | None:  # noqa: ARG002 - Reflex's
        """Sets the language of the event's task."""
        chosen = (await state.get_state(LanguageState)).chosen
        texts.use(_preferred(state, chosen))
        return None
