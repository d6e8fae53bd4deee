"""Menus that choose the search mode and the model of the next answer."""

import reflex as rx

from leaf.components.basics import Shown, icon
from leaf.components.controls import menu
from leaf.components.texts import t
from leaf.config.catalog import Kind, Mode
from leaf.state.preferences import PreferencesState
from leaf.state.session import SessionState


def _modes() -> dict[Mode, tuple[str, Shown, Shown]]:
    steps: Shown = SessionState.steps
    return {
        Mode.QUICK: ("zap", t("pickers.quick"), t("pickers.quick_note", steps=steps[Mode.QUICK.value])),
        Mode.ADAPTIVE: (
            "telescope",
            t("pickers.adaptive"),
            t("pickers.adaptive_note", steps=steps[Mode.ADAPTIVE.value]),
        ),
    }


def _kinds() -> dict[Kind, tuple[str, Shown, Shown]]:
    return {
        Kind.SPEED: ("gauge", t("pickers.speed"), t("pickers.speed_note")),
        Kind.QUALITY: ("gem", t("pickers.quality"), t("pickers.quality_note")),
    }


def pickers() -> rx.Component:
    """The two menus, and the name of the chosen model."""
    further: Shown = SessionState.further_models
    return rx.cond(
        SessionState.model != "",
        rx.el.div(
            menu(
                *(
                    _item(
                        mode.value,
                        icon_name,
                        name,
                        (what, _cost(mode.value, PreferencesState.kind)),
                        PreferencesState.mode == mode,
                        PreferencesState.choose_mode(mode),
                    )
                    for mode, (icon_name, name, what) in _modes().items()
                ),
                label=t("pickers.mode"),
                face=rx.fragment(
                    rx.cond(
                        PreferencesState.mode == Mode.ADAPTIVE,
                        rx.fragment(icon("telescope", 15), t("pickers.adaptive")),
                        rx.fragment(icon("zap", 15), t("pickers.quick")),
                    ),
                    icon("chevron-down", 13),
                ),
                class_name="picker",
            ),
            rx.cond(
                PreferencesState.kinds | (further.length() > 0),
                menu(
                    rx.cond(PreferencesState.kinds, rx.fragment(*_kind_items()), _usual_item()),
                    rx.cond(further.length() > 0, rx.el.div(class_name="menu-rule", role="separator")),
                    rx.foreach(further, _model_item),
                    label=t("pickers.model"),
                    face=rx.fragment(
                        rx.el.span(PreferencesState.model, class_name="model-name"), icon("chevron-down", 13)
                    ),
                    class_name="picker",
                ),
                rx.el.span(PreferencesState.model, class_name="model-name"),
            ),
            class_name="pickers",
        ),
    )


def _kind_items() -> list[rx.Component]:
    return [
        _item(
            kind.value,
            icon_name,
            name,
            (what, _cost(PreferencesState.mode, kind.value)),
            (PreferencesState.named == "") & (PreferencesState.kind == kind),
            PreferencesState.choose_kind(kind),
        )
        for kind, (icon_name, name, what) in _kinds().items()
    ]


def _usual_item() -> rx.Component:
    """The item for the model that Leaf chooses."""
    return _item(
        "usual",
        "gauge",
        t("pickers.usual"),
        (_cost(PreferencesState.mode, PreferencesState.kind),),
        PreferencesState.named == "",
        PreferencesState.choose_model(""),
    )


def _model_item(model: Shown) -> rx.Component:
    return _item(
        model.id,
        "cpu",
        model.label,
        (model.server,),
        PreferencesState.named == model.id,
        PreferencesState.choose_model(model.id),
    )


def _cost(mode: Shown, kind: Shown) -> Shown:
    """The text with the model of a mode and a kind, and its price."""
    costs: Shown = SessionState.costs
    return costs[rx.Var.create(f"{mode}:{kind}")]


def _item(
    chooses: Shown, icon_name: str, name: Shown, lines: tuple[Shown, ...], chosen: Shown, on_click: Shown
) -> rx.Component:
    return rx.el.button(
        icon(icon_name, 16),
        rx.el.span(
            rx.el.span(name), *(rx.el.span(line, class_name="menu-note") for line in lines), class_name="menu-lines"
        ),
        rx.el.span(icon("check", 16), class_name="menu-check"),
        type="button",
        role="menuitemradio",
        custom_attrs={"aria-checked": chosen, "data-chooses": chooses},
        class_name="menu-item tall",
        on_click=on_click,
    )
