"""Tables whose columns sort at a click and that are copied as CSV: results of display tools, and tables in Markdown."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from leaf.components.basics import Shown, each, icon, match, outer_link
from leaf.components.controls import copy_button
from leaf.components.hooks import hook
from leaf.components.texts import t

_OBJECT = dict[str, Any]
_OBJECTS = list[dict[str, Any]]


@rx.memo
def table(data: rx.Var[dict[str, Any]], place: rx.Var[str]) -> rx.Component:
    """A table of a display tool; its order is kept under its `place` while the page is open."""
    shown: Shown = data
    view = hook("view", "useTable", "table", data, place)
    description = shown["description"]
    caption = rx.el.caption(
        rx.el.span(shown["title"], class_name="display-title"),
        rx.cond(description, rx.el.span(description, class_name="display-text")),
    )
    return rx.el.section(
        *_sortable(
            view,
            lambda column: rx.el.th(
                _head(column, column["label"], growing=False),
                scope="col",
                custom_attrs={"aria-sort": column["direction"], "data-align": column["align"]},
            ),
            lambda row: each(row["cells"].to(_OBJECTS), _cell),
            label=shown["title"],
            kind="data-table",
            caption=caption,
        ),
        class_name="display data-table",
    )


@rx.memo
def markdown_table(children: rx.Var[rx.Component], growing: rx.Var[bool]) -> rx.Component:
    """A table that an answer has written as Markdown; it is not sorted while it may still grow."""
    view = hook("view", "useMarkdownTable", "table", children, growing)
    return rx.el.div(
        *_sortable(
            view,
            lambda column: rx.el.th(
                _head(column, column["children"], growing=growing),
                scope="col",
                custom_attrs={"aria-sort": column["direction"]},
                special_props=[column["props"].to(_OBJECT)],
            ),
            lambda row: row["cells"],
            label=t("files.table"),
            kind="md-table",
            growing=growing,
        ),
        class_name="md-table-frame",
    )


def _sortable(
    view: Shown,
    head: Callable[[Shown], rx.Component],
    body: Callable[[Shown], Shown],
    *,
    label: Shown,
    kind: str,
    growing: Shown = False,
    caption: rx.Component | None = None,
) -> tuple[rx.Component, rx.Component]:
    """A table and the line below it; `head` draws a column, and `body` the cells of a row."""
    rows = view["rows"].to(_OBJECTS)
    drawn = rx.el.table(
        *([] if caption is None else [caption]),
        rx.el.thead(rx.el.tr(each(view["columns"].to(_OBJECTS), head))),
        rx.el.tbody(each(rows, lambda row: rx.el.tr(body(row), key=row["key"]))),
    )
    count = rx.cond(rows.length() > 0, t("research.rows", count=rows.length()), t("display.no_rows"))
    return (
        rx.el.div(
            drawn,
            tab_index=0,
            role="region",
            aria_label=label,
            class_name="md-table" if kind == "md-table" else f"{kind}-frame",
        ),
        # It takes its space from the start, so that nothing below moves when the table is complete.
        rx.el.div(
            rx.el.span(count),
            rx.cond(rows.length() > 0, copy_button(text=view["csv"], label=t("research.copy_csv"), words="CSV")),
            class_name=f"{kind}-foot",
            custom_attrs={"data-growing": growing},
        ),
    )


def _head(column: Shown, words: Shown, *, growing: Shown) -> rx.Component:
    """The button in the head of a column, which sorts by it."""
    return rx.el.button(
        rx.el.span(words),
        match(
            column["direction"],
            ("ascending", icon("arrow-up", 14)),
            ("descending", icon("arrow-down", 14)),
            icon("chevrons-up-down", 14),
        ),
        type="button",
        disabled=growing,
        custom_attrs={"onClick": column["sort"]},
    )


def _cell(cell: Shown) -> rx.Component:
    words = cell["words"]
    linked = outer_link(words, url=cell["url"].to(str), rel="noopener noreferrer nofollow")
    return rx.el.td(
        rx.cond(
            cell["none"],
            rx.el.span("–", class_name="cell-none"),
            rx.cond(cell["url"], linked, rx.fragment(words)),
        ),
        custom_attrs={"data-align": cell["align"], "data-type": cell["type"]},
    )
