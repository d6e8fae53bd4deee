"""Archived chats."""

import reflex as rx

from leaf.components.chatlists import chat_list
from leaf.components.shell import shell
from leaf.components.texts import t


def archived() -> rx.Component:
    """The page of archived chats."""
    return shell(
        rx.el.div(rx.el.span(t("sidebar.archived"), class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.h1(t("sidebar.archived"), class_name="greeting"),
            rx.el.p(t("sidebar.archived_lead"), class_name="lead"),
            rx.el.section(
                chat_list("archived", wide=True, none=t("sidebar.none_archived")),
                class_name="dashboard-chats",
                aria_label=t("sidebar.archived"),
            ),
            class_name="page-column scroll",
        ),
    )
