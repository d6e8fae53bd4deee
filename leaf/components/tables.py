"""Tables that readers can sort and copy as CSV: results of display tools, and tables in Markdown."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from leaf.components.basics import Shown, each, icon, match, match_text, outer_link
from leaf.components.controls import copy_button
from leaf.components.hooks import hook
from leaf.components.texts import date, number, t

_OBJECT = dict[str, Any]
_OBJECTS = list[dict[str, Any]]


@rx.memo
def table(data: rx.Var[dict[str, Any]], place: rx.Var[str]) -> rx.Component:
    """A table of a display tool. Its order is stored under its `place` while the page is open."""
    shown: Shown = data
    view = hook("view", "useTable", "table", data, place)
    columns = view["columns"].to(_OBJECTS)

    def draw_row(row: Shown) -> rx.Component:
        def draw_cell(value: Shown, at: Shown) -> rx.Component:
            return _cell(value, columns[at])

        return rx.foreach(row["values"].to(list[Any]), draw_cell)

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
                custom_attrs={"aria-sort": column["direction"], "data-align": _align(column)},
            ),
            draw_row,
            label=shown["title"],
            kind="data-table",
            caption=caption,
        ),
        class_name="display data-table",
    )


@rx.memo
def markdown_table(children: rx.Var[rx.Component], growing: rx.Var[bool]) -> rx.Component:
    """A table that an answer has written as Markdown. It cannot be sorted while it may still grow."""
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
    """A table and the line below it. `head` draws the head of a column, and `body` the cells of a row."""
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
        # The line takes its space from the start, so that nothing below moves when the table is complete.
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


def _align(column: Shown) -> Shown:
    own = match_text(column["type"], ("number", "right"), ("currency", "right"), ("percent", "right"), "left")
    return rx.cond(column["align"], column["align"], own)


def _cell(value: Shown, column: Shown) -> rx.Component:
    url = value.to(_OBJECT)["url"]
    linked = outer_link(_label(value), url=url.to(str), rel="noopener noreferrer nofollow")
    return rx.el.td(
        rx.cond(
            value.is_none(),
            rx.el.span("–", class_name="cell-none"),
            rx.cond(url, linked, rx.fragment(_words(value, column))),
        ),
        custom_attrs={"data-align": _align(column), "data-type": column["type"]},
    )


def _label(value: Shown) -> Shown:
    link: Shown = value.to(_OBJECT)
    return rx.cond(link["label"], link["label"], link["url"])


def _words(value: Shown, column: Shown) -> Shown:
    """The text of a cell, formatted by the type of its column."""
    least, amount, text = column["decimals"], value.to(float), value.to(str)

    # In a column of texts, numbers and booleans are shown as text too.
    any_text: Shown = rx.Var.create([value]).to(list[str]).join("")

    def most(otherwise: int) -> Shown:
        return rx.cond(least.to(int) >= 0, least, otherwise)

    return match_text(
        column["type"],
        ("number", number(amount, minimumFractionDigits=least, maximumFractionDigits=most(10))),
        ("percent", number(amount / 100, style="percent", minimumFractionDigits=least, maximumFractionDigits=most(2))),
        (
            "currency",
            number(
                amount,
                style="currency",
                currency=column["currency"],
                minimumFractionDigits=least,
                maximumFractionDigits=least,
            ),
        ),
        (
            "date",
            rx.cond(
                text.length() == len("2026-11-27"),
                date(text, dateStyle="medium", timeZone="UTC"),
                date(text, dateStyle="medium", timeStyle="short"),
            ),
        ),
        ("boolean", rx.cond(value, t("display.yes"), t("display.no"))),
        ("link", _label(value)),
        any_text,
    )
