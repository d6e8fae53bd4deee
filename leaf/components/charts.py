"""Bar charts with one bar per day and a summary in words, and tables of the figures for screen readers."""

from collections.abc import Callable, Sequence

import reflex as rx

from leaf.components.basics import Shown
from leaf.components.texts import t
from leaf.views.bars import COLUMN_WIDTH, HEIGHT

_BAR_WIDTH = COLUMN_WIDTH * 7 // 10


def chart(name: Shown, summary: Shown, bars: Shown, *, first: Shown, last: Shown) -> rx.Component:
    """A chart with a bar for each day. `first` and `last` are the labels below the oldest day and today."""
    return rx.el.figure(
        rx.el.figcaption(rx.el.strong(name), rx.el.span(summary)),
        rx.el.svg(
            rx.foreach(bars, _bar),
            view_box=f"0 0 {bars.length() * COLUMN_WIDTH} {HEIGHT}",
            preserve_aspect_ratio="none",
            aria_hidden=True,
            class_name="bars",
        ),
        rx.el.div(rx.el.span(first), rx.el.span(last), class_name="bars-foot", aria_hidden=True),
        class_name="chart",
    )


def daily_chart(name: Shown, shown: Shown) -> rx.Component:
    """A chart of a figure by day (`leaf.views.bars.Chart`), until today."""
    return chart(name, shown.words, shown.bars, first=shown.first, last=t("usage.until_today"))


def _bar(bar: Shown) -> rx.Component:
    return rx.el.svg.rect(x=bar.x, y=bar.y, width=_BAR_WIDTH, height=bar.height, key=bar.x)


def figures(
    title: Shown,
    columns: Sequence[Shown | rx.Component],
    rows: Shown,
    draw: Callable[[Shown], rx.Component],
    *,
    worded: bool = False,
) -> rx.Component:
    """A table of figures, which scrolls on narrow screens. Cells that are `worded` hold words, which wrap."""
    name = "figures worded" if worded else "figures"
    heads = (one if isinstance(one, rx.Component) else rx.el.th(one, scope="col") for one in columns)
    return rx.el.div(
        rx.el.table(rx.el.thead(rx.el.tr(*heads)), rx.el.tbody(rx.foreach(rows, draw)), class_name=name),
        class_name="figures-frame",
        tab_index=0,
        role="region",
        aria_label=title,
    )


def folded_figures(
    title: Shown, columns: Sequence[Shown], rows: Shown, draw: Callable[[Shown], rx.Component]
) -> rx.Component:
    """A table of figures, folded under its title."""
    return rx.el.details(rx.el.summary(title), figures(title, columns, rows, draw), class_name="usage-days")
