"""The usage of an answer, shown under it on request."""

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.texts import t
from leaf.state.details import DetailsState
from leaf.views.amounts import Spent


def details_button(run_id: Shown) -> rx.Component:
    shown: Shown = DetailsState.spent
    return rx.el.button(
        icon("info", 15),
        rx.el.span(t("messages.details"), class_name="wide-only"),
        type="button",
        aria_label=t("messages.details"),
        title=t("messages.details"),
        class_name="text-button",
        aria_expanded=shown.contains(run_id),
        on_click=DetailsState.toggle_spent(run_id),
        custom_attrs={"data-keeps-place": "true"},
    )


def details(run_id: Shown) -> rx.Component:
    """The model, tokens, cost and time of an answer; nothing until the reader opens them."""
    shown: Shown = DetailsState.spent
    spent = shown[run_id].to(Spent)
    return rx.cond(
        shown.contains(run_id),
        rx.el.div(
            rx.cond(spent.note != "", rx.el.p(spent.note, class_name="small-note")),
            facts(spent.facts),
            class_name="spent",
        ),
    )


def facts(found: Shown) -> rx.Component:
    """A list of names with their values, one per line."""

    def fact(one: Shown) -> rx.Component:
        return rx.el.div(rx.el.dt(one.name), rx.el.dd(one.value), key=one.name)

    return rx.el.dl(rx.foreach(found, fact), class_name="small-facts")
