"""Whether Leaf asks in a chat before something could leave it: the switch, and what turning it off means."""

import reflex as rx

from leaf.components.basics import button, icon
from leaf.components.client import modal
from leaf.state.chat import ChatState

_MEANS = (
    "Once Leaf has read your files and the web in the same chat, it asks before it opens an unknown address or sends "
    "longer text out, because a web page could tell it to send away what it has read."
)


def approval_switch() -> rx.Component:
    """The switch of the open chat, with its dialog."""
    label = rx.cond(ChatState.approvals, "Leaf asks before something leaves", "Leaf sends without asking")
    return rx.fragment(
        rx.el.button(
            rx.cond(ChatState.approvals, icon("shield-check", 17), icon("shield-off", 17)),
            rx.el.span(rx.cond(ChatState.approvals, "Asks first", "Does not ask"), class_name="wide-only"),
            type="button",
            title=label,
            aria_label=label,
            class_name="text-button header-button",
            on_click=ChatState.ask_approvals(True),
            disabled=ChatState.phase != "ready",
            custom_attrs={"data-approvals": rx.cond(ChatState.approvals, "on", "off")},
        ),
        modal(
            rx.el.h2(rx.cond(ChatState.approvals, "Stop asking in this chat?", "Ask again in this chat?")),
            rx.el.p(_MEANS),
            rx.cond(ChatState.approvals, rx.el.p("Without it, nobody looks at what leaves this chat.")),
            rx.el.div(
                button("Cancel", on_click=ChatState.ask_approvals(False)),
                rx.cond(
                    ChatState.approvals,
                    button("Stop asking", kind="danger", once=True, on_click=ChatState.ask_first(False)),
                    button("Ask again", kind="primary", once=True, on_click=ChatState.ask_first(True)),
                ),
                class_name="modal-row",
            ),
            open=ChatState.asks_approvals,
            label="Asking before something leaves",
            on_close=ChatState.ask_approvals(False),
        ),
    )
