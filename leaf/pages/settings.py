"""Settings: account, integrations, sessions, appearance."""

import reflex as rx
from reflex.style import set_color_mode

from leaf.components.basics import Shown, button, icon, sign_out, text_link
from leaf.components.cards import integration_cards
from leaf.components.client import link, outcome
from leaf.components.shell import shell
from leaf.components.sidebar import THEMES, theme_is
from leaf.state.session import SessionState
from leaf.state.settings import PROBLEMS, SettingsState

TABS = (
    ("Account", "/settings", "user-round"),
    ("Integrations", "/settings/integrations", "plug"),
    ("Sessions", "/settings/sessions", "monitor-smartphone"),
    ("Appearance", "/settings/appearance", "palette"),
)


def _settings(current: str, *content: rx.Component) -> rx.Component:
    tabs = [
        link(
            icon(icon_name, 16),
            label,
            to=path,
            class_name="tab",
            custom_attrs={"aria-current": "page" if label == current else "false"},
        )
        for label, path, icon_name in TABS
    ]
    return shell(
        rx.el.div(rx.el.h1("Settings", class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.nav(*tabs, class_name="tabs", aria_label="Settings"),
            rx.el.div(rx.el.h2(current, class_name="section-title"), *content, class_name="settings-body"),
            class_name="page-column scroll",
        ),
    )


def account() -> rx.Component:
    """Who one is, and the way out."""
    rows = (("Name", SessionState.name), ("E-mail", SessionState.email), ("Workspace", SessionState.workspace))
    return _settings(
        "Account",
        rx.el.dl(*(rx.el.div(rx.el.dt(name), rx.el.dd(value)) for name, value in rows), class_name="facts"),
        rx.el.p(text_link("Usage and limits", "/usage")),
        sign_out("button secondary"),
    )


def integrations() -> rx.Component:
    """What Leaf may read."""
    return _settings(
        "Integrations",
        outcome(problems=PROBLEMS, otherwise="", on_connected=SettingsState.confirm),
        integration_cards(),
    )


def sessions() -> rx.Component:
    """Where one is signed in."""
    return _settings(
        "Sessions",
        rx.el.p("Browsers that are signed in to your account. Sign out those that you do not know.", class_name="lead"),
        rx.el.ul(rx.foreach(SettingsState.sessions, _session), class_name="session-list"),
    )


def _session(row: Shown) -> rx.Component:
    return rx.el.li(
        icon("monitor-smartphone", 18),
        rx.el.div(rx.el.strong(row.device), rx.el.p(row.seen)),
        rx.cond(
            row.current,
            rx.el.span("This browser", class_name="tag"),
            button("Sign out", once=True, on_click=SettingsState.revoke(row.id), aria_label="Sign out " + row.device),
        ),
        key=row.id,
    )


def appearance() -> rx.Component:
    """Light, dark, or as the system has it."""
    return _settings(
        "Appearance",
        rx.el.div(
            *(
                rx.el.button(
                    rx.el.span(class_name=f"swatch {mode}"),
                    rx.el.span(icon(name, 16), mode.capitalize()),
                    type="button",
                    role="radio",
                    class_name="theme-choice",
                    custom_attrs={"aria-checked": theme_is(mode)},
                    on_click=set_color_mode(mode),
                )
                for mode, name in THEMES.items()
            ),
            role="radiogroup",
            aria_label="Theme",
            class_name="theme-choices",
        ),
    )
