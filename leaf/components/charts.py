"""Bar charts of days with a summary in words. A table next to them has the figures and is read aloud."""

from collections.abc import Callable

import reflex as rx

from leaf.components.basics import Shown
from leaf.views.bars import COLUMN_WIDTH, HEIGHT

_BAR_WIDTH = COLUMN_WIDTH * 7 // 10


def chart(
    name: Shown, told: Shown, days: Shown, draw: Callable[[Shown], rx.Component], *, first: Shown, last: Shown
) -> rx.Component:
    """A chart with a bar for each day.

    Args:
        name: The counted figure.
        told: The chart in words.
        days: The days, the oldest first.
        draw: Draws the bar of a day, by `bar`.
        first: The label below the oldest day.
        last: The label below today.
    """
    return rx.el.figure(
        rx.el.figcaption(rx.el.strong(name), rx.el.span(told)),
        rx.el.svg(
            rx.foreach(days, draw),
            view_box=f"0 0 {days.length() * COLUMN_WIDTH} {HEIGHT}",
            preserve_aspect_ratio="none",
            aria_hidden=True,
            class_name="bars",
        ),
        rx.el.div(rx.el.span(first), rx.el.span(last), class_name="bars-foot", aria_hidden=True),
        class_name="chart",
    )


def bar(*, x: Shown, y: Shown, height: Shown, key: Shown) -> rx.Component:
    """The bar of a day, in the chart's own units."""
    return rx.el.svg.rect(x=x, y=y, width=_BAR_WIDTH, height=height, key=key)
