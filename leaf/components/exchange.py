"""The export of a chat as a file, and the import of chats from files."""

from typing import Any

import reflex as rx
from reflex_base.vars.function import FunctionVar

from leaf.components import links
from leaf.components.basics import Shown, button, each, icon, menu_item
from leaf.components.client import anchor
from leaf.components.files import upload_list, upload_zone
from leaf.components.texts import date, t
from leaf.parts import portable
from leaf.state.chat import ChatState
from leaf.state.imports import ImportState
from leaf.state.sidebar import SidebarState

PRINT_PAGE: Any = rx.Var("(() => setTimeout(() => window.print()))").to(FunctionVar)
"""Opens the browser's print dialog in a later task, after the menu has closed."""
_UPLOADS = "imports"
"""The name of the list of uploads."""


def export_items(chat_id: Shown) -> list[rx.Component]:
    """Menu items that download a chat as Markdown or JSON. The server chooses the file name."""
    kinds = (("file-text", t("imports.markdown"), "md"), ("braces", t("imports.json"), "json"))
    return [
        anchor(
            icon(icon_name, 16),
            label,
            href=links.backend("/api/chats/") + chat_id.to(str) + f"/export.{ending}",
            role="menuitem",
            class_name="menu-item",
            custom_attrs={"download": ""},
        )
        for icon_name, label, ending in kinds
    ]


def archive_item(archived: Shown, chat_id: Shown) -> rx.Component:
    """The menu item that archives a chat, or restores it from the archive."""
    return rx.cond(
        archived,
        menu_item("archive-restore", t("sidebar.restore"), SidebarState.do("unarchive", [chat_id])),
        menu_item("archive", t("sidebar.archive"), SidebarState.do("archive", [chat_id])),
    )


def print_item() -> rx.Component:
    return menu_item("printer", t("imports.print"), PRINT_PAGE)


def imported_note() -> rx.Component:
    """A note with the origin of an imported chat; nothing for other chats."""
    return rx.cond(
        ChatState.imported != "",
        rx.el.p(
            icon("file-input", 15),
            rx.cond(ChatState.imported == "chatgpt", t("imports.from_chatgpt"), t("imports.from_leaf")),
            class_name="imported-note",
        ),
    )


def imports() -> rx.Component:
    """The section of Settings for imports."""
    shown: Shown = ImportState.imports
    return rx.fragment(
        rx.el.p(t("imports.lead"), class_name="lead"),
        rx.el.ul(
            rx.el.li(icon("leaf", 15), t("imports.leaf_files")),
            rx.el.li(icon("message-square-text", 15), t("imports.chatgpt_files")),
            class_name="import-kinds",
        ),
        import_zone(),
        upload_list(place=_UPLOADS),
        rx.cond(
            shown.length() > 0,
            rx.el.ul(
                rx.foreach(shown, _import), class_name="import-list", aria_label=t("imports.list"), aria_live="polite"
            ),
        ),
    )


@rx.memo
def import_zone() -> rx.Component:
    """The button and drop zone that upload a file with chats."""
    return upload_zone(
        _UPLOADS,
        links.backend("/api/imports"),
        rx.fragment(icon("file-input", 15), t("imports.choose")),
        t("imports.drop", limit=f"{portable.FILE_BYTES // 1_000_000} MB"),
        limit=portable.FILE_BYTES,
        accept=".json,.zip,application/json,application/zip",
        aria_label=t("imports.file"),
    )


def _import(one: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.cond(
                one.failed,
                rx.el.span(icon("triangle-alert", 17), class_name="step-icon warn"),
                rx.cond(one.going, icon("file-clock", 17), icon("file-check", 17)),
            ),
            rx.el.div(
                rx.el.strong(one.name, class_name="file-path"),
                rx.el.p(one.text),
                rx.cond(
                    one.going,
                    rx.el.progress(
                        value=one.percent.to_string(), max="100", aria_label=t("imports.progress_of", name=one.name)
                    ),
                    rx.el.p(date(one.began, dateStyle="medium", timeStyle="short"), class_name="small-note"),
                ),
                class_name="import-about",
            ),
            button(
                rx.cond(one.going, t("common.cancel"), t("imports.dismiss")),
                once=True,
                on_click=ImportState.remove(one.id),
                aria_label=rx.cond(
                    one.going, t("imports.cancel_of", name=one.name), t("imports.dismiss_of", name=one.name)
                ),
            ),
            class_name="import-row",
        ),
        rx.cond(
            one.problems.length() > 0,
            rx.el.details(
                rx.el.summary(t("imports.problems"), icon("chevron-right", 15), class_name="step-head"),
                rx.el.ul(
                    each(one.problems, lambda problem: rx.el.li(rx.el.strong(problem.title), " ", problem.reason)),
                    rx.cond(one.more > 0, rx.el.li(t("imports.more_problems", count=one.more))),
                    class_name="import-problems",
                ),
                class_name="rests",
            ),
        ),
        key=one.id,
        class_name="import-one",
    )
