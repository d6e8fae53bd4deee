"""The page for addresses that lead nowhere."""

import reflex as rx

from leaf.components.basics import icon, text_link
from leaf.components.client import language
from leaf.components.texts import t


def missing() -> rx.Component:
    """One calm page for every wrong address."""
    return rx.el.main(
        rx.el.div(
            icon("leaf", 28),
            rx.el.h1(t("common.missing_title")),
            rx.el.p(t("common.missing_text")),
            text_link(t("common.go_to_leaf"), "/dashboard", class_name="button secondary"),
            language(),
            class_name="centred",
        ),
        class_name="main alone",
    )
