"""The notes at the end of incomplete answers, and the actions that readers can take."""

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components.basics import Shown, button, go, icon, match, menu_item
from leaf.components.controls import menu
from leaf.components.texts import t
from leaf.services.integrations import CONNECT_PATH
from leaf.state.branches import BranchState
from leaf.state.chat import ChatState
from leaf.state.live import LiveState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState

_TEXT = "ending-text"


def ending(
    status: Shown, reason: Shown, message_id: Shown, *, last: bool, audience: Audience = audiences.MEMBER
) -> rx.Component:
    """A note on the end of an incomplete answer; nothing for a complete one. Only the last message can be retried."""
    retry = after_error = proceed = rx.fragment()
    if last:
        retry = after_error = _for_asker(_retry(message_id))
    if last and audience.chooses_model:
        actions = rx.el.div(_further(message_id), _retry(message_id), class_name="ending-actions")
        after_error = _for_asker(actions)
    if last and audience.may("continue"):
        proceed = _for_asker(_action("play", t("messages.continue"), BranchState.proceed(message_id)))
    return match(
        status,
        (
            "error",
            rx.el.div(
                rx.el.span(icon("circle-alert", 17), rx.el.span(reason), class_name=_TEXT),
                after_error,
                class_name="ending bad",
                role="alert",
            ),
        ),
        (
            "stopped",
            rx.el.div(
                rx.el.span(icon("circle-stop", 16), t("messages.stopped"), class_name=_TEXT),
                proceed,
                retry,
                class_name="ending",
            ),
        ),
        rx.fragment(),
    )


def is_asker() -> Shown:
    """Whether the reader asked the question of the last answer. Only the asker may retry or continue an answer."""
    return LiveState.asker == SessionState.member_id


def _for_asker(content: rx.Component) -> rx.Component:
    return rx.cond(is_asker(), content)


def _retry(message_id: Shown) -> rx.Component:
    return _action("rotate-ccw", t("messages.retry"), ChatState.retry(message_id, ""))


def _action(icon_name: str, words: Shown, act: Shown) -> rx.Component:
    return button(icon(icon_name, 15), words, once=True, on_click=act, custom_attrs={"data-retry": "true"})


def _further(message_id: Shown) -> rx.Component:
    """An action for failures that a retry may not solve: connecting Drive, or choosing another model."""
    models: Shown = SessionState.models
    code: Shown = LiveState.code

    def other(model: Shown) -> rx.Component:
        return menu_item(None, model.label, ChatState.retry(message_id, model.id), key=model.id)

    return rx.cond(
        (code == "drive_revoked") | (code == "drive_not_connected"),
        rx.cond(
            # If another step must come first, the banner shows it.
            (SettingsState.drive != "error") | (SettingsState.drive_first == "connect"),
            go(t("settings.reconnect"), CONNECT_PATH, next="/chat/" + ChatState.chat_id),
        ),
        rx.cond(
            models.length() > 0,
            menu(
                rx.foreach(models, other),
                label=t("messages.other_model"),
                face=rx.fragment(t("messages.other_model"), icon("chevron-down", 15)),
                class_name="button secondary",
            ),
        ),
    )


def partial() -> rx.Component:
    """A note that the last answer is incomplete, with the reason, and with a button that requests the rest."""
    go_on = ChatState.send(ChatState.chat_id, t("messages.go_on"))
    why = match(
        LiveState.limit,
        ("steps", t("messages.partial_steps")),
        ("tokens", t("messages.partial_tokens")),
        ("cost", t("messages.partial_cost")),
        ("time", t("messages.partial_time")),
        ("budget", t("messages.partial_budget")),
        t("messages.partial"),
    )
    return rx.el.div(
        rx.el.span(icon("circle-ellipsis", 16), why, class_name=_TEXT),
        _action("play", t("messages.continue"), go_on),
        class_name="ending",
    )
