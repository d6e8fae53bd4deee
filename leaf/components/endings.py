"""How answers end: the words for it, and what can be done next."""

from collections.abc import Callable

import reflex as rx

from leaf.components.basics import Shown, button, go, icon, match
from leaf.components.client import menu
from leaf.services.integrations import KINDS
from leaf.state.branching import BranchState
from leaf.state.chat import ChatState
from leaf.state.live import LiveState
from leaf.state.session import SessionState

_TEXT = "ending-text"
GO_ON = "Please go on."
"""What is asked where an answer reached a limit and its reader wants the rest."""


def ending(status: Shown, reason: Shown, message_id: Shown, *, last: bool) -> rx.Component:
    """How an answer ended that did not come to its end: nothing for one that did.

    Args:
        status: Of the message.
        reason: Why it failed.
        message_id: The message.
        last: Whether it is the last one: only that can be written again.
    """
    retry = _retry(message_id) if last else rx.fragment()
    further = rx.el.div(_further(message_id), retry, class_name="ending-actions") if last else rx.fragment()
    return match(
        status,
        (
            "error",
            rx.el.div(
                rx.el.span(icon("circle-alert", 17), rx.el.span(reason), class_name=_TEXT),
                further,
                class_name="ending bad",
                role="alert",
            ),
        ),
        (
            "stopped",
            rx.el.div(
                rx.el.span(icon("circle-stop", 16), "Stopped", class_name=_TEXT),
                _continue(message_id) if last else rx.fragment(),
                retry,
                class_name="ending",
            ),
        ),
        rx.fragment(),
    )


def _retry(message_id: Shown) -> rx.Component:
    return button(
        icon("rotate-ccw", 15),
        "Retry",
        once=True,
        on_click=ChatState.retry(message_id, ""),
        custom_attrs={"data-retry": "true"},
    )


def _continue(message_id: Shown) -> rx.Component:
    return button(
        icon("play", 15),
        "Continue",
        once=True,
        on_click=BranchState.proceed(message_id),
        custom_attrs={"data-retry": "true"},
    )


def _further(message_id: Shown) -> rx.Component:
    """What helps where trying the same again may not: a connection, or another model."""
    models: Shown = SessionState.models
    code: Shown = LiveState.code
    return rx.cond(
        (code == "drive_revoked") | (code == "drive_not_connected"),
        go("Reconnect Drive", KINDS[0].connect_path),
        rx.cond(
            models.length() > 0,
            menu(
                rx.foreach(models, _model_drawer(message_id)),
                label="Choose another model",
                face=rx.fragment("Choose another model", icon("chevron-down", 15)),
                class_name="button secondary",
            ),
        ),
    )


def _model_drawer(message_id: Shown) -> Callable[[Shown], rx.Component]:
    def draw(model: Shown) -> rx.Component:
        return rx.el.button(
            model.label,
            type="button",
            role="menuitem",
            class_name="menu-item",
            on_click=ChatState.retry(message_id, model.id),
            key=model.id,
        )

    return draw


def partial() -> rx.Component:
    """That the last answer is not all, and why; the rest can be asked for."""
    go_on = ChatState.send(ChatState.chat_id, GO_ON)
    why = match(
        LiveState.limit,
        ("steps", "This answer is partial: it used all the steps that one answer may take."),
        ("tokens", "This answer is partial: it used all the tokens that one answer may use."),
        ("cost", "This answer is partial: it cost as much as one answer may cost."),
        ("time", "This answer is partial: it took as long as one answer may take."),
        ("budget", "This answer is partial: it used what it may use of your budget."),
        "This answer is partial: it reached a limit.",
    )
    return rx.el.div(
        rx.el.span(icon("circle-ellipsis", 16), why, class_name=_TEXT),
        button(icon("play", 15), "Continue", once=True, on_click=go_on, custom_attrs={"data-retry": "true"}),
        class_name="ending",
    )
