"""What one can ask: shown where nothing has been asked yet."""

from collections.abc import Callable

import reflex as rx

from leaf.components.basics import Shown, icon

SUGGESTIONS = (
    ("search", "Find something", "What do my files say about the budget for next year?"),
    ("git-compare", "Compare two files", "Compare this year's forecast with last year's: what changed most?"),
    ("list-checks", "Pull out the facts", "List all deadlines and who is responsible for each."),
    ("sparkles", "Get an overview", "Which files changed most recently, and what are they about?"),
)


def suggestions(ask: Callable[[str], Shown]) -> rx.Component:
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
            for name, title, text in SUGGESTIONS
        ),
        class_name="suggestions",
    )
