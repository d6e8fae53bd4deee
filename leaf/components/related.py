"""Questions that could follow an answer: a click asks one."""

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.live import LiveState


def related(item: Shown) -> rx.Component:
    """The questions below the last answer; the places of those to come while they are written."""
    return rx.el.section(
        rx.cond(item.state == "running", rx.el.div(class_name="bone", style={"width": "46%"}, aria_hidden=True)),
        rx.el.ul(rx.foreach(item.steps, _question), class_name="related-list"),
        aria_label=t("messages.related"),
        class_name="related",
        custom_attrs={"data-state": item.state},
    )


def _question(question: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            icon("corner-down-right", 15),
            question.text,
            type="button",
            class_name="related-question",
            on_click=ChatState.send(ChatState.chat_id, question.text),
            disabled=LiveState.running,
        ),
        key=question.id,
    )
