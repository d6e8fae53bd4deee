"""Feedback on an answer: two thumbs, and a comment box once one is chosen."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon_button
from leaf.components.texts import t
from leaf.services.feedback import COMMENT_CHARACTERS
from leaf.state.feedback import REASONS, FeedbackState


def thumbs(run_id: Shown) -> rx.Component:
    """The two thumbs among the actions of an answer. The chosen one is highlighted, and a second click removes the
    rating.
    """
    return rx.el.span(
        _thumb(run_id, "up", "thumbs-up", t("account.good_answer")),
        _thumb(run_id, "down", "thumbs-down", t("account.bad_answer")),
        role="group",
        aria_label=t("account.what_you_think"),
        class_name="thumbs",
    )


def _thumb(run_id: Shown, sentiment: str, icon_name: str, label: Shown) -> rx.Component:
    thumbs: Shown = FeedbackState.thumbs
    return icon_button(
        label,
        icon_name,
        size=15,
        class_name="small thumb",
        on_click=FeedbackState.choose(run_id, sentiment),
        custom_attrs={"aria-pressed": thumbs[run_id] == sentiment},
    )


def _reason(name: str, words: Shown) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="checkbox", name="reasons-" + name, id="reason-" + name), words, class_name="feedback-reason"
    )


def comment(run_id: Shown) -> rx.Component:
    """The comment box under the answer that was just rated. For a bad rating it has reasons to tick."""
    thumbs: Shown = FeedbackState.thumbs
    question = rx.cond(thumbs[run_id] == "down", t("account.what_was_wrong"), t("account.what_was_good"))
    return rx.cond(
        (FeedbackState.asking == run_id) & (run_id != ""),
        rx.el.form(
            rx.el.label(question, html_for="feedback-comment"),
            rx.cond(
                thumbs[run_id] == "down",
                rx.el.fieldset(
                    rx.el.legend(t("account.reasons"), class_name="unseen"),
                    *(_reason(name, t(key)) for name, key in REASONS.items()),
                    class_name="feedback-reasons",
                ),
            ),
            forms.area(id="feedback-comment", name="comment", max_length=COMMENT_CHARACTERS, rows="3"),
            rx.el.p(t("account.comment_note"), class_name="small-note"),
            rx.el.div(
                button(t("account.no_comment"), on_click=FeedbackState.close),
                button(t("account.send"), kind="primary", type="submit"),
                class_name="modal-row",
            ),
            on_submit=FeedbackState.comment,
            class_name="feedback-box",
        ),
    )
