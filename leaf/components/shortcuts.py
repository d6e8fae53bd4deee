"""Keyboard shortcuts with the controls that they press (`assets/client/shell.js`), and the sheet that lists them."""

from dataclasses import asdict, dataclass
from typing import Any

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.texts import t

LAST_ANSWER = '.message.answer button[data-copies="answer"]'
"""The selector of the button that copies an answer. The last match on the page is pressed."""
SHEET = "shortcuts"
"""The id of the sheet."""
OPENS_SHEET = {"data-help": "true", "command": "show-modal", "commandfor": SHEET, "aria-haspopup": "dialog"}
"""The attributes of a control that opens the sheet. The browser opens it without a script."""


@dataclass(frozen=True)
class Shortcut:
    """A key, as in `KeyboardEvent.key`, and its effect."""

    key: str
    press: str = ""
    """The selector of the control that is clicked. A text box gets the focus instead."""
    step: int = 0
    """Without a control to press, the number of rows from the open chat down to the chat that is opened."""
    command: bool = False
    """Whether Ctrl, or Cmd on a Mac, must be held. Without it, the shortcut does nothing while the member types."""
    shift: bool = False
    alt: bool = False


def _named() -> list[tuple[Shown, Shortcut]]:
    return [
        (t("palette.search"), Shortcut("k", "[data-palette]", command=True)),
        (t("sidebar.new_chat"), Shortcut("o", "[data-new-chat]", command=True, shift=True)),
        (t("palette.previous"), Shortcut("ArrowUp", step=-1, command=True, alt=True)),
        (t("palette.next"), Shortcut("ArrowDown", step=1, command=True, alt=True)),
        (t("palette.toggle_sidebar"), Shortcut("b", "[data-toggle-sidebar]", command=True)),
        (t("palette.write"), Shortcut("/", 'textarea[name="message"]')),
        (t("palette.stop"), Shortcut(".", ".send-button.stop", command=True)),
        (t("palette.copy_last"), Shortcut("y", LAST_ANSWER, command=True, shift=True)),
        (t("palette.these"), Shortcut("/", "[data-help]", command=True)),
    ]


def shortcuts() -> list[dict[str, Any]]:
    """All shortcuts, for the component that listens."""
    return [asdict(one) for one in (*(shortcut for _, shortcut in _named()), Shortcut("?", "[data-help]"))]


def shortcut_sheet() -> rx.Component:
    """The sheet that lists the shortcuts. A control with `OPENS_SHEET` opens it."""
    return rx.el.dialog(
        rx.el.form(
            rx.el.h2(t("palette.shortcuts")),
            rx.el.button(
                icon("x", 16),
                type="submit",
                class_name="icon-button small",
                aria_label=t("common.close"),
                title=t("common.close"),
            ),
            class_name="help-head",
            custom_attrs={"method": "dialog"},
        ),
        rx.el.dl(
            *(rx.el.div(rx.el.dt(name), rx.el.dd(*_keys(shortcut))) for name, shortcut in _named()),
            class_name="help-keys",
        ),
        class_name="modal",
        aria_label=t("palette.shortcuts"),
        custom_attrs={"id": SHEET, "data-closes": "true"},
    )


def _keys(shortcut: Shortcut) -> list[rx.Component]:
    """The names of the keys. The `data-keys` attribute of the page chooses between the names for Mac and others."""
    held = (
        (shortcut.command, "⌘", "Ctrl"),
        (shortcut.alt, "⌥", "Alt"),
        (shortcut.shift, "⇧", "Shift"),
    )
    modifiers = [
        rx.el.kbd(name, class_name=class_name)
        for holds, mac, other in held
        if holds
        for name, class_name in ((mac, "mac"), (other, "not-mac"))
    ]
    return [*modifiers, rx.el.kbd({"ArrowUp": "↑", "ArrowDown": "↓"}.get(shortcut.key, shortcut.key.upper()))]
