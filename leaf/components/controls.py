"""Shared controls: a menu button, a modal dialog, and buttons that act once or copy."""

from typing import Any

import reflex as rx

from leaf.components.hooks import Shown, handler, hook
from leaf.components.texts import t


class OnceButton(rx.Component):
    """A button that ignores further clicks while the first one is handled."""

    library = "$/public/client/controls.js"
    tag = "OnceButton"


once_button = OnceButton.create


def menu(*items: rx.Component, label: Shown, face: rx.Component, class_name: str) -> rx.Component:
    """A button that opens a menu. The items must have the role `menuitem`."""
    return _menu(rx.fragment(*items), label=label, face=face, look=class_name)


@rx.memo
def _menu(
    children: rx.Var[rx.Component], label: rx.Var[str], face: rx.Var[rx.Component], look: rx.Var[str]
) -> rx.Component:
    view = hook("view", "useMenu", "controls")
    return rx.fragment(
        rx.el.button(
            face,
            type="button",
            class_name=look,
            aria_label=label,
            title=label,
            aria_haspopup="menu",
            special_props=[view["button"]],
        ),
        rx.el.div(children, role="menu", aria_label=label, class_name="menu", special_props=[view["panel"]]),
    )


# The parameter shadows the built-in `open`, because `open=` reads best where pages use a dialog.
def modal(*content: rx.Component, open: Shown, label: Shown, on_close: Any) -> rx.Component:  # noqa: A002
    """A modal dialog. Its content is drawn only while it is open. Esc and a click outside raise `on_close`."""
    return _modal(rx.fragment(*content), is_open=open, label=label, on_close=handler(on_close))


@rx.memo
def _modal(
    children: rx.Var[rx.Component], is_open: rx.Var[bool], label: rx.Var[str], on_close: rx.Var[Any]
) -> rx.Component:
    dialog = hook("dialog", "useModal", "controls", is_open, on_close)
    return rx.el.dialog(
        rx.cond(is_open, rx.fragment(children)), class_name="modal", aria_label=label, special_props=[dialog]
    )


def copy_button(
    *, label: Shown, text: Shown = "", items: Shown = None, citations: Shown = None, words: Shown = "", kind: str = ""
) -> rx.Component:
    """A button that copies a text or an answer.

    Args:
        label: The accessible name of the button.
        text: The text to copy.
        items: The items of an answer. If given, the Markdown of their texts is copied instead of `text`.
        citations: The quotes of the answer, which are copied after it as a list.
        words: The text next to the icon. Without it, the button shows only the icon.
        kind: The style of a button with a frame, as for `basics.button`.
    """
    look = f"button {kind}" if kind else rx.cond(words != "", "text-button small", "icon-button small")
    return _copy_button(text=text, items=items, citations=citations, label=label, words=words, look=look)


@rx.memo
def _copy_button(
    text: rx.Var[Any],
    items: rx.Var[Any],
    citations: rx.Var[Any],
    label: rx.Var[str],
    words: rx.Var[str],
    look: rx.Var[str],
) -> rx.Component:
    view = hook("view", "useCopy", "copy", text, items, citations)
    return rx.el.button(
        rx.cond(
            view["copied"],
            rx.icon("check", size=15, aria_hidden="true"),
            rx.icon("copy", size=15, aria_hidden="true"),
        ),
        words,
        type="button",
        class_name=look,
        aria_label=rx.cond(view["copied"], t("common.copied"), label),
        title=label,
        custom_attrs={"data-copies": rx.cond(items, "answer", "text"), "onClick": view["onClick"]},
    )
