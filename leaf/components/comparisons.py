"""Cards under an answer for the files or versions that it compared. A card opens to all differences, side by side.

Differing words are bold and underlined, and screen readers announce them as insertions, so no colour is needed.
"""

import reflex as rx

from leaf.components import containers
from leaf.components.basics import Shown, each, icon, source_link
from leaf.components.texts import t
from leaf.views.comparisons import Comparison


def cards(found: Shown, run_id: Shown) -> rx.Component:
    """The comparisons of an answer."""

    def draw(one: Shown, number: Shown) -> rx.Component:
        return rx.fragment(_card(one=one, place=run_id.to(str) + ":compared:" + number.to_string()), key=number)

    return rx.foreach(found, draw)


@rx.memo
def _card(one: rx.Var[Comparison], place: rx.Var[str]) -> rx.Component:
    shown: Shown = one
    return rx.el.details(
        rx.el.summary(
            icon("git-compare", 15),
            rx.el.span(shown.title, class_name="compared-name"),
            rx.el.span(shown.count, class_name="compared-count"),
        ),
        containers.artifact(_body(shown), place=place, title=shown.title),
        class_name="compared",
    )


def _body(one: Shown) -> rx.Component:
    return rx.el.div(
        rx.cond(one.about != "", rx.el.p(one.about, class_name="compared-about")),
        each(one.notes, lambda note: rx.el.p(note, class_name="small-note")),
        rx.cond(one.many, _table(one), rx.el.ol(rx.foreach(one.differences, _pair), class_name="compared-rows")),
        rx.el.p(each(one.links, lambda file: source_link(file, rx.el.span(file.name))), class_name="compared-files"),
        class_name="compared-body",
    )


def _pair(row: Shown) -> rx.Component:
    """A difference between two files, with their passages next to each other or one below the other."""
    return rx.el.li(
        _head(row),
        rx.el.div(rx.foreach(row.passages, _side), class_name="compared-sides"),
        class_name="compared-row",
    )


def _head(row: Shown) -> rx.Component:
    return rx.el.p(
        rx.el.strong(row.about), rx.el.span(row.kind, class_name="compared-kind"), class_name="compared-head"
    )


def _side(passage: Shown) -> rx.Component:
    return rx.el.div(
        rx.el.p(
            rx.el.span(passage.file, class_name="compared-file"),
            rx.cond(passage.place != "", rx.el.span(passage.place, class_name="compared-place")),
            class_name="compared-where",
        ),
        _words(passage),
        class_name="compared-side",
    )


def _words(passage: Shown) -> rx.Component:
    return rx.cond(
        passage.pieces.length() > 0,
        rx.fragment(
            rx.cond(passage.value != "", rx.el.p(passage.value, class_name="compared-value")),
            rx.el.blockquote(rx.foreach(passage.pieces, _piece)),
        ),
        rx.el.p(t("comparisons.missing"), class_name="compared-missing"),
    )


def _piece(piece: Shown) -> rx.Component:
    return rx.cond(piece.marked, rx.el.ins(piece.text), rx.el.span(piece.text))


def _table(one: Shown) -> rx.Component:
    """The differences of several files, with a row for each difference and a column for each file."""
    return rx.el.div(
        rx.el.table(
            rx.el.thead(rx.el.tr(rx.el.td(), each(one.files, lambda file: rx.el.th(file.name, scope="col")))),
            rx.el.tbody(rx.foreach(one.differences, _line)),
        ),
        class_name="md-table compared-table",
        tab_index=0,
        role="region",
        aria_label=t("comparisons.all"),
    )


def _line(row: Shown) -> rx.Component:
    return rx.el.tr(rx.el.th(_head(row), scope="row"), rx.foreach(row.passages, _cell))


def _cell(passage: Shown) -> rx.Component:
    return rx.el.td(
        _words(passage),
        rx.cond(passage.place != "", rx.el.p(passage.place, class_name="compared-place")),
    )
