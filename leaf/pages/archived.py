"""Chats that somebody has archived."""

import reflex as rx

from leaf.components.chatlists import chat_list
from leaf.components.shell import shell


def archived() -> rx.Component:
    """The page of archived chats."""
    return shell(
        rx.el.div(rx.el.span("Archived chats", class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.h1("Archived chats", class_name="greeting"),
            rx.el.p("They open as before. Asking in one brings it back into the list.", class_name="lead"),
            rx.el.section(
                chat_list("archived", wide=True, none="No chat is archived."),
                class_name="dashboard-chats",
                aria_label="Archived chats",
            ),
            class_name="page-column scroll",
        ),
    )
