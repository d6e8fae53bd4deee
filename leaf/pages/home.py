"""The landing page."""

import reflex as rx

from leaf.components.basics import Shown, go, icon, mark, skip_link
from leaf.components.client import drafts
from leaf.components.guest import try_out
from leaf.components.notices import outcome
from leaf.components.shell import overlay
from leaf.components.texts import t
from leaf.services import accounts
from leaf.state.landing import LandingState


def _points() -> tuple[tuple[str, Shown, Shown], ...]:
    return (
        ("book-open", t("landing.sources_title"), t("landing.sources_text")),
        ("infinity", t("landing.survive_title"), t("landing.survive_text")),
        ("lock", t("landing.yours_title"), t("landing.yours_text")),
    )


def home() -> rx.Component:
    """Introduction to Leaf, and the sign-in."""
    problems = {
        "denied": t("landing.problem_denied"),
        "unavailable": t("landing.problem_unavailable"),
        "state": t("landing.problem_state"),
    }
    sign_in = [
        go(
            t("landing.sign_in", provider=provider.label),
            f"/auth/{provider.id}/start",
            kind="primary large",
            next=LandingState.next_path,
        )
        for provider in accounts.sign_in_providers()
    ]
    return rx.el.div(
        skip_link(),
        rx.el.header(rx.el.span(mark(28), "Leaf", class_name="brand"), class_name="landing-top"),
        rx.el.main(
            rx.el.section(
                outcome(problems=problems, otherwise=t("landing.problem")),
                rx.el.h1(t("landing.title")),
                rx.el.p(t("landing.lead"), class_name="landing-lead"),
                rx.el.div(*sign_in, try_out(), class_name="landing-actions"),
                rx.el.p(
                    rx.cond(
                        LandingState.next_path != "/dashboard",
                        t("landing.then_page"),
                        t("landing.shares"),
                    ),
                    class_name="fine-print",
                ),
                class_name="landing-hero",
            ),
            _picture(),
            rx.el.section(
                *(
                    rx.el.div(
                        rx.el.span(icon(name, 20), class_name="point-icon"),
                        rx.el.h2(title),
                        rx.el.p(text),
                        class_name="point",
                    )
                    for name, title, text in _points()
                ),
                class_name="points",
                aria_label=t("landing.points"),
            ),
            id="main",
            tab_index=-1,
        ),
        drafts(person="", deleted="", stranger=True),
        overlay(),
        class_name="landing",
    )


def _picture() -> rx.Component:
    """A small picture of a conversation, drawn by the page itself."""
    return rx.el.div(
        rx.el.div(t("landing.picture_question"), class_name="bubble"),
        rx.el.div(icon("check", 15), t("landing.picture_steps"), class_name="picture-steps"),
        rx.el.p(
            t("landing.picture_answer_before"),
            rx.el.strong(t("landing.picture_amount")),
            t("landing.picture_answer_after"),
        ),
        rx.el.div(
            rx.el.span(rx.el.b("1"), icon("sheet", 14), t("landing.picture_plan")),
            rx.el.span(rx.el.b("2"), icon("file-text", 14), t("landing.picture_minutes")),
            class_name="picture-sources",
        ),
        class_name="picture",
        aria_hidden=True,
    )
