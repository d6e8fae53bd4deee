"""The header of a chat: its title, and what can be opened; on phones in one menu."""

from dataclasses import dataclass, field

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, icon_button, menu_item
from leaf.components.client import menu, modal
from leaf.components.exchange import export_menu
from leaf.components.share import share_dialog
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.files import FilesState
from leaf.state.share import ShareState

_OPENS_PANEL = {"data-opens-panel": "true"}


@dataclass(frozen=True)
class _Action:
    label: Shown
    words: Shown
    """The short text on a wide button; the label is the full name."""
    icon: Shown
    on_click: Shown
    attributes: dict[str, Shown] = field(default_factory=dict[str, Shown])


def _actions() -> tuple[_Action, ...]:
    share, files, sources = t("sharing.share"), t("chat.files"), t("chat.sources")
    return (
        _Action(
            rx.cond(ChatState.approvals, t("chat.asks_first_label"), t("chat.asks_not_label")),
            rx.cond(ChatState.approvals, t("chat.asks_first"), t("chat.asks_not")),
            rx.cond(ChatState.approvals, icon("shield-check", 17), icon("shield-off", 17)),
            ChatState.ask_approvals(True),
            {"data-approvals": rx.cond(ChatState.approvals, "on", "off")},
        ),
        _Action(
            share, share, icon("share-2", 17), ShareState.open_dialog(ChatState.chat_id), {"data-command": "share"}
        ),
        _Action(
            files,
            files,
            icon("files", 17),
            FilesState.open_panel(ChatState.chat_id),
            {**_OPENS_PANEL, "data-command": "files"},
        ),
        _Action(
            sources,
            sources,
            icon("book-open", 17),
            DetailsState.open_chat_sources(ChatState.chat_id),
            {**_OPENS_PANEL, "data-command": "sources"},
        ),
    )


def chat_header() -> rx.Component:
    """The header of a chat, with its dialogs."""
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
        *(_button(action) for action in _actions()),
        export_menu(),
        rx.el.div(_menu(), class_name="only-phone"),
        _approval_dialog(),
        share_dialog(),
        _rename_dialog(),
    )


def _button(action: _Action) -> rx.Component:
    """Works once the chat is there."""
    return rx.el.button(
        action.icon,
        rx.el.span(action.words),
        type="button",
        title=action.label,
        aria_label=action.label,
        class_name="text-button header-button",
        on_click=action.on_click,
        disabled=ChatState.phase != "ready",
        # Reflex adds names to the dictionary: each button gets its own copy.
        custom_attrs={**action.attributes},
    )


def _menu() -> rx.Component:
    """A menu with the same actions, and renaming, for narrow screens."""
    return menu(
        *(
            menu_item(
                action.icon,
                action.label,
                action.on_click,
                disabled=ChatState.phase != "ready",
                custom_attrs={**action.attributes},
            )
            for action in _actions()
        ),
        rx.cond(
            ChatState.title != "",
            menu_item(icon("pencil", 17), t("chat.rename"), ChatState.ask_title(True)),
        ),
        label=t("chat.more"),
        face=icon("ellipsis", 18),
        class_name="icon-button",
    )


def _rename_dialog() -> rx.Component:
    return modal(
        rx.el.form(
            rx.el.h2(t("chat.rename_title")),
            forms.line(
                name="title",
                default_value=ChatState.title,
                max_length=120,
                aria_label=t("chat.chat_title"),
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
    )


def _approval_dialog() -> rx.Component:
    """Explains the effect of turning approvals off, or on again."""
    return modal(
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
    )
