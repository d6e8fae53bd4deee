"""Settings: account, integrations, sessions, appearance."""

import reflex as rx
from reflex.style import set_color_mode

from leaf import texts
from leaf.components.basics import Shown, button, icon, sign_out, text_link
from leaf.components.cards import integration_cards
from leaf.components.client import language_choice, link, outcome
from leaf.components.share import shared_links
from leaf.components.shell import shell
from leaf.components.sidebar import THEMES, theme_is
from leaf.components.texts import ago, t
from leaf.state.language import LanguageState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState


def _tabs() -> tuple[tuple[Shown, str, str], ...]:
    return (
        (t("settings.account"), "/settings", "user-round"),
        (t("settings.integrations"), "/settings/integrations", "plug"),
        (t("settings.sessions"), "/settings/sessions", "monitor-smartphone"),
        (t("sharing.links"), "/settings/shared", "link"),
        (t("settings.appearance"), "/settings/appearance", "palette"),
    )


def _settings(current: str, *content: rx.Component) -> rx.Component:
    tabs = [
        link(
            icon(icon_name, 16),
            label,
            to=path,
            class_name="tab",
            custom_attrs={"aria-current": "page" if path == current else "false"},
        )
        for label, path, icon_name in _tabs()
    ]
    title = next(label for label, path, _ in _tabs() if path == current)
    return shell(
        rx.el.div(rx.el.h1(t("settings.title"), class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.nav(*tabs, class_name="tabs", aria_label=t("settings.title")),
            rx.el.div(rx.el.h2(title, class_name="section-title"), *content, class_name="settings-body"),
            class_name="page-column scroll",
        ),
    )


def account() -> rx.Component:
    """Who one is, and the way out."""
    rows: tuple[tuple[Shown, Shown], ...] = (
        (t("settings.name"), SessionState.name),
        (t("settings.email"), SessionState.email),
        (t("settings.workspace"), SessionState.workspace),
    )
    return _settings(
        "/settings",
        rx.el.dl(*(rx.el.div(rx.el.dt(name), rx.el.dd(value)) for name, value in rows), class_name="facts"),
        rx.el.p(text_link(t("settings.usage"), "/usage")),
        sign_out("button secondary"),
    )


def integrations() -> rx.Component:
    """What Leaf may read."""
    problems = {
        "denied": t("settings.problem_denied"),
        "scope_missing": t("settings.problem_scope_missing"),
        "failed": t("settings.problem_failed"),
        "unavailable": t("settings.problem_unavailable"),
        "state": t("settings.problem_state"),
    }
    return _settings(
        "/settings/integrations",
        outcome(problems=problems, otherwise="", on_connected=SettingsState.confirm),
        integration_cards(),
    )


def sessions() -> rx.Component:
    """Where one is signed in."""
    return _settings(
        "/settings/sessions",
        rx.el.p(t("settings.sessions_lead"), class_name="lead"),
        rx.el.ul(rx.foreach(SettingsState.sessions, _session), class_name="session-list"),
    )


def _session(row: Shown) -> rx.Component:
    return rx.el.li(
        icon("monitor-smartphone", 18),
        rx.el.div(rx.el.strong(row.device), rx.el.p(ago(row.seen))),
        rx.cond(
            row.current,
            rx.el.span(t("settings.this_browser"), class_name="tag"),
            button(
                t("common.sign_out"),
                once=True,
                on_click=SettingsState.revoke(row.id),
                aria_label=t("settings.sign_out_device", device=row.device),
            ),
        ),
        key=row.id,
    )


def shared() -> rx.Component:
    """What one shares by links."""
    return _settings("/settings/shared", rx.el.p(t("sharing.links_lead"), class_name="lead"), shared_links())


def _choose(language: Shown) -> list[Shown]:
    return [LanguageState.choose(language), SettingsState.load]


def appearance() -> rx.Component:
    """Light, dark, or as the system has it, and the language."""
    names = {"light": t("settings.light"), "dark": t("settings.dark"), "system": t("settings.system")}
    return _settings(
        "/settings/appearance",
        rx.el.div(
            *(
                rx.el.button(
                    rx.el.span(class_name=f"swatch {mode}"),
                    rx.el.span(icon(name, 16), names[mode]),
                    type="button",
                    role="radio",
                    class_name="theme-choice",
                    custom_attrs={"aria-checked": theme_is(mode)},
                    on_click=set_color_mode(mode),
                )
                for mode, name in THEMES.items()
            ),
            role="radiogroup",
            aria_label=t("settings.theme"),
            class_name="theme-choices",
        ),
        rx.el.div(
            rx.el.label(t("settings.language"), html_for="language"),
            language_choice(names=texts.NAMES, on_choose=_choose),
            rx.el.p(t("settings.language_note"), class_name="small-note"),
            class_name="setting",
        ),
    )
