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


class NoticeState(rx.State):
    """The last notice; the page keeps those before it for some seconds, and shows none of them twice."""

    notice: dict[str, str] = {"id": "", "tone": "info", "text": ""}  # noqa: RUF012 - Reflex copies it

    @rx.event
    def show(self, text: str, tone: str, key: str = "", parameters: dict[str, Any] | None = None) -> None:
        """Shows a notice.

        Args:
            text: One or two sentences.
            tone: "info" or "error".
            key: That of the text in the catalogue, where it has one: the page's own language is known here.
            parameters: What the text is given.
        """
        with suppress(KeyError):
            text = texts.say(key, **(parameters or {}))
        self.notice = {"id": uuid4().hex, "tone": tone, "text": text}


def info(text: str) -> rx.event.EventSpec:
    """The event that shows a notice."""
    return NoticeState.show(text, "info", "", {})  # pyright: ignore[reportCallIssue, reportReturnType, reportArgumentType]


def failure(error: errors.LeafError) -> rx.event.EventSpec:
    """The event that tells an error to the person who caused it."""
    message = error.message
    if isinstance(message, texts.Message):
        return NoticeState.show(message, "error", message.key, message.parameters)  # pyright: ignore[reportCallIssue, reportReturnType, reportArgumentType]
    return NoticeState.show(message, "error", "", {})  # pyright: ignore[reportCallIssue, reportReturnType, reportArgumentType]


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
