"""The composer: the box in which messages are written, with its buttons."""

from typing import Any

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components import links
from leaf.components.basics import Shown
from leaf.components.pickers import pickers
from leaf.services.files import MAX_UPLOAD_BYTES
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.session import SessionState

ACCEPTED = ".md,.markdown,.txt,.csv,.tsv,.pdf,.docx,.xlsx,.pptx,text/*"
"""The types that a browser offers for upload; the server looks at the content."""
UPLOAD_LIMIT = f"{MAX_UPLOAD_BYTES // 1_000_000} MB"


def _message_spec(
    chat: rx.Var[str], text: rx.Var[str], extras: rx.Var[dict[str, Any]]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[dict[str, Any]]]:
    return (chat, text, extras)


def _sent_spec(chat: rx.Var[str], key: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return (chat, key)


class Composer(rx.Component):
    """The text box with Send and Stop. It takes its chat from the address, and keeps a draft for each person and chat.

    `on_send` gets the chat's id ("guest" on the guests' page, "dashboard" on all others), the text, and the files that
    it names or that come with it, under a key; `on_doubt` gets the chat's id and the key of a message of which the page
    does not know whether it was stored.
    """

    library = "$/public/client/composer.js"
    tag = "Composer"

    person: rx.Var[str]
    shown: rx.Var[str]
    running: rx.Var[bool]
    acknowledged: rx.Var[str]
    limit: rx.Var[int]
    origin: rx.Var[str]
    accept: rx.Var[str]
    file_limit: rx.Var[int]
    file_limit_text: rx.Var[str]
    on_send: rx.EventHandler[_message_spec]
    on_doubt: rx.EventHandler[_sent_spec]
    on_stop: rx.EventHandler[rx.event.no_args_event_spec]


def composer(
    *,
    shown: Shown,
    running: Shown,
    on_send: Shown,
    on_stop: Shown,
    person: Shown = SessionState.person,
    audience: Audience = audiences.MEMBER,
) -> rx.Component:
    """The composer of a page.

    Args:
        shown: The open chat; empty without one.
        running: Whether an answer is being written there.
        on_send: Sends a message.
        on_stop: Stops the answer.
        person: The id to which drafts are bound.
        audience: The audience of the page.
    """
    return Composer.create(
        pickers()
        if audience.chooses_model
        else rx.cond(SessionState.model != "", rx.el.span(SessionState.model, class_name="model-name")),
        person=person,
        shown=shown,
        running=running,
        acknowledged=ChatState.acknowledged,
        limit=MESSAGE_CHARACTERS,
        origin=links.backend(""),
        accept=ACCEPTED,
        file_limit=MAX_UPLOAD_BYTES,
        file_limit_text=UPLOAD_LIMIT,
        on_send=on_send,
        on_doubt=ChatState.was_sent,
        on_stop=on_stop,
    )
