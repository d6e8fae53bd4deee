"""The header of a chat: its title, Share, and a menu with everything else."""

import reflex as rx

from leaf.components import source_changes, watches
from leaf.components.basics import button, icon, menu_item, modal_row, name_dialog, needs_server
from leaf.components.controls import menu, modal
from leaf.components.exchange import archive_item, export_items, print_item
from leaf.components.projects import project_link
from leaf.components.scope import scope_item
from leaf.components.share import share_dialog
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.files import FilesState
from leaf.state.projects import ProjectsState
from leaf.state.share import ShareState
from leaf.state.sidebar import SidebarState

_OPENS_PANEL = {"data-opens-panel": "true"}


def chat_header() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            project_link(ChatState.project),
            rx.el.h1(
                rx.cond(ChatState.title != "", ChatState.title, t("chat.new_chat")),
                class_name=rx.cond(ChatState.title != "", "chat-title", "unseen"),
            ),
            class_name="title-row",
        ),
        source_changes.header_line(),
        rx.el.button(
            icon("share-2", 17),
            rx.el.span(t("sharing.share")),
            type="button",
            title=t("sharing.share"),
            aria_label=t("sharing.share"),
            class_name="text-button header-button",
            on_click=ShareState.open_dialog(ChatState.chat_id),
            disabled=ChatState.phase != "ready",
            custom_attrs={"data-command": "share", "aria-haspopup": "dialog", **needs_server()},
        ),
        rx.cond(ChatState.phase == "ready", _menu()),
        _approval_dialog(),
        share_dialog(),
        _rename_dialog(),
        source_changes.dialogs(),
        watches.dialog(),
    )


def _menu() -> rx.Component:
    """The menu with all actions of the chat except sharing."""
    chat = ChatState.chat_id
    return menu(
        menu_item(
            "files",
            t("chat.files"),
            FilesState.open_panel(chat),
            custom_attrs={**_OPENS_PANEL, "data-command": "files"},
        ),
        menu_item(
            "book-open",
            t("chat.sources"),
            DetailsState.open_chat_sources(chat),
            custom_attrs={**_OPENS_PANEL, "data-command": "sources"},
        ),
        scope_item(),
        menu_item("folder-input", t("projects.move"), ProjectsState.ask_move(chat, ChatState.project)),
        rx.el.button(
            rx.cond(ChatState.approvals, icon("shield-check", 16), icon("shield-off", 16)),
            t("chat.asks_first"),
            rx.el.span(icon("check", 16), class_name="menu-check"),
            type="button",
            role="menuitemcheckbox",
            class_name="menu-item",
            on_click=ChatState.ask_approvals(True),
            custom_attrs={"aria-checked": ChatState.approvals},
        ),
        rx.el.div(class_name="menu-rule", role="separator"),
        *export_items(chat),
        print_item(),
        rx.el.div(class_name="menu-rule", role="separator"),
        rx.cond(ChatState.title != "", menu_item("pencil", t("chat.rename"), ChatState.ask_title(True))),
        archive_item(ChatState.archived, chat),
        menu_item("trash-2", t("sidebar.delete"), SidebarState.delete([chat]), danger=True),
        label=t("chat.more"),
        face=icon("ellipsis", 18),
        class_name="icon-button",
    )


def _rename_dialog() -> rx.Component:
    return name_dialog(
        t("chat.rename_title"),
        t("chat.chat_title"),
        t("common.save"),
        is_open=ChatState.asks_title,
        on_close=ChatState.ask_title(False),
        on_submit=ChatState.rename,
        name="title",
        default_value=ChatState.title,
        max_length=120,
    )


def _approval_dialog() -> rx.Component:
    """Explains the effect of turning approvals off, or on again."""
    return modal(
        rx.el.h2(rx.cond(ChatState.approvals, t("chat.stop_asking_title"), t("chat.ask_again_title"))),
        rx.el.p(t("chat.asking_means")),
        rx.cond(ChatState.approvals, rx.el.p(t("chat.asking_without"))),
        modal_row(
            ChatState.ask_approvals(False),
            rx.cond(
                ChatState.approvals,
                button(t("chat.stop_asking"), kind="danger", once=True, on_click=ChatState.ask_first(False)),
                button(t("chat.ask_again"), kind="primary", once=True, on_click=ChatState.ask_first(True)),
            ),
        ),
        open=ChatState.asks_approvals,
        label=t("chat.asking_dialog"),
        on_close=ChatState.ask_approvals(False),
    )
