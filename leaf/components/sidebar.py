"""The sidebar: new chat, the person's chats by day, and the person's menu."""

from typing import Literal

import reflex as rx
from reflex.style import color_mode, set_color_mode

from leaf.components.basics import Shown, icon, icon_button, mark, sign_out
from leaf.components.chatlists import chat_list
from leaf.components.client import link, menu
from leaf.components.share import invitations
from leaf.components.texts import t
from leaf.state.session import SessionState
from leaf.state.sidebar import SidebarState

THEMES: dict[Literal["light", "dark", "system"], str] = {"light": "sun", "dark": "moon", "system": "monitor"}
"""The colour modes that one can choose, each with its icon."""


def sidebar() -> rx.Component:
    """The sidebar; on phones a drawer, and a rail of icons when collapsed."""
    return rx.el.nav(
        rx.el.div(
            link(
                mark(26),
                rx.el.span("Leaf", class_name="word"),
                to="/dashboard",
                class_name="brand",
                aria_label=t("sidebar.all"),
            ),
            icon_button(t("sidebar.toggle"), "panel-left", custom_attrs={"data-toggle-sidebar": "true"}),
            class_name="sidebar-top",
        ),
        rx.el.button(
            icon("square-pen"),
            rx.el.span(t("sidebar.new_chat"), class_name="word"),
            type="button",
            class_name="nav-item new-chat",
            title=t("sidebar.new_chat_title"),
            aria_label=t("sidebar.new_chat"),
            on_click=SidebarState.new_chat,
            custom_attrs={"data-new-chat": "true"},
        ),
        rx.el.button(
            icon("search"),
            rx.el.span(t("sidebar.search"), class_name="word"),
            type="button",
            class_name="nav-item",
            title=t("sidebar.search_title"),
            aria_label=t("sidebar.search"),
            custom_attrs={"data-palette": "true"},
        ),
        rx.el.div(
            invitations(),
            chat_list("chats"),
            class_name="chat-list",
        ),
        _person(),
        id="sidebar",
        class_name="sidebar",
        aria_label=t("sidebar.chats"),
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
            link(icon("settings", 16), t("settings.title"), to="/settings", role="menuitem", class_name="menu-item"),
            link(
                icon("plug", 16),
                t("settings.integrations"),
                to="/settings/integrations",
                role="menuitem",
                class_name="menu-item",
            ),
            link(icon("archive", 16), t("sidebar.archived"), to="/archived", role="menuitem", class_name="menu-item"),
            link(icon("chart-column", 16), t("sidebar.usage"), to="/usage", role="menuitem", class_name="menu-item"),
            rx.el.button(
                icon("keyboard", 16),
                t("palette.shortcuts"),
                type="button",
                role="menuitem",
                class_name="menu-item",
                custom_attrs={"data-help": "true"},
            ),
            rx.cond(SessionState.administrator, _page("gauge", t("account.administration"), "/admin")),
            _page("message-circle", t("account.send_feedback"), "/feedback"),
            rx.el.div(class_name="menu-rule", role="separator"),
            *(_theme_item(mode, name) for mode, name in THEMES.items()),
            rx.el.div(class_name="menu-rule", role="separator"),
            sign_out("menu-item", role="menuitem"),
            label=t("sidebar.menu"),
            face=face,
            class_name="nav-item person",
        ),
        class_name="sidebar-bottom",
    )


def _page(icon_name: str, label: Shown, path: str) -> rx.Component:
    return link(icon(icon_name, 16), label, to=path, role="menuitem", class_name="menu-item")


def _theme_item(mode: Literal["light", "dark", "system"], icon_name: str) -> rx.Component:
    return rx.el.button(
        icon(icon_name, 16),
        theme_names()[mode],
        rx.el.span(icon("check", 16), class_name="menu-check"),
        type="button",
        role="menuitemradio",
        custom_attrs={"aria-checked": theme_is(mode), "data-theme-choice": mode},
        class_name="menu-item",
        on_click=set_color_mode(mode),
    )


def theme_names() -> dict[str, Shown]:
    """The names of the colour modes."""
    return {"light": t("settings.light"), "dark": t("settings.dark"), "system": t("settings.system")}


def theme_is(mode: str) -> Shown:
    """Whether a colour mode is the chosen one: light, dark or system."""
    return color_mode == mode
