"""Suggested questions, shown in an empty chat and on the dashboard."""

from collections.abc import Callable

import reflex as rx

from leaf.components.basics import Shown, icon, match
from leaf.components.texts import t
from leaf.services.suggestions import MOST
from leaf.state.suggestions import SuggestionsState

Ask = Callable[[Shown], Shown]
"""A function that returns the event that sends a text as a question."""


def suggestions(ask: Ask) -> rx.Component:
    """Cards that ask a question about the member's Drive when clicked. Their place is reserved until they are loaded.

    Without a connected Drive, there are no cards.
    """

    def draw(one: Shown) -> rx.Component:
        return _of_drive(one, ask)

    awaited = (rx.el.div(class_name="suggestion awaited", aria_hidden=True) for _ in range(MOST))
    return rx.el.div(
        rx.cond(
            SuggestionsState.known,
            rx.foreach(SuggestionsState.cards, draw),
            rx.fragment(*awaited),
        ),
        on_mount=SuggestionsState.load,
        class_name="suggestions",
    )


def for_guests(ask: Ask) -> rx.Component:
    """Cards with questions that need no Drive."""
    return rx.el.div(
        _card("pencil-line", t("guest.write_title"), t("guest.write_text"), ask),
        _card("lightbulb", t("guest.explain_title"), t("guest.explain_text"), ask),
        _card("scale", t("guest.weigh_title"), t("guest.weigh_text"), ask),
        _card("list-checks", t("guest.plan_title"), t("guest.plan_text"), ask),
        class_name="suggestions",
    )


def _of_drive(one: Shown, ask: Ask) -> rx.Component:
    return match(
        one.kind,
        ("points", _card("search", t("dashboard.points_title"), t("dashboard.points_text", name=one.name), ask)),
        ("numbers", _card("sheet", t("dashboard.numbers_title"), t("dashboard.numbers_text", name=one.name), ask)),
        (
            "compare",
            _card(
                "git-compare",
                t("dashboard.compare_title"),
                t("dashboard.compare_text", one=one.name, other=one.other),
                ask,
            ),
        ),
        (
            "deadlines",
            _card("list-checks", t("dashboard.facts_title"), t("dashboard.facts_text", name=one.name), ask),
        ),
        _card("sparkles", t("dashboard.overview_title"), t("dashboard.overview_text"), ask),
    )


def _card(name: str, title: Shown, text: Shown, ask: Ask) -> rx.Component:
    return rx.el.button(
        icon(name, 18),
        rx.el.span(title, class_name="suggestion-title"),
        rx.el.span(text, class_name="suggestion-text"),
        type="button",
        title=text,
        class_name="suggestion",
        on_click=ask(text),
    )
