"""A chat."""

import reflex as rx

from leaf.components.approvals import approval_switch
from leaf.components.basics import Shown, banner, button, go, icon, icon_button, match, text_link
from leaf.components.client import composer, modal, thread
from leaf.components.files import files_panel
from leaf.components.message import history, live_message, message
from leaf.components.panel import sources_panel
from leaf.components.pickers import pickers
from leaf.components.share import share_button, share_dialog
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.components.texts import t
from leaf.services.integrations import KINDS
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.details import DetailsState
from leaf.state.files import FilesState
from leaf.state.live import LiveState
from leaf.state.session import SessionState

CONNECT_PATH = "/settings/integrations"


def chat() -> rx.Component:
    """The page of a chat."""
    return shell(
        rx.cond(ChatState.phase == "missing", rx.el.div(class_name="title-row"), _header()),
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


def _header() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.h1(
                rx.cond(ChatState.title != "", ChatState.title, t("chat.new_chat")),
                class_name=rx.cond(ChatState.title != "", "chat-title", "unseen"),
            ),
            rx.cond(
                ChatState.title != "",
                icon_button(
                    t("chat.rename"), "pencil", size=15, class_name="rename", on_click=ChatState.ask_title(True)
                ),
            ),
            class_name="title-row",
        ),
        approval_switch(),
        share_button(),
        share_dialog(),
        _panel_button(t("chat.files"), "files", FilesState.open_panel(ChatState.chat_id)),
        _panel_button(t("chat.sources"), "book-open", DetailsState.open_chat_sources(ChatState.chat_id)),
        modal(
            rx.el.form(
                rx.el.h2(t("chat.rename_title")),
                rx.el.input(
                    name="title",
                    default_value=ChatState.title,
                    max_length=120,
                    aria_label=t("chat.chat_title"),
                    class_name="field",
                    auto_focus=True,
                    required=True,
                ),
                rx.el.div(
                    button(t("common.cancel"), on_click=ChatState.ask_title(False)),
                    button(t("common.save"), kind="primary", type="submit"),
                    class_name="modal-row",
                ),
                on_submit=ChatState.rename,
            ),
            open=ChatState.asks_title,
            label=t("chat.rename_title"),
            on_close=ChatState.ask_title(False),
        ),
    )


def _panel_button(label: Shown, icon_name: str, on_click: Shown) -> rx.Component:
    """Opens a panel at the side, once the chat is there."""
    return rx.el.button(
        icon(icon_name, 17),
        rx.el.span(label, class_name="wide-only"),
        type="button",
        aria_label=label,
        class_name="text-button header-button",
        on_click=on_click,
        disabled=ChatState.phase != "ready",
        custom_attrs={"data-opens-panel": "true"},
    )


def _conversation() -> rx.Component:
    empty = (ChatState.phase == "ready") & (ChatState.turn == "") & (LiveState.message_id == "")
    return thread(
        rx.cond(ChatState.phase == "loading", _skeleton()),
        rx.cond(empty, _welcome()),
        history(_shown()),
        rx.foreach(ChatState.later, message),
        live_message(),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
    )


def _shown() -> Shown:
    """What of the history lies on the branch that is shown."""
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
        composer(
            pickers(),
            person=SessionState.person,
            shown=ChatState.chat_id,
            running=LiveState.running,
            acknowledged=ChatState.acknowledged,
            limit=MESSAGE_CHARACTERS,
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
