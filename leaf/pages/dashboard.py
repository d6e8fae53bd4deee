"""The dashboard, with a composer for a new question, and the page of archived chats."""

from functools import partial

import reflex as rx

from leaf.components.basics import each
from leaf.components.cards import connect_strip
from leaf.components.chatlists import chat_list
from leaf.components.composer import composer
from leaf.components.share import invitations
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.components.texts import t
from leaf.state.chat import DASHBOARD, ChatState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState


def dashboard() -> rx.Component:
    """The page that opens after sign-in."""
    return shell(
        rx.el.div(rx.el.span(SessionState.workspace, class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.div(
                rx.el.h1(
                    rx.cond(
                        SessionState.first_name != "",
                        t("dashboard.hello_name", name=SessionState.first_name),
                        t("dashboard.hello"),
                    ),
                    class_name="greeting",
                ),
                rx.el.p(t("dashboard.lead"), class_name="welcome-text"),
                composer(shown="", running=False, on_send=ChatState.send, on_stop=rx.noop()),
                each(SettingsState.cards, partial(connect_strip, following="/dashboard")),
                suggestions(lambda text: ChatState.send(DASHBOARD, text)),
                # Below the cards, so that they do not move when an invitation arrives.
                invitations("only-phone"),
                class_name="dashboard-ask",
            ),
            class_name="page-column scroll",
        ),
    )


def archived() -> rx.Component:
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
