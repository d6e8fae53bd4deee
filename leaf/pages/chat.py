"""A chat."""

import reflex as rx

from leaf.components.basics import Shown, banner, go, icon, match, text_link
from leaf.components.chat_header import chat_header
from leaf.components.composer import composer
from leaf.components.containers import thread
from leaf.components.exchange import imported_note
from leaf.components.files import files_panel
from leaf.components.message import earlier, history, live_message, message
from leaf.components.panel import sources_panel
from leaf.components.queue import queue
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.components.texts import t
from leaf.services.integrations import KINDS
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.live import LiveState
from leaf.state.presence import PresenceState

CONNECT_PATH = "/settings/integrations"


def chat() -> rx.Component:
    """The page of a chat."""
    return shell(
        rx.cond(ChatState.phase == "missing", rx.el.div(class_name="title-row"), chat_header()),
        match(
            ChatState.phase,
            ("missing", _missing()),
            rx.fragment(_conversation(), _composer()),
        ),
        aside=rx.fragment(
            rx.cond(DetailsState.panel, sources_panel(), files_panel()),
            rx.el.div(id="artifact", class_name="artifact-place"),
        ),
    )


def _conversation() -> rx.Component:
    empty = (ChatState.phase == "ready") & (ChatState.turn == "") & (LiveState.message_id == "")
    return thread(
        rx.cond(ChatState.phase == "loading", _skeleton()),
        rx.cond(empty, _welcome()),
        imported_note(),
        earlier(),
        history(_shown()),
        rx.foreach(ChatState.later, message),
        live_message(),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
        whole=ChatState.awaited == 0,
        on_drawn=PresenceState.fill,
    )


def _shown() -> Shown:
    """The part of the history on the visible branch."""
    rows: Shown = ChatState.history
    return rows[: ChatState.kept]


def _welcome() -> rx.Component:
    return rx.el.div(
        rx.el.h2(t("chat.welcome_title"), class_name="welcome-title"),
        rx.el.p(t("chat.welcome_text"), class_name="welcome-text"),
        suggestions(lambda text: ChatState.send(ChatState.chat_id, text)),
        class_name="welcome",
    )


def _skeleton() -> rx.Component:
    lines = ("38%", "92%", "84%", "64%")
    return rx.el.div(
        *(rx.el.div(class_name="bone", style={"width": width}) for width in lines),
        class_name="skeleton",
        aria_hidden=True,
    )


def _composer() -> rx.Component:
    dock = rx.el.div(
        _drive_banner(),
        queue(),
        composer(
            shown=ChatState.chat_id,
            running=LiveState.running,
            on_send=ChatState.send,
            on_stop=ChatState.stop(LiveState.run_id),
        ),
        rx.el.p(t("chat.can_be_wrong"), class_name="fine-print"),
        class_name="composer-dock",
    )
    return rx.el.div(dock, class_name="composer-frame")


def _drive_banner() -> rx.Component:
    return match(
        ChatState.drive,
        (
            "unconnected",
            banner(
                "warning",
                "plug",
                rx.el.span(rx.el.strong(t("chat.unconnected_title")), " ", t("chat.unconnected_text")),
                go(t("settings.connect"), KINDS[0].connect_path, kind="primary small"),
            ),
        ),
        (
            "disconnected",
            banner(
                "warning",
                "unplug",
                rx.el.strong(t("chat.disconnected_title")),
                " ",
                t("chat.disconnected_text"),
                " ",
                text_link(t("chat.open_settings"), CONNECT_PATH),
            ),
        ),
        (
            "error",
            banner(
                "warning",
                "triangle-alert",
                rx.el.span(rx.el.strong(t("chat.refused_title")), " ", t("chat.refused_text")),
                go(t("chat.reconnect_drive"), KINDS[0].connect_path, kind="primary small"),
            ),
        ),
        rx.fragment(),
    )


def _missing() -> rx.Component:
    return rx.el.div(
        icon("message-square-dashed", 28),
        rx.el.h1(t("chat.missing_title")),
        rx.el.p(t("chat.missing_text")),
        text_link(t("chat.all_chats"), "/dashboard", class_name="button secondary"),
        class_name="centred",
    )
