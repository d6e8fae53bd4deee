"""Draws the changes of a file line by line."""

import reflex as rx

from leaf.components.basics import Shown, match
from leaf.components.texts import t


def diff(lines: Shown) -> rx.Component:
    """The lines of a diff (`leaf.views.diffs`). Added and removed lines have a sign and a word, so that colour is not
    needed.
    """
    return rx.el.div(
        rx.foreach(lines, _line), role="group", aria_label=t("messages.changes"), tab_index=0, class_name="diff"
    )


def _line(line: Shown) -> rx.Component:
    return match(
        line.kind,
        ("added", _marked(line, "added", "+", t("messages.added"), rx.el.ins)),
        ("removed", _marked(line, "removed", "−", t("messages.removed"), rx.el.del_)),
        ("place", rx.el.div(line.text, class_name="diff-place")),
        rx.el.div(
            *_numbers(line), rx.el.span(" ", class_name="diff-sign"), rx.el.span(line.text), class_name="diff-line"
        ),
    )


def _marked(line: Shown, kind: str, sign: str, label: Shown, element: Shown) -> rx.Component:
    return rx.el.div(
        *_numbers(line),
        rx.el.span(sign, aria_hidden="true", class_name="diff-sign"),
        rx.el.span(label, class_name="unseen"),
        element(line.text),
        class_name=f"diff-line {kind}",
    )


def _numbers(line: Shown) -> tuple[rx.Component, rx.Component]:
    """The old and new line numbers. They are only visible: screen readers and the clipboard leave them out."""
    numbers = (line.old, line.new)
    before, after = (rx.el.span(one, aria_hidden="true", class_name="diff-number") for one in numbers)
    return before, after
