"""The page for addresses that lead nowhere."""

import reflex as rx

from leaf.components.basics import icon, text_link


def missing() -> rx.Component:
    """One calm page for every wrong address."""
    return rx.el.main(
        rx.el.div(
            icon("leaf", 28),
            rx.el.h1("There is no such page."),
            rx.el.p("The address may be mistyped, or the page has moved."),
            text_link("Go to Leaf", "/dashboard", class_name="button secondary"),
            class_name="centred",
        ),
        class_name="main alone",
    )
