"""The line in a chat which says that the messages above it were summarised for the model."""

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.texts import t
from leaf.state.chat import ChatState


def summarised(message_id: Shown) -> rx.Component:
    """The line with the summary, under the last answer that the summary covers.

    The summary is shown as plain text: it was written from documents, so nothing in it is rendered.
    """
    line = rx.el.details(
        rx.el.summary(
            rx.el.span(icon("fold-vertical", 15), class_name="step-icon"),
            rx.el.span(t("chat.summarised"), class_name="step-text"),
            icon("chevron-right", 15),
            class_name="step-head",
        ),
        rx.el.p(
            t("chat.summarised_text"),
            class_name="small-note",
        ),
        rx.el.p(ChatState.summary, class_name="summary-text"),
        class_name="steps summarised",
    )
    return rx.cond(message_id == ChatState.summarised_to, line)
