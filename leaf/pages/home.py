"""The landing page."""

import reflex as rx

from leaf.components.basics import go, icon, mark, skip_link
from leaf.components.client import drafts, outcome
from leaf.components.shell import overlay
from leaf.services import accounts
from leaf.state.landing import GENERAL_PROBLEM, PROBLEMS, LandingState

POINTS = (
    (
        "book-open",
        "Answers with their sources",
        "Every file that was read is listed, with the passage and a link into your Drive.",
    ),
    (
        "infinity",
        "Answers that survive",
        "Close the tab, lose the connection, restart the server: the answer goes on and is there when you come back.",
    ),
    (
        "lock",
        "Yours alone",
        "Read only, with your own permissions. Leaf is self-hosted: your chats stay on your server.",
    ),
)


def home() -> rx.Component:
    """What Leaf is, and the sign-in."""
    sign_in = [
        go(provider.button, f"/auth/{provider.id}/start", kind="primary large", next=LandingState.next_path)
        for provider in accounts.sign_in_providers()
    ]
    return rx.el.div(
        skip_link(),
        rx.el.header(rx.el.span(mark(28), "Leaf", class_name="brand"), class_name="landing-top"),
        rx.el.main(
            rx.el.section(
                outcome(problems=PROBLEMS, otherwise=GENERAL_PROBLEM),
                rx.el.h1("Ask your Drive."),
                rx.el.p(
                    "Leaf reads the files that your question needs, answers in plain words, and shows where each "
                    "answer comes from.",
                    class_name="landing-lead",
                ),
                rx.el.div(*sign_in, class_name="landing-actions"),
                rx.el.p(
                    rx.cond(
                        LandingState.next_path != "/dashboard",
                        "Sign in, and you are taken to the page you asked for.",
                        "Signing in shares your name and e-mail address only. You connect your Drive afterwards.",
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
                    for name, title, text in POINTS
                ),
                class_name="points",
                aria_label="What Leaf does",
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
        rx.el.div("What is our travel budget for next year?", class_name="bubble"),
        rx.el.div(icon("check", 15), "Searched Drive for “travel budget” · read 2 files", class_name="picture-steps"),
        rx.el.p(
            "The travel budget for next year is ",
            rx.el.strong("€ 48,000"),
            ", a fifth less than this year, because two conferences moved online.",
        ),
        rx.el.div(
            rx.el.span(rx.el.b("1"), icon("sheet", 14), "Budget plan"),
            rx.el.span(rx.el.b("2"), icon("file-text", 14), "Board minutes"),
            class_name="picture-sources",
        ),
        class_name="picture",
        aria_hidden=True,
    )
