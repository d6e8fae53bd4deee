"""Containers of messages: the thread, folds, side views, and messages that are drawn late."""

from typing import Any

import reflex as rx

from leaf.components.basics import Shown, icon, icon_button
from leaf.components.client import panel, portal
from leaf.components.hooks import handler, hook
from leaf.components.texts import t


class Fold(rx.Component):
    """A section that folds; the reader's choice holds for as long as the page is open.

    `on_fill` requests its content once it is open, visible, and not yet `filled`.
    """

    library = "$/public/client/fold.js"
    tag = "Fold"

    bare: rx.Var[bool]
    """Whether there is nothing to fold: only the children are drawn."""
    place: rx.Var[str]
    unfolded: rx.Var[bool]
    head: rx.Var[rx.Component]
    filled: rx.Var[bool]
    state: rx.Var[str]
    head_class: rx.Var[str]
    on_fill: rx.EventHandler[rx.event.no_args_event_spec]


class Far(rx.Component):
    """The place of a message; the content of one that is `far` above the end of a chat is drawn later."""

    library = "$/public/client/lazy_messages.js"
    tag = "Far"

    far: rx.Var[bool]
    label: rx.Var[str]


far = Far.create
fold = Fold.create


def thread(*messages: rx.Component, on_drawn: Shown = None, **options: Shown) -> rx.Component:
    """The column of messages, which follows the newest line while the reader is at the bottom.

    Args:
        messages: Its content.
        on_drawn: The event in which earlier messages are asked for, once the others have been painted.
        options: `chat`, `turn` and `whole` of `useThread`.
    """
    return _thread(*messages, options={**options, "onDrawn": handler(on_drawn or rx.noop())})


@rx.memo
def _thread(children: rx.Var[rx.Component], options: rx.Var[dict[str, Any]]) -> rx.Component:
    view = hook("view", "useThread", "thread", options)
    return rx.el.div(
        rx.el.div(
            rx.el.div(children, class_name="thread-content", custom_attrs={"ref": view["content"]}),
            class_name="thread",
            tab_index=-1,
            id="thread",
            special_props=[view["frame"]],
        ),
        rx.cond(
            view["away"],
            rx.el.button(
                icon("arrow-down", 16),
                type="button",
                aria_label=t("common.jump"),
                custom_attrs={"onClick": view["jump"]},
                class_name="jump",
            ),
        ),
        class_name="thread-frame",
    )


@rx.memo
def artifact(children: rx.Var[rx.Component], place: rx.Var[str], title: rx.Var[str]) -> rx.Component:
    """Content with a large view at the side, in the element with the id `artifact`; both draw the same.

    Args:
        children: The content.
        place: Its name on the page.
        title: The heading of the large view.
    """
    view = hook("view", "useArtifact", "artifact", place)
    heading = view["heading"].to(str)
    large = panel(
        rx.el.div(
            rx.el.h2(title, id=heading),
            icon_button(
                t("common.close_panel"),
                "x",
                auto_focus=True,
                custom_attrs={"data-close-panel": "true", "onClick": view["close"]},
            ),
            class_name="panel-head",
        ),
        rx.el.div(children, class_name="artifact-body"),
        class_name="panel artifact-panel",
        labelledby=heading,
    )
    return rx.fragment(
        rx.el.div(
            children,
            rx.el.button(
                icon("maximize-2", 14),
                type="button",
                aria_label=t("research.at_side_of", title=title),
                title=t("research.at_side"),
                aria_expanded=view["shown"].to(bool),
                custom_attrs={
                    "data-opens-panel": "true",
                    "data-opens-artifact": "true",
                    "onClick": view["enlarge"],
                },
                class_name="icon-button small artifact-open",
            ),
            class_name="artifact",
            custom_attrs={"data-artifact": place},
        ),
        rx.cond(view["side"], portal(large, into=view["side"])),
    )
