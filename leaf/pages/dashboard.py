"""The dashboard, where one asks at once; and the page of archived chats."""

import reflex as rx

from leaf.components.basics import Shown, go
from leaf.components.cards import drive_mark
from leaf.components.chatlists import chat_list
from leaf.components.composer import composer
from leaf.components.share import invitations
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.components.texts import t
from leaf.services import integrations
from leaf.state.chat import ChatState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState


def dashboard() -> rx.Component:
    """The page that opens after the sign-in."""
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
                composer(shown="", running=False, on_send=_ask, on_stop=rx.noop()),
                rx.foreach(SettingsState.cards, _connect),
                suggestions(ChatState.start),
                # Behind the cards, which so stay in their place when an invitation comes.
                invitations("only-phone"),
                class_name="dashboard-ask",
            ),
            class_name="page-column scroll",
        ),
    )


def _ask(_chat: Shown, text: Shown, extras: Shown) -> Shown:
    return ChatState.start(text, extras)


def _connect(card: Shown) -> rx.Component:
    path = integrations.KINDS[0].connect_path
    return rx.cond(
        card.state != "connected",
        rx.el.div(
            drive_mark(),
            rx.el.div(
                rx.el.strong(
                    rx.cond(
                        card.state == "error",
                        t("dashboard.connect_again", service=card.label),
                        t("dashboard.connect", service=card.label),
                    )
                ),
                rx.el.p(t("dashboard.connect_note")),
            ),
            rx.cond(
                card.state == "error",
                go(t("settings.reconnect"), path, kind="primary", next="/dashboard"),
                go(t("settings.connect"), path, kind="primary", next="/dashboard"),
            ),
            class_name="connect-strip",
        ),
    )


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
