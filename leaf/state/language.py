"""The language in which the server speaks to a page."""

from typing import Any

import reflex as rx

from leaf import texts

_YEAR_SECONDS = 365 * 86_400
_COOKIE: Any = rx.Cookie("", name=texts.COOKIE, max_age=_YEAR_SECONDS, same_site="lax")


class LanguageState(rx.State):
    """The language chosen in Settings."""

    chosen: str = _COOKIE
    """The cookie's value, which may be anything; empty without a choice."""

    @rx.event
    def choose(self, language: str) -> None:
        """Sets the language: one of `texts.LANGUAGES`, or `auto` for the browser's."""
        self.chosen = language if language in texts.LANGUAGES else "auto"
