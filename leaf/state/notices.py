"""Short notices in the corner of a page, and the handling of errors."""

import logging
from contextlib import suppress
from typing import Any
from uuid import uuid4

import reflex as rx
from reflex_base.event.context import EventContext

from leaf import errors, texts
from leaf.state import session

log = logging.getLogger(__name__)

AGAIN = ""
"""Stands for the address of the open page: the link reloads the page, which loses nothing."""
_NEXT = {
    "drive_not_connected": ("common.open_integrations", "/settings/integrations"),
    "drive_revoked": ("common.open_integrations", "/settings/integrations"),
    "budget_reached": ("common.see_usage", "/usage"),
    "not_found": ("chat.all_chats", "/dashboard"),
    "unavailable": ("common.load_again", AGAIN),
    "database_unavailable": ("common.load_again", AGAIN),
    "redis_unavailable": ("common.load_again", AGAIN),
    "internal_error": ("common.load_again", AGAIN),
}
"""The next step after a failure, by its code: the link's text and its address."""


class NoticeState(rx.State):
    """The last notice; the page keeps earlier ones for some seconds and shows each only once."""

    notice: dict[str, str] = {"id": "", "tone": "info", "text": ""}  # noqa: RUF012 - Reflex copies it

    @rx.event
    def show(self, text: str, tone: str, message: dict[str, Any], undo: str = "", code: str = "") -> None:
        """Shows a notice.

        Args:
            text: One or two sentences.
            tone: "info" or "error".
            message: The text as key and values (`texts.Message.as_data`), or empty. If set, it replaces `text` in the
                page's language, which is known only here.
            undo: The ids of the deleted chats that the notice offers to restore, separated by commas.
            code: The code of the error that the notice describes.
        """
        with suppress(ValueError):
            text = texts.translated(texts.of_data(message))
        self.notice = {"id": uuid4().hex, "tone": tone, "text": text, "undo": undo}
        if code in _NEXT:
            key, path = _NEXT[code]
            self.notice |= {"next": texts.say(key), "path": path}


def info(text: str, *, undo: str = "") -> rx.event.EventSpec:
    """The event that shows a notice (`NoticeState.show`)."""
    return _show_event(text, "info", undo)


def failure(error: errors.LeafError) -> rx.event.EventSpec:
    """The event that shows an error to the person who caused it."""
    return _show_event(error.message, "error", code=error.code)


def _show_event(text: str, tone: str, undo: str = "", code: str = "") -> rx.event.EventSpec:
    message = text.as_data() if isinstance(text, texts.Message) else {}
    return NoticeState.show(text, tone, message, undo, code)  # pyright: ignore[reportCallIssue, reportReturnType, reportArgumentType]


def on_backend_exception(exception: Exception) -> rx.event.EventSpec | list[rx.event.EventSpec] | None:
    """Reflex's handler of exceptions in events: shows refusals, logs bugs, opens the sign-in without a session."""
    if isinstance(exception, errors.Unauthenticated):
        return rx.redirect(session.sign_in_address(_page()))
    if isinstance(exception, errors.LeafError):
        return failure(exception)
    log.error("an event failed", exc_info=exception)
    return failure(errors.LeafError.unexpected())


def _page() -> str:
    """The path and query of the page whose event is being handled."""
    data = EventContext.get().router_data or {}
    return str(data.get("asPath") or data.get("pathname") or "/")
