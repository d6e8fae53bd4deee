"""The sidebar: links, projects, the member's chats by day, and the member's menu."""

from typing import Any, Literal

import reflex as rx
from reflex.style import color_mode, set_color_mode

from leaf.components.basics import Shown, avatar, icon, mark, menu_item, menu_link, needs_server, sign_out
from leaf.components.chatlists import chat_list
from leaf.components.client import link
from leaf.components.controls import menu
from leaf.components.hooks import hook
from leaf.components.projects import sidebar_projects
from leaf.components.share import invitations
from leaf.components.shortcuts import OPENS_SHEET
from leaf.components.texts import t
from leaf.components.watches import sidebar_entry
from leaf.state.session import SessionState
from leaf.state.sidebar import SidebarState

THEMES: dict[Literal["light", "dark", "system"], str] = {"light": "sun", "dark": "moon", "system": "monitor"}
"""The colour modes that a member can choose, each with its icon."""


def sidebar() -> rx.Component:
    """The sidebar. It is a drawer on phones, and a rail of icons when collapsed."""
    return rx.el.nav(
        rx.el.div(
            link(
                mark(26),
                rx.el.span("Leaf", class_name="word"),
                to="/dashboard",
                class_name="brand",
                aria_label=t("sidebar.all"),
            ),
            sidebar_toggle(t("sidebar.toggle"), "panel-left"),
            class_name="sidebar-top",
        ),
        _control(
            "square-pen",
            t("sidebar.new_chat"),
            title=t("sidebar.new_chat_title"),
            class_name="nav-item new-chat",
            on_click=SidebarState.new_chat,
            custom_attrs={"data-new-chat": "true", **needs_server()},
        ),
        _control(
            "search",
            t("sidebar.search"),
            title=t("sidebar.search_title"),
            class_name="nav-item",
            custom_attrs={"data-palette": "true", "aria-haspopup": "dialog"},
        ),
        link(
            icon("folder-open"),
            rx.el.span(t("library.title"), class_name="word"),
            to="/files",
            class_name="nav-item",
            aria_label=t("library.title"),
            custom_attrs=needs_server(),
        ),
        sidebar_entry(),
        sidebar_projects(),
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


def sidebar_toggle(label: Shown, icon_name: str, *, look: str = "") -> rx.Component:
    """A button that folds or opens the sidebar, and says whether it is open."""
    return _toggle(rx.fragment(icon(icon_name)), label=label, look=f"icon-button {look}".strip())


@rx.memo
def _toggle(children: rx.Var[rx.Component], label: rx.Var[str], look: rx.Var[str]) -> rx.Component:
    view = hook("view", "useSidebarToggle", "shell")
    return rx.el.button(
        children, type="button", class_name=look, aria_label=label, title=label, special_props=[view["button"]]
    )


def _control(icon_name: str, label: Shown, **props: Any) -> rx.Component:
    word = rx.el.span(label, class_name="word")
    return rx.el.button(icon(icon_name), word, type="button", aria_label=label, **props)


def _person() -> rx.Component:
    face = rx.el.span(
        avatar(SessionState.name, SessionState.picture, class_name="avatar"),
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
            rx.el.div(t("sidebar.menu_away"), class_name="menu-heading menu-away"),
            menu_link("settings", t("settings.title"), "/settings"),
            menu_link("plug", t("settings.integrations"), "/settings/integrations"),
            menu_link("archive", t("sidebar.archived"), "/archived"),
            menu_link("chart-column", t("sidebar.usage"), "/usage"),
            menu_item("keyboard", t("palette.shortcuts"), custom_attrs=OPENS_SHEET),
            rx.cond(SessionState.administrator, menu_link("gauge", t("account.administration"), "/admin")),
            menu_link("message-circle", t("account.send_feedback"), _feedback_address()),
            rx.el.div(class_name="menu-rule", role="separator"),
            *(_theme_item(mode, name) for mode, name in THEMES.items()),
            rx.el.div(class_name="menu-rule", role="separator"),
            sign_out("menu-item", role="menuitem", custom_attrs=needs_server()),
            label=t("sidebar.menu"),
            face=face,
            class_name="nav-item person",
        ),
        class_name="sidebar-bottom",
    )


def _feedback_address() -> Shown:
    """The address of the feedback page, with the path of the current page."""
    shown: Shown = rx.State.router.url.path  # pyright: ignore[reportAssignmentType] - a var where pages are drawn
    return "/feedback?page=" + shown


def _theme_item(mode: Literal["light", "dark", "system"], icon_name: str) -> rx.Component:
    return menu_item(
        icon_name,
        rx.fragment(theme_names()[mode], rx.el.span(icon("check", 16), class_name="menu-check")),
        set_color_mode(mode),
        role="menuitemradio",
        custom_attrs={"aria-checked": theme_is(mode), "data-theme-choice": mode},
    )


def theme_names() -> dict[str, Shown]:
    return {"light": t("settings.light"), "dark": t("settings.dark"), "system": t("settings.system")}


def theme_is(mode: str) -> Shown:
    """Whether a colour mode (light, dark or system) is chosen."""
    return color_mode == mode
