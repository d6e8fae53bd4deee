"""Suggested questions, shown in an empty chat."""

from collections.abc import Callable

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.texts import t


def _suggested() -> tuple[tuple[str, Shown, Shown], ...]:
    return (
        ("search", t("dashboard.find_title"), t("dashboard.find_text")),
        ("git-compare", t("dashboard.compare_title"), t("dashboard.compare_text")),
        ("list-checks", t("dashboard.facts_title"), t("dashboard.facts_text")),
        ("sparkles", t("dashboard.overview_title"), t("dashboard.overview_text")),
    )


def suggestions(ask: Callable[[Shown], Shown]) -> rx.Component:
    """Cards that ask a question at a click.

    Args:
        ask: Gives the event that asks a text.
    """
    return rx.el.div(
        *(
            rx.el.button(
                icon(name, 18),
                rx.el.span(title, class_name="suggestion-title"),
                rx.el.span(text, class_name="suggestion-text"),
                type="button",
                class_name="suggestion",
                on_click=ask(text),
            )
            for name, title, text in _suggested()
        ),
        class_name="suggestions",
    )
