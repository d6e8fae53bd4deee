"""Trying an agent out."""

import reflex as rx

from leaf.components.basics import Shown, banner, button
from leaf.components.texts import t
from leaf.state.playground import PlaygroundState


def playground() -> rx.Component:
    """A question to the agent, and its answer as text."""
    return rx.el.section(
        rx.el.h3(t("sites.try_out")),
        rx.el.p(t("sites.try_out_note"), class_name="small-note"),
        rx.el.form(
            rx.el.label(t("sites.question"), html_for="playground-question"),
            rx.el.textarea(
                name="content", id="playground-question", rows="2", required=True, max_length=8000,
                class_name="field area",
            ),
            button(t("sites.ask"), type="submit", disabled=PlaygroundState.busy),
            on_submit=PlaygroundState.ask,
            class_name="setting wide",
        ),
        rx.cond(
            PlaygroundState.asked != "",
            rx.el.div(
                rx.el.p(rx.el.strong(PlaygroundState.asked)),
                rx.foreach(PlaygroundState.tools, _tool),
                rx.el.pre(PlaygroundState.told, class_name="event-text playground-answer"),
                rx.cond(PlaygroundState.problem != "", banner("error", "circle-alert", PlaygroundState.problem)),
                aria_live="polite",
            ),
        ),
        class_name="card stack",
    )  # fmt: skip


def _tool(name: Shown) -> rx.Component:
    return rx.el.span(name, class_name="tag")
