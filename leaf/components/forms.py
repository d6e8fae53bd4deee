"""Fields of forms: a control with its label, and choices."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from leaf.components.basics import Shown


def field(label: Shown, control: rx.Component, *, of: str, note: Shown = None, **props: Any) -> rx.Component:
    """A control with its label. `of` is the id of the control."""
    notes = [] if note is None else [rx.el.p(note, class_name="small-note")]
    return rx.el.div(rx.el.label(label, html_for=of), control, *notes, **props)


def line(**props: Any) -> rx.Component:
    """A field for one line of text."""
    return rx.el.input(class_name="field", **props)


def area(**props: Any) -> rx.Component:
    """A field for several lines of text."""
    return rx.el.textarea(class_name="field area", **props)


def select(choices: Mapping[str, Shown], *further: rx.Component, **props: Any) -> rx.Component:
    """A drop-down list. `further` options follow the choices."""
    options = [rx.el.option(text, value=value) for value, text in choices.items()]
    return rx.el.select(*options, *further, class_name="field", **props)
