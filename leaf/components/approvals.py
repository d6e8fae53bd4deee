"""Whether Leaf asks in a chat before something could leave it: the switch, and what turning it off means."""

import reflex as rx

from leaf.components.basics import Shown, button, icon
from leaf.components.client import modal
from leaf.components.texts import t
from leaf.state.chat import ChatState


def approval_label() -> Shown:
    """Whether Leaf asks in the open chat, as a sentence."""
    return rx.cond(ChatState.approvals, t("chat.asks_first_label"), t("chat.asks_not_label"))


def approval_words() -> Shown:
    """The same in two words."""
    return rx.cond(ChatState.approvals, t("chat.asks_first"), t("chat.asks_not"))


def approval_icon() -> Shown:
    """The same as a picture."""
    return rx.cond(ChatState.approvals, icon("shield-check", 17), icon("shield-off", 17))


def approval_dialog() -> rx.Component:
    """Explains the effect of turning approvals off, or on again."""
    return modal(
        rx.el.h2(rx.cond(ChatState.approvals, t("chat.stop_asking_title"), t("chat.ask_again_title"))),
        rx.el.p(t("chat.asking_means")),
        rx.cond(ChatState.approvals, rx.el.p(t("chat.asking_without"))),
        rx.el.div(
            button(t("common.cancel"), on_click=ChatState.ask_approvals(False)),
            rx.cond(
                ChatState.approvals,
                button(t("chat.stop_asking"), kind="danger", once=True, on_click=ChatState.ask_first(False)),
                button(t("chat.ask_again"), kind="primary", once=True, on_click=ChatState.ask_first(True)),
            ),
            class_name="modal-row",
        ),
        open=ChatState.asks_approvals,
        label=t("chat.asking_dialog"),
        on_close=ChatState.ask_approvals(False),
    )
