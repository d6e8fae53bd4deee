"""Saying something of Leaf, signed in or not."""

import reflex as rx

from leaf.components.basics import button, icon, mark, skip_link, text_link
from leaf.components.shell import overlay
from leaf.components.texts import t
from leaf.services.feedback import COMMENT_CHARACTERS
from leaf.state.feedback import FeedbackState


def feedback() -> rx.Component:
    """The page."""
    return rx.el.div(
        skip_link(),
        rx.el.header(text_link(rx.el.span(mark(28), "Leaf", class_name="brand"), "/"), class_name="landing-top"),
        rx.el.main(
            rx.el.h1(t("account.send_feedback")),
            rx.cond(FeedbackState.sent, _thanks(), _form()),
            id="main",
            tab_index=-1,
            class_name="narrow",
        ),
        overlay(),
        class_name="landing",
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.p(t("account.feedback_lead"), class_name="lead"),
        rx.el.label(t("account.feedback_label"), html_for="comment"),
        rx.el.textarea(
            id="comment",
            name="comment",
            max_length=COMMENT_CHARACTERS,
            rows="7",
            required=True,
            class_name="field area",
        ),
        rx.el.p(t("account.feedback_note"), class_name="small-note"),
        button(t("account.send"), kind="primary", type="submit"),
        on_submit=FeedbackState.send,
        class_name="setting wide",
    )


def _thanks() -> rx.Component:
    return rx.el.div(
        rx.el.p(icon("check", 18), t("account.feedback_thanks"), role="status", class_name="thanks"),
        rx.el.div(
            button(t("account.feedback_more"), on_click=FeedbackState.begin),
            text_link(t("account.to_leaf"), "/dashboard", class_name="button primary"),
            class_name="field-row",
        ),
        class_name="stack",
    )
