"""The part of the Drive to which a chat is limited, above its composer."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, icon_button, match, menu_item
from leaf.components.client import link
from leaf.components.texts import t
from leaf.state.chat import ChatState


def scope_chips() -> rx.Component:
    """The conditions as chips that can be removed, and the form for the kind of files and the date."""
    chips: Shown = ChatState.scope
    return rx.cond(
        (chips.length() > 0) | ChatState.narrows,
        rx.el.section(
            rx.cond(chips.length() > 0, rx.el.ul(rx.foreach(chips, _chip), class_name="chips")),
            rx.cond(ChatState.narrows, _form(), _opener()),
            aria_label=t("library.scope"),
            class_name="scope",
        ),
    )


def scope_item() -> rx.Component:
    """The item of the chat's menu that opens the form."""
    return menu_item("list-filter", t("library.limit"), ChatState.ask_scope(True))


def _chip(chip: Shown) -> rx.Component:
    return rx.el.li(
        match(
            chip.kind,
            ("folder", icon("folder", 15)),
            ("since", icon("calendar", 15)),
            icon("file-text", 15),
        ),
        rx.el.span(rx.el.span(chip.name, class_name="chip-name"), class_name="chip-text"),
        icon_button(
            t("library.remove", name=chip.name),
            "x",
            size=14,
            class_name="small",
            on_click=ChatState.widen(chip.kind, chip.id),
        ),
        key=chip.kind.to(str) + ":" + chip.id.to(str),
        class_name="chip",
    )


def _opener() -> rx.Component:
    return rx.el.button(
        icon("list-filter", 15),
        t("library.narrow"),
        type="button",
        class_name="text-button",
        on_click=ChatState.ask_scope(True),
    )


def _form() -> rx.Component:
    kinds = {
        "": t("library.any_kind"),
        "document": t("library.kind_document"),
        "spreadsheet": t("library.kind_spreadsheet"),
        "presentation": t("library.kind_presentation"),
        "pdf": t("library.kind_pdf"),
        "text": t("library.kind_text"),
        "image": t("library.kind_image"),
    }
    return rx.el.form(
        forms.field(t("library.kind_label"), forms.select(kinds, name="kind", id="scope-kind"), of="scope-kind"),
        forms.field(
            t("library.since_label"), forms.line(name="since", type="date", id="scope-since"), of="scope-since"
        ),
        button(t("library.apply"), type="submit", kind="primary"),
        button(t("common.cancel"), on_click=ChatState.ask_scope(False)),
        link(t("library.choose"), to="/files", class_name="text-button"),
        on_submit=ChatState.narrow,
        class_name="scope-form",
    )
