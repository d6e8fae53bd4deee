"""Pages outside the app's frame: the landing page, feedback, the farewell, and the page for wrong addresses."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, centred, go, icon, mark, skip_link
from leaf.components.client import anchor, drafts, language, link
from leaf.components.notices import outcome
from leaf.components.shell import overlay
from leaf.components.texts import t
from leaf.google import providers
from leaf.services.feedback import COMMENT_CHARACTERS
from leaf.state.feedback import FeedbackState
from leaf.state.landing import LandingState
from leaf.state.language import LanguageState

_ACCESS = "https://myaccount.google.com/connections"


def _points() -> tuple[tuple[str, Shown, Shown], ...]:
    return (
        ("book-open", t("landing.sources_title"), t("landing.sources_text")),
        ("infinity", t("landing.survive_title"), t("landing.survive_text")),
        ("lock", t("landing.yours_title"), t("landing.yours_text")),
    )


def home() -> rx.Component:
    """The introduction to Leaf, and the sign-in."""
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
        for provider in providers.listed()
    ]
    # Entry without an account, if guests are allowed.
    try_out = rx.cond(LandingState.guests, go(t("guest.try"), "/auth/guest", kind="secondary large"))
    return rx.el.div(
        skip_link(),
        rx.el.header(rx.el.span(mark(28), "Leaf", class_name="brand"), class_name="landing-top"),
        rx.el.main(
            rx.el.section(
                outcome(problems=problems, otherwise=t("landing.problem")),
                rx.el.h1(t("landing.title")),
                rx.el.p(t("landing.lead"), class_name="landing-lead"),
                rx.el.div(*sign_in, try_out, class_name="landing-actions"),
                rx.el.p(
                    rx.cond(
                        (LandingState.next_path != "/dashboard") & (LandingState.next_path != ""),
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
        rx.el.footer(link(t("account.send_feedback"), to="/feedback?page=/", class_name="fine-print")),
        drafts(person="", deleted="", stranger=LandingState.nobody),
        overlay(),
        class_name="landing",
    )


def _picture() -> rx.Component:
    """A small illustration of a conversation, made of HTML."""
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


def feedback() -> rx.Component:
    """The page for feedback on Leaf, with or without sign-in."""
    return rx.el.div(
        skip_link(),
        rx.el.header(link(rx.el.span(mark(28), "Leaf", class_name="brand"), to="/"), class_name="landing-top"),
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
    sentiments: dict[str, Shown] = {
        "": "–",
        "up": t("account.good"),
        "neutral": t("account.neutral"),
        "down": t("account.bad"),
    }
    return rx.el.form(
        rx.el.p(t("account.feedback_lead"), class_name="lead"),
        rx.el.label(t("account.feedback_sentiment"), html_for="sentiment"),
        forms.select(sentiments, id="sentiment", name="sentiment"),
        rx.el.label(t("account.feedback_label"), html_for="comment"),
        forms.area(id="comment", name="comment", max_length=COMMENT_CHARACTERS, rows="7", required=True),
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
            link(t("account.to_leaf"), to="/dashboard", class_name="button primary"),
            class_name="field-row",
        ),
        class_name="stack",
    )


def goodbye() -> rx.Component:
    """The page after the deletion of an account. The parameter `google` of its address selects a note."""
    asked: rx.Var[str] = rx.State.router.url.query  # pyright: ignore[reportAssignmentType] - a var where pages are drawn
    return rx.el.main(
        rx.el.div(
            mark(36),
            rx.el.h1(t("account.goodbye")),
            rx.el.p(t("account.goodbye_text")),
            rx.cond(
                asked.contains("google=unreached"),
                rx.el.p(
                    t("account.goodbye_google"),
                    " ",
                    anchor(t("account.goodbye_access"), href=_ACCESS, rel="noreferrer", class_name="plain-link"),
                    role="alert",
                ),
            ),
            link(t("account.goodbye_back"), to="/", class_name="button secondary"),
            class_name="centred",
        ),
        drafts(person="", deleted="", stranger=True, farewell=True),
        overlay(),
        id="main",
        class_name="main alone",
    )


def missing() -> rx.Component:
    """The page for every wrong address."""
    return rx.el.div(
        rx.el.header(link(rx.el.span(mark(28), "Leaf", class_name="brand"), to="/"), class_name="landing-top"),
        rx.el.main(
            centred(
                "leaf",
                t("common.missing_title"),
                rx.el.p(t("common.missing_text")),
                link(t("common.go_to_leaf"), to="/dashboard", class_name="button secondary"),
            ),
            class_name="narrow",
        ),
        language(chosen=LanguageState.chosen),
        class_name="landing",
    )
