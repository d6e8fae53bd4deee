"""The sidebar: new chat, the person's chats by day, and the person's menu."""

from typing import Literal

import reflex as rx
from reflex.style import color_mode, set_color_mode

from leaf.components.basics import Shown, button, icon, icon_button, mark, sign_out
from leaf.components.client import link, menu, modal
from leaf.components.share import invitations
from leaf.state.chat import ChatState
from leaf.state.session import SessionState
from leaf.state.sidebar import SidebarState

THEMES: dict[Literal["light", "dark", "system"], str] = {"light": "sun", "dark": "moon", "system": "monitor"}
"""The colour modes that one can choose, each with its icon."""


def sidebar() -> rx.Component:
    """The sidebar; on phones a drawer, and a rail of icons where it was collapsed."""
    return rx.el.nav(
        rx.el.div(
            link(
                mark(26),
                rx.el.span("Leaf", class_name="word"),
                to="/dashboard",
                class_name="brand",
                aria_label="Leaf, all chats",
            ),
            icon_button("Toggle sidebar", "panel-left", custom_attrs={"data-toggle-sidebar": "true"}),
            class_name="sidebar-top",
        ),
        rx.el.button(
            icon("square-pen"),
            rx.el.span("New chat", class_name="word"),
            type="button",
            class_name="nav-item new-chat",
            title="New chat (Ctrl+K)",
            aria_label="New chat",
            on_click=SidebarState.new_chat,
            custom_attrs={"data-new-chat": "true"},
        ),
        rx.el.div(
            invitations(),
            rx.foreach(SidebarState.groups, _group),
            rx.cond(
                SidebarState.more,
                rx.el.button("Older chats", type="button", class_name="nav-more", on_click=SidebarState.show_more),
            ),
            class_name="chat-list",
        ),
        _person(),
        id="sidebar",
        class_name="sidebar",
        aria_label="Chats",
    )


def _group(group: Shown) -> rx.Component:
    return rx.el.section(
        rx.el.h2(group.label),
        rx.el.ul(rx.foreach(group.chats, _entry)),
        class_name="chat-group",
    )


def _entry(entry: Shown) -> rx.Component:
    return rx.el.li(
        link(
            rx.el.span(entry.title, class_name="chat-name"),
            rx.cond(
                entry.running,
                rx.el.span(class_name="running-dot", title="Leaf is answering", role="img", aria_label="answering"),
            ),
            rx.cond(
                entry.waiting,
                rx.el.span(class_name="waiting-dot", title="Leaf asks you", role="img", aria_label="asks you"),
            ),
            to=f"/chat/{entry.id}",
            class_name="nav-item chat-link",
            custom_attrs={"aria-current": rx.cond(ChatState.chat_id == entry.id, "page", "false")},
        ),
        menu(
            _menu_item("pencil", "Rename", SidebarState.ask("rename", entry.id, entry.title)),
            _menu_item("trash-2", "Delete", SidebarState.ask("delete", entry.id, entry.title), danger=True),
            label=f"Options for {entry.title}",
            face=icon("ellipsis", 16),
            class_name="icon-button small chat-menu",
        ),
        class_name="chat-row",
        key=entry.id,
    )


def _menu_item(icon_name: str, label: str, on_click: Shown, *, danger: bool = False) -> rx.Component:
    return rx.el.button(
        icon(icon_name, 16),
        label,
        type="button",
        role="menuitem",
        class_name="menu-item danger" if danger else "menu-item",
        on_click=on_click,
    )


def _person() -> rx.Component:
    face = rx.el.span(
        rx.el.span(
            SessionState.name[:1],
            rx.cond(
                SessionState.picture != "", rx.el.img(src=SessionState.picture, alt="", referrer_policy="no-referrer")
            ),
            class_name="avatar",
        ),
        rx.el.span(
            rx.el.span(SessionState.name, class_name="person-name"),
            rx.el.span(SessionState.workspace, class_name="person-place"),
            class_name="word person-words",
        ),
        class_name="person-face",
    )
    return rx.el.div(
        menu(
            rx.el.div(SessionState.email, class_name="menu-heading"),
            link(icon("settings", 16), "Settings", to="/settings", role="menuitem", class_name="menu-item"),
            link(
                icon("plug", 16), "Integrations", to="/settings/integrations", role="menuitem", class_name="menu-item"
            ),
            link(icon("chart-column", 16), "Usage", to="/usage", role="menuitem", class_name="menu-item"),
            rx.el.div(class_name="menu-rule", role="separator"),
            *(_theme_item(mode, name) for mode, name in THEMES.items()),
            rx.el.div(class_name="menu-rule", role="separator"),
            sign_out("menu-item", role="menuitem"),
            label="Your menu",
            face=face,
            class_name="nav-item person",
        ),
        class_name="sidebar-bottom",
    )


def _theme_item(mode: Literal["light", "dark", "system"], icon_name: str) -> rx.Component:
    return rx.el.button(
        icon(icon_name, 16),
        mode.capitalize(),
        rx.el.span(icon("check", 16), class_name="menu-check"),
        type="button",
        role="menuitemradio",
        custom_attrs={"aria-checked": theme_is(mode)},
        class_name="menu-item",
        on_click=set_color_mode(mode),
    )


def theme_is(mode: str) -> Shown:
    """Whether a colour mode is the chosen one: light, dark or system."""
    return color_mode == mode


def dialogs() -> rx.Component:
    """The dialogs that rename and delete a chat."""
    return rx.fragment(
        modal(
            rx.el.form(
                rx.el.h2("Rename chat"),
                rx.el.input(
                    name="title",
                    default_value=SidebarState.asked_title,
                    max_length=120,
                    aria_label="Title",
                    class_name="field",
                    auto_focus=True,
                    required=True,
                ),
                rx.el.div(
                    button("Cancel", on_click=SidebarState.close),
                    button("Rename", kind="primary", type="submit"),
                    class_name="modal-row",
                ),
                on_submit=SidebarState.rename,
            ),
            open=SidebarState.asked == "rename",
            label="Rename chat",
            on_close=SidebarState.close,
        ),
        modal(
            rx.el.h2("Delete this chat?"),
            rx.el.p(
                "“",
                SidebarState.asked_title,
                "” and its answers will be gone for good. Files in your Drive stay as they are.",
            ),
            rx.el.div(
                button("Cancel", on_click=SidebarState.close),
                button("Delete", kind="danger", once=True, on_click=SidebarState.delete),
                class_name="modal-row",
            ),
            open=SidebarState.asked == "delete",
            label="Delete this chat?",
            on_close=SidebarState.close,
        ),
    )
