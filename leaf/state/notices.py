"""Short messages in the corner of a page, and what becomes of an error."""

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
"""In the place of a path: the page is loaded again, which loses nothing."""
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
"""What whoever is told of a failure can do next, by its code: what that is called, and where it leads."""


class NoticeState(rx.State):
    """The last notice; the page keeps those before it for some seconds, and shows none of them twice."""

    notice: dict[str, str] = {"id": "", "tone": "info", "text": ""}  # noqa: RUF012 - Reflex copies it

    @rx.event
    def show(self, text: str, tone: str, said: dict[str, Any], undo: str = "", code: str = "") -> None:
        """Shows a notice.

        Args:
            text: One or two sentences.
            tone: "info" or "error".
            said: The text by its key (`texts.Message.as_data`), where it has one: here the page's language is known.
            undo: The chats whose deletion it offers to take back, by commas.
            code: That of the error which it tells.
        """
        with suppress(ValueError):
            text = texts.told(texts.of_data(said))
        self.notice = {"id": uuid4().hex, "tone": tone, "text": text, "undo": undo}
        if code in _NEXT:
            key, path = _NEXT[code]
            self.notice |= {"next": texts.say(key), "path": path}


def info(text: str, *, undo: str = "") -> rx.event.EventSpec:
    """The event that shows a notice (`NoticeState.show`)."""
    return _shown(text, "info", undo)


def failure(error: errors.LeafError) -> rx.event.EventSpec:
    """The event that tells an error to the person who caused it."""
    return _shown(error.message, "error", code=error.code)


def _shown(text: str, tone: str, undo: str = "", code: str = "") -> rx.event.EventSpec:
    said = text.as_data() if isinstance(text, texts.Message) else {}
    return NoticeState.show(text, tone, said, undo, code)  # pyright: ignore[reportCallIssue, reportReturnType, reportArgumentType]


def on_backend_exception(exception: Exception) -> rx.event.EventSpec | list[rx.event.EventSpec] | None:
    """Reflex's handler of what an event raised: refusals are told, bugs are logged."""
    if isinstance(exception, errors.Unauthenticated):
        return rx.redirect(session.sign_in_address(_path()))
    if isinstance(exception, errors.LeafError):
        return failure(exception)
    log.error("an event failed", exc_info=exception)
    return failure(errors.LeafError.unexpected())


def _path() -> str:
    """The path of the page whose event is being handled."""
    data = EventContext.get().router_data or {}
    return str(data.get("asPath") or data.get("pathname") or "/").partition("?")[0]
