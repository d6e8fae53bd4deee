"""The part of the Drive to which a chat or a project is limited."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, icon_button, match, menu_item
from leaf.components.client import link
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.scope import Scoped


def scope_chips() -> rx.Component:
    """The scope of the open chat, above its composer; nothing if the chat is not limited."""
    chips: Shown = ChatState.scope
    return rx.cond((chips.length() > 0) | ChatState.narrows, scope_of(ChatState, t("library.scope")))


def scope_of(state: type[Scoped], label: Shown, none: Shown = None) -> rx.Component:
    """The conditions of a scope as removable chips, and the form that adds conditions.

    `none` replaces the chips if there are no conditions.
    """
    chips: Shown = state.scope

    def draw(chip: Shown) -> rx.Component:
        return _chip(chip, state)

    shown = rx.el.ul(rx.foreach(chips, draw), class_name="chips")
    instead = [] if none is None else [rx.el.span(none, class_name="small-note")]
    return rx.el.section(
        rx.cond(chips.length() > 0, shown, *instead),
        rx.cond(state.narrows, _form(state), _opener(state)),
        aria_label=label,
        class_name="scope",
    )


def scope_item() -> rx.Component:
    """The item of the chat's menu that opens the form for the scope."""
    return menu_item("list-filter", t("library.limit"), ChatState.ask_scope(True))


def _chip(chip: Shown, state: type[Scoped]) -> rx.Component:
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
            on_click=state.widen(chip.kind, chip.id),
        ),
        key=chip.kind.to(str) + ":" + chip.id.to(str),
        class_name="chip",
    )


def _opener(state: type[Scoped]) -> rx.Component:
    return rx.el.button(
        icon("list-filter", 15),
        t("library.narrow"),
        type="button",
        class_name="text-button",
        on_click=state.ask_scope(True),
    )


def _form(state: type[Scoped]) -> rx.Component:
    kinds = {
        "": t("library.any_kind"),
        "document": t("library.kind_document"),
        "spreadsheet": t("library.kind_spreadsheet"),
        "presentation": t("library.kind_presentation"),
        "pdf": t("library.kind_pdf"),
        "text": t("library.kind_text"),
        "image": t("library.kind_image"),
    }
    place = forms.line(name="place", id="scope-place", max_length=2000, placeholder=t("library.place_hint"))
    return rx.el.form(
        forms.field(t("library.place_label"), place, of="scope-place", class_name="scope-place"),
        forms.field(t("library.kind_label"), forms.select(kinds, name="kind", id="scope-kind"), of="scope-kind"),
        forms.field(
            t("library.since_label"), forms.line(name="since", type="date", id="scope-since"), of="scope-since"
        ),
        button(t("library.apply"), type="submit", kind="primary"),
        button(t("common.cancel"), on_click=state.ask_scope(False)),
        # The page *Files* starts a new chat about a folder, so a project does not link to it.
        *([link(t("library.choose"), to="/files", class_name="text-button")] if state is ChatState else []),
        on_submit=state.narrow,
        class_name="scope-form",
    )
