"""Watched questions: the button and line under an answer, the dialog, the list, and the entry in the sidebar."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, icon_button, list_or, modal_row, needs_server
from leaf.components.client import link
from leaf.components.controls import modal
from leaf.components.texts import t
from leaf.state.change_dialogs import ChangeDialogState
from leaf.state.chat import ChatState
from leaf.state.watches import WatchesState

PATH = "/settings/watched"


def watch_button(message_id: Shown) -> rx.Component:
    return icon_button(
        t("watches.watch"), "bell", size=15, class_name="small", on_click=WatchesState.ask(message_id, "change")
    )


def line(message_id: Shown, coverage: Shown) -> rx.Component:
    """The line under an answer about watches.

    If a watch of any member has requested the answer, the line says so. If the answer found nothing in Drive
    (`Coverage.absent`), the line offers to tell the member when something appears.
    """
    own: Shown = WatchesState.lines
    others: Shown = ChatState.asked_again
    words: Shown = rx.cond(own.contains(message_id), own[message_id], others[message_id])
    compare = ChangeDialogState.compare_versions(message_id)
    requested = rx.el.div(
        icon("bell-ring", 15),
        rx.el.span(words),
        button(t("watches.difference"), kind="secondary small", on_click=compare),
        role="group",
        aria_label=words,
        class_name="living",
    )
    offer = rx.el.div(
        icon("bell", 15),
        button(t("watches.tell_when"), kind="secondary small", on_click=WatchesState.ask(message_id, "appear")),
        class_name="living",
    )
    is_requested = own.contains(message_id) | others.contains(message_id)
    return rx.cond(is_requested, requested, rx.cond(coverage.absent, offer))


def dialog() -> rx.Component:
    """The dialog that starts or stops a watch of a question. The page of a chat has it once."""
    kinds = {"change": t("watches.kind_change"), "appear": t("watches.kind_appear")}
    periods = {"day": t("watches.daily"), "week": t("watches.weekly")}
    return modal(
        rx.el.form(
            rx.el.h2(t("watches.watch")),
            rx.el.p(t("watches.lead"), class_name="small-note"),
            forms.field(
                t("watches.kind"),
                forms.select(kinds, name="kind", default_value=WatchesState.kind, id="watch-kind"),
                of="watch-kind",
            ),
            forms.field(
                t("watches.period"),
                forms.select(periods, name="every", default_value=WatchesState.every, id="watch-period"),
                of="watch-period",
            ),
            modal_row(
                WatchesState.close,
                rx.cond(
                    WatchesState.watched != "",
                    button(t("watches.stop"), on_click=WatchesState.end(WatchesState.watched)),
                ),
                button(t("watches.watch"), kind="primary", type="submit"),
            ),
            key=WatchesState.message_id + WatchesState.watched,
            on_submit=WatchesState.begin,
            class_name="watch-form",
        ),
        open=WatchesState.message_id != "",
        label=t("watches.watch"),
        on_close=WatchesState.close,
    )


def watch_list() -> rx.Component:
    """The list of watched questions. Questions with news come first."""
    none = rx.el.p(t("watches.none"), class_name="lead")
    return list_or(WatchesState.listed, _row, none, class_name="session-list watched-list")


def mail_choice() -> rx.Component:
    """The checkbox for the daily e-mail; nothing if this Leaf sends no e-mail."""
    mails: Shown = WatchesState.mails
    wanted = mails == "on"
    return rx.cond(
        mails != "",
        rx.el.div(
            rx.el.label(
                rx.el.input(type="checkbox", checked=wanted, on_change=WatchesState.mail(~wanted)),
                " ",
                t("watches.mail_choice"),
            ),
            rx.el.p(t("watches.mail_note"), class_name="small-note"),
            class_name="setting",
        ),
    )


def _row(row: Shown) -> rx.Component:
    return rx.el.li(
        rx.cond(row.news, icon("bell-ring", 18), icon("bell", 18)),
        rx.el.div(
            link(rx.el.strong(row.question), to="/chat/" + row.chat.to(str)),
            rx.el.p(row.note),
        ),
        rx.cond(row.news, rx.el.span(t("watches.news"), class_name="tag")),
        button(t("watches.stop"), once=True, on_click=WatchesState.end(row.id)),
        key=row.id,
    )


def sidebar_entry() -> rx.Component:
    """The entry in the sidebar, with the number of questions with news; nothing if no question is watched."""
    listed: Shown = WatchesState.listed
    label = rx.cond(WatchesState.news > 0, t("watches.title_news", count=WatchesState.news), t("watches.title"))
    return rx.cond(
        listed.length() > 0,
        link(
            icon("bell"),
            rx.el.span(t("watches.title"), class_name="word"),
            rx.cond(WatchesState.news > 0, rx.el.span(WatchesState.news, class_name="tag watch-news")),
            to=PATH,
            class_name="nav-item",
            aria_label=label,
            custom_attrs=needs_server(),
        ),
    )
