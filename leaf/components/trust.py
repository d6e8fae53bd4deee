"""The evidence under an answer: its quotes, and the receipt of its research."""

from collections.abc import Callable

import reflex as rx

from leaf.components import links
from leaf.components.basics import Shown, icon, outer_link, unfolds
from leaf.components.client import anchor
from leaf.components.texts import t


def citations(found: Shown, run_id: Shown) -> rx.Component:
    """The numbered quotes; nothing where there are none. A click on a number in the text opens them, too."""
    quotes: Shown = found.quotes
    return rx.cond(
        quotes.length() > 0,
        rx.el.details(
            unfolds(
                "quote",
                rx.el.span(
                    t("messages.sources"),
                    rx.el.span(quotes.length().to_string(), class_name="step-note"),
                    rx.cond(
                        found.unverified > 0,
                        rx.el.span(t("messages.unverified", count=found.unverified), class_name="step-note cited-warn"),
                    ),
                    class_name="step-text",
                ),
            ),
            rx.el.ol(rx.foreach(quotes, _drawer(run_id)), class_name="cited-list"),
            class_name="rests cited",
        ),
    )


def _drawer(run_id: Shown) -> Callable[[Shown], rx.Component]:
    def draw(one: Shown) -> rx.Component:
        number = one.n.to_string()
        return rx.el.li(
            rx.el.span(number, class_name="source-number"),
            rx.el.div(
                rx.el.div(_name(one), rx.cond(one.place != "", rx.el.span(one.place, class_name="cited-place"))),
                rx.cond(one.quote != "", rx.el.blockquote(one.quote)),
                check(one),
                class_name="cited-about",
            ),
            id="cite-" + run_id.to(str) + "-" + number,
            tab_index=-1,
            class_name="cited-one",
            custom_attrs={"data-verified": one.verified},
            key=number,
        )

    return draw


def check(quote: Shown) -> rx.Component:
    """Whether a quote was found in its source, in words."""
    return rx.el.p(
        rx.cond(quote.verified, icon("badge-check", 15), icon("triangle-alert", 15)),
        rx.el.span(quote.status),
        class_name=rx.cond(quote.verified, "cited-status", "cited-status cited-warn"),
    )


def _name(one: Shown) -> rx.Component:
    shown = rx.fragment(one.name)
    outside = outer_link(shown, icon("external-link", 13), url=one.url, class_name="source-name")
    inside = anchor(shown, icon("download", 13), href=links.backend("") + one.url.to(str), class_name="source-name")
    named = rx.el.span(shown, class_name="source-name")
    return rx.cond(one.url == "", named, rx.cond(one.own, inside, outside))


def receipt(coverage: Shown) -> rx.Component:
    """The receipt in one line that can be opened; empty without research."""
    return rx.cond(
        coverage.summary != "",
        rx.el.details(
            unfolds(
                rx.cond(
                    coverage.warns,
                    rx.el.span(icon("triangle-alert", 15), class_name="step-icon warn"),
                    rx.el.span(icon("scan-search", 15), class_name="step-icon"),
                ),
                rx.el.span(coverage.summary, class_name="step-text receipt-text"),
            ),
            rx.el.ul(rx.foreach(coverage.lines, _line), class_name="step-list receipt-list"),
            class_name="rests receipt",
        ),
    )


def _line(line: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.text),
        rx.cond(line.note != "", rx.el.span(line.note, class_name="receipt-note")),
        class_name=rx.cond(line.warns, "receipt-line cited-warn", "receipt-line"),
    )
