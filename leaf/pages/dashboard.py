"""The dashboard: ask at once, or go on with an earlier chat."""

import reflex as rx

from leaf.components.basics import Shown, go, icon
from leaf.components.cards import drive_mark
from leaf.components.client import composer, link
from leaf.components.pickers import pickers
from leaf.components.share import invitations
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.services import integrations
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState


def dashboard() -> rx.Component:
    """The page that opens after the sign-in."""
    return shell(
        rx.el.div(rx.el.span(SessionState.workspace, class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.div(
                rx.el.h1(
                    "Hello",
                    rx.cond(SessionState.first_name != "", ", " + SessionState.first_name, ""),
                    class_name="greeting",
                ),
                rx.el.p("Ask, and Leaf answers from your own Drive.", class_name="welcome-text"),
                composer(
                    pickers(),
                    person=SessionState.person,
                    shown="",
                    running=False,
                    acknowledged=ChatState.acknowledged,
                    limit=MESSAGE_CHARACTERS,
                    on_send=_ask,
                    on_stop=rx.noop(),
                ),
                invitations("only-phone"),
                rx.foreach(SettingsState.cards, _connect),
                rx.cond(SidebarState.empty, suggestions(ChatState.start)),
                class_name="dashboard-ask",
            ),
            rx.cond(~SidebarState.empty, _chats()),
            class_name="page-column scroll",
        ),
    )


def _ask(_chat: Shown, text: Shown) -> Shown:
    return ChatState.start(text)


def _connect(card: Shown) -> rx.Component:
    path = integrations.KINDS[0].connect_path
    return rx.cond(
        card.state != "connected",
        rx.el.div(
            drive_mark(),
            rx.el.div(
                rx.el.strong(
                    rx.cond(card.state == "error", card.label + " needs to be reconnected", "Connect " + card.label)
                ),
                rx.el.p("Read only, with your own permissions."),
            ),
            rx.cond(card.state == "error", go("Reconnect", path, kind="primary"), go("Connect", path, kind="primary")),
            class_name="connect-strip",
        ),
    )


def _chats() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Your chats", class_name="section-title"),
        rx.foreach(SidebarState.groups, _group),
        class_name="dashboard-chats",
        aria_label="Your chats",
    )


def _group(group: Shown) -> rx.Component:
    return rx.fragment(
        rx.el.h3(group.label, class_name="day"),
        rx.el.ul(rx.foreach(group.chats, _entry), class_name="chat-cards"),
    )


def _entry(entry: Shown) -> rx.Component:
    return rx.el.li(
        link(
            icon("message-square", 17),
            rx.el.span(entry.title, class_name="chat-name"),
            rx.cond(
                entry.running,
                rx.el.span(rx.el.span(class_name="running-dot"), "answering", class_name="chat-when"),
                rx.el.span(entry.when, class_name="chat-when"),
            ),
            to=f"/chat/{entry.id}",
            class_name="chat-card",
        ),
        key=entry.id,
    )
