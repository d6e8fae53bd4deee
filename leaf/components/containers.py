"""Containers of messages: the thread, folds, side views, and messages whose content is drawn later."""

from typing import Any

import reflex as rx

from leaf.components.basics import Shown, icon, icon_button
from leaf.components.client import panel, portal
from leaf.components.hooks import handler, hook
from leaf.components.texts import t


class Far(rx.Component):
    """The place of a message. If the message is `far` above the end of a chat, its content is drawn later."""

    library = "$/public/client/lazy_messages.js"
    tag = "Far"

    far: rx.Var[bool]
    label: rx.Var[str]


far = Far.create


def fold(
    *content: rx.Component,
    place: Shown,
    head: rx.Component,
    open_by_default: Shown,
    state: Shown,
    class_name: Shown,
    bare: Shown = False,
    is_complete: Shown = True,
    on_fill: Shown = None,
) -> rx.Component:
    """A section that folds. The reader's choice stays as long as the page is open.

    Args:
        content: The content, which is drawn only while the section is open.
        place: The name of the section on the page.
        head: The content of the line that folds and unfolds it.
        open_by_default: Whether it is open before the reader has chosen.
        state: The state of its subject, which the style sheet uses.
        class_name: The CSS class of the section.
        bare: Whether only the content is drawn, without a fold.
        is_complete: Whether its content is complete.
        on_fill: Requests the content of an open section that is visible and not complete.
    """
    options = {
        "place": place,
        "unfolded": open_by_default,
        "filled": is_complete,
        "onFill": handler(on_fill or rx.noop()),
    }
    return _fold(rx.fragment(*content), options=options, head=head, bare=bare, state=state, look=class_name)


@rx.memo
def _fold(
    children: rx.Var[rx.Component],
    options: rx.Var[dict[str, Any]],
    head: rx.Var[rx.Component],
    bare: rx.Var[bool],
    state: rx.Var[str],
    look: rx.Var[str],
) -> rx.Component:
    view = hook("view", "useFold", "fold", options)
    shown = rx.el.details(
        rx.el.summary(head, class_name="step-head", custom_attrs={"data-state": state}, special_props=[view["head"]]),
        # Hidden children would count as moved when the fold closes by itself.
        rx.cond(view["open"], rx.fragment(children)),
        class_name=look,
        special_props=[view["frame"]],
    )
    return rx.cond(bare, rx.el.div(children, class_name=look.to(str) + " single"), shown)


def thread(*messages: rx.Component, on_drawn: Shown = None, **options: Shown) -> rx.Component:
    """The column of messages. It scrolls to the newest line while the reader is at the bottom.

    Args:
        messages: Its content.
        on_drawn: The event that requests earlier messages after the others have been drawn.
        options: `chat`, `turn` and `whole` of `useThread`.
    """
    if on_drawn is None:
        return _thread(*messages, options=options)
    asks = rx.fragment(_asks(on_drawn=on_drawn), key=options["chat"])
    return _thread(*messages, rx.cond(~options["whole"], asks), options=options)


@rx.memo
def _asks(on_drawn: rx.EventHandler[rx.event.no_args_event_spec]) -> rx.Component:
    """Draws nothing, and raises the event when it is mounted."""
    return rx.fragment(on_mount=on_drawn)


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
    """Content that can also be shown in a large view at the side, in the element with the id `artifact`."""
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
