"""The sections of Settings, with the navigation between them."""

from collections.abc import Sequence

import reflex as rx
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData

from leaf.components.basics import Shown, icon
from leaf.components.client import link
from leaf.components.shell import shell
from leaf.components.texts import t

_IN_MIDDLE: Shown = rx.Var(
    "{ref: inMiddle}", _var_data=VarData(imports={"$/public/client/shell.js": [ImportVar(tag="inMiddle")]})
)
"""Scrolls the open tab into view, because on a phone the tabs are wider than the page."""


def _sections() -> tuple[tuple[Shown, str, str], ...]:
    return (
        (t("account.profile"), "/settings", "user-round"),
        (t("settings.appearance"), "/settings/appearance", "palette"),
        (t("account.answers"), "/settings/answers", "message-square-text"),
        (t("settings.sessions"), "/settings/sessions", "monitor-smartphone"),
        (t("account.usage"), "/usage", "chart-column"),
        (t("settings.integrations"), "/settings/integrations", "plug"),
        (t("watches.title"), "/settings/watched", "bell"),
        (t("sharing.links"), "/settings/shared", "link"),
        (t("imports.title"), "/settings/import", "file-input"),
        (t("keys.title"), "/settings/keys", "key-round"),
        (t("sites.title"), "/settings/sites", "app-window"),
        (t("account.data"), "/settings/data", "shield"),
    )


def section(
    current: str, *content: rx.Component, heading: Shown = None, trail: Sequence[rx.Component] = ()
) -> rx.Component:
    """A section of Settings.

    Args:
        current: The path of the section.
        content: The content under its heading.
        heading: The heading; by default the name of the section.
        trail: For a page within the section, the links that lead from the section to the page.
    """
    tabs = [
        link(
            icon(icon_name, 16),
            label,
            to=path,
            class_name="tab",
            custom_attrs={"aria-current": "page" if path == current else "false"},
            special_props=[_IN_MIDDLE] if path == current else [],
        )
        for label, path, icon_name in _sections()
    ]
    title = next(label for label, path, _ in _sections() if path == current)
    way: list[rx.Component] = []
    if trail:
        steps = (link(title, to=current), *trail)
        way = [rx.el.nav(rx.el.ol(*map(rx.el.li, steps)), aria_label=t("common.trail"), class_name="trail")]
    return shell(
        rx.el.div(rx.el.h1(t("settings.title"), class_name="chat-title"), class_name="title-row"),
        rx.el.div(
            rx.el.nav(*tabs, class_name="tabs sections", aria_label=t("settings.title")),
            rx.el.div(
                *way,
                rx.el.h2(title if heading is None else heading, class_name="section-title"),
                *content,
                class_name="settings-body",
            ),
            class_name="page-column scroll",
        ),
    )
