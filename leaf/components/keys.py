"""The section of Settings with a member's API keys."""

from typing import Any

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, list_or, shown_once
from leaf.components.texts import date, t
from leaf.services.api_keys import LIFETIMES_DAYS, NAME_CHARACTERS
from leaf.state.keys import KeysState


def made_key() -> rx.Component:
    """A key that was just created, with a button to copy it."""
    made = shown_once(t("keys.made"), KeysState.made, KeysState.done, class_name="setting wide")
    return rx.cond(KeysState.made != "", made)


def key_list() -> rx.Component:
    return rx.cond(KeysState.loaded, list_or(KeysState.keys, _row, rx.el.p(t("keys.none"), class_name="quiet-line")))


def _row(row: Shown) -> rx.Component:
    may = [
        rx.cond(allowed, rx.el.span(text, class_name="tag"))
        for allowed, text in (
            (row.read, t("keys.may_read")),
            (row.write, t("keys.may_write")),
            (row.drive, t("keys.may_drive")),
        )
    ]
    ends = rx.cond(row.ends == "", t("keys.no_end"), t("keys.ends", when=date(row.ends, dateStyle="medium")))
    used = rx.cond(row.used == "", t("keys.unused"), t("keys.used", when=date(row.used, dateStyle="medium")))
    return rx.el.li(
        icon("key-round", 18),
        rx.el.div(
            rx.el.strong(row.name, " ", rx.el.code(row.hint, "…")),
            rx.el.p(used, " · ", rx.cond(row.ended, t("keys.ended"), ends)),
            rx.el.p(*may),
        ),
        revoke_button(row.name, KeysState.revoke(row.id)),
        key=row.id,
    )


def revoke_button(name: Shown, on_click: Any) -> rx.Component:
    """The button that revokes a key with a name."""
    return button(t("keys.revoke"), once=True, on_click=on_click, aria_label=t("keys.revoke_named", name=name))


def new_key() -> rx.Component:
    scopes = (("read", t("keys.read")), ("write", t("keys.write")), ("drive", t("keys.drive")))
    days = {str(count): t("keys.days", count=count) for count in LIFETIMES_DAYS if count} | {"0": t("keys.never")}
    return rx.el.form(
        rx.el.label(t("keys.name"), html_for="key-name"),
        forms.line(
            id="key-name",
            name="name",
            placeholder=t("keys.name_placeholder"),
            max_length=NAME_CHARACTERS,
            required=True,
            auto_complete="off",
        ),
        rx.el.fieldset(
            rx.el.legend(t("keys.may")),
            *(
                rx.el.label(rx.el.input(type="checkbox", name=scope, default_checked=scope != "drive"), text)
                for scope, text in scopes
            ),
            class_name="checks",
        ),
        rx.el.label(t("keys.lasts"), html_for="key-days"),
        forms.select(days, id="key-days", name="days", default_value="90"),
        button(t("keys.create"), kind="primary", type="submit"),
        on_submit=KeysState.create,
        reset_on_submit=True,
        class_name="setting wide",
    )
