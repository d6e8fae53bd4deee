"""What a step opens to: what its tool was given and gave, or what it changed."""

import reflex as rx

from leaf.components import opening
from leaf.components.basics import Shown, match, spinner
from leaf.components.diffs import diff


def tool_detail(detail: Shown, place: Shown) -> rx.Component:
    """A tool call in full; each of its four states looks different.

    Args:
        detail: What is known of it.
        place: Its name on the page.
    """
    changed: Shown = detail.diff
    return rx.cond(
        changed.length() > 0,
        rx.el.div(
            rx.el.h4(rx.cond(detail.state == "output-available", "Changes", "Changes, under way")),
            opening.artifact(
                diff(changed), place="diff:" + place, title=rx.cond(detail.about != "", detail.about, "Changes")
            ),
            class_name="step-detail",
            custom_attrs={"data-tool-state": detail.state},
        ),
        _given_and_gave(detail),
    )


def _given_and_gave(detail: Shown) -> rx.Component:
    return rx.el.div(
        rx.cond(detail.tool != "", rx.fragment(rx.el.h4("Tool"), rx.el.code(detail.tool, class_name="tool-name"))),
        match(
            detail.state,
            ("input-streaming", rx.el.div(_bones(), "The model is writing the input…", class_name="step-writing")),
            rx.fragment(rx.el.h4("Input"), opening.source(text=detail.given, label="Input")),
        ),
        match(
            detail.state,
            ("input-streaming", rx.fragment()),
            (
                "output-error",
                rx.fragment(
                    rx.el.h4("Error", class_name="bad"),
                    opening.source(text=detail.gave, label="Error", class_name="bad"),
                ),
            ),
            (
                "output-available",
                rx.fragment(
                    rx.cond(detail.links.length() > 0, _links(detail.links)),
                    rx.el.h4("Output"),
                    opening.source(text=detail.gave, label="Output"),
                ),
            ),
            rx.fragment(rx.el.h4("Output"), rx.el.p(spinner(), "Waiting for the result…", class_name="quiet-line")),
        ),
        rx.cond(detail.note != "", rx.el.p(detail.note, class_name="small-note")),
        class_name="step-detail",
        custom_attrs={"data-tool-state": detail.state},
    )


def _bones() -> rx.Component:
    return rx.el.div(
        *(rx.el.div(class_name="bone", style={"width": width}) for width in ("40%", "70%")),
        class_name="bones shimmer",
        aria_hidden=True,
    )


def _links(found: Shown) -> rx.Component:
    """The pages that a search found, or the one that was read."""

    def draw(link: Shown) -> rx.Component:
        return rx.el.li(
            rx.cond(link.number != "", rx.el.span(link.number, class_name="source-number")),
            rx.el.a(link.title, href=link.url, target="_blank", rel="noopener noreferrer nofollow"),
            rx.el.span(link.host, class_name="step-note"),
            key=link.url,
        )

    return rx.fragment(
        rx.el.h4(rx.cond(found[0].number == "", "Files", "Pages")),
        rx.el.ol(rx.foreach(found, draw), class_name="page-links"),
    )
