"""Whether Leaf asks in a chat before something could leave it: the switch, and what turning it off means."""

import reflex as rx

from leaf.components.basics import button, icon
from leaf.components.client import modal
from leaf.components.texts import t
from leaf.state.chat import ChatState


def approval_switch() -> rx.Component:
    """The switch of the open chat, with its dialog."""
    label = rx.cond(ChatState.approvals, t("chat.asks_first_label"), t("chat.asks_not_label"))
    return rx.fragment(
        rx.el.button(
            rx.cond(ChatState.approvals, icon("shield-check", 17), icon("shield-off", 17)),
            rx.el.span(rx.cond(ChatState.approvals, t("chat.asks_first"), t("chat.asks_not")), class_name="wide-only"),
            type="button",
            title=label,
            aria_label=label,
            class_name="text-button header-button",
            on_click=ChatState.ask_approvals(True),
            disabled=ChatState.phase != "ready",
            custom_attrs={"data-approvals": rx.cond(ChatState.approvals, "on", "off")},
        ),
        modal(
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
        ),
    )
