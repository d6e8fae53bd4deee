"""Choosing how the next answer is looked for, and by which type of model."""

import reflex as rx

from leaf.catalog import Kind, Mode
from leaf.components.basics import Shown, icon
from leaf.components.client import menu
from leaf.state.preferences import PreferencesState
from leaf.state.session import SessionState

_MODES = {
    Mode.QUICK: ("zap", "Quick", "One focused look, up to 20 steps"),
    Mode.ADAPTIVE: ("telescope", "Adaptive", "Plans and digs deeper, up to 50 steps"),
}
_KINDS = {
    Kind.SPEED: ("gauge", "Speed", "Answers sooner and costs less"),
    Kind.QUALITY: ("gem", "Quality", "Thinks harder and costs more"),
}


def pickers() -> rx.Component:
    """The two menus, and the name of the model that they lead to."""
    return rx.cond(
        SessionState.model != "",
        rx.el.div(
            menu(
                *(
                    _item(icon_name, name, what, PreferencesState.mode == mode, PreferencesState.choose_mode(mode))
                    for mode, (icon_name, name, what) in _MODES.items()
                ),
                label="Mode",
                face=rx.fragment(
                    rx.cond(
                        PreferencesState.mode == Mode.ADAPTIVE,
                        rx.fragment(icon("telescope", 15), "Adaptive"),
                        rx.fragment(icon("zap", 15), "Quick"),
                    ),
                    icon("chevron-down", 13),
                ),
                class_name="picker",
            ),
            rx.cond(
                PreferencesState.kinds,
                menu(
                    *(
                        _item(icon_name, name, what, PreferencesState.kind == kind, PreferencesState.choose_kind(kind))
                        for kind, (icon_name, name, what) in _KINDS.items()
                    ),
                    label="Type of model",
                    face=rx.fragment(PreferencesState.model, icon("chevron-down", 13)),
                    class_name="picker",
                ),
                rx.el.span(PreferencesState.model, class_name="model-name"),
            ),
            class_name="pickers",
        ),
    )


def _item(icon_name: str, name: str, what: str, chosen: Shown, on_click: Shown) -> rx.Component:
    return rx.el.button(
        icon(icon_name, 16),
        rx.el.span(rx.el.span(name), rx.el.span(what, class_name="menu-note"), class_name="menu-lines"),
        rx.el.span(icon("check", 16), class_name="menu-check"),
        type="button",
        role="menuitemradio",
        custom_attrs={"aria-checked": chosen},
        class_name="menu-item tall",
        on_click=on_click,
    )
