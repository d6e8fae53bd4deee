"""The text box that edits a question or a queued message."""

from typing import Any

import reflex as rx

from leaf.components.basics import Shown, icon_button
from leaf.components.client import plain_form
from leaf.components.composer import chips, choice_list, drive_names
from leaf.components.hooks import handler, hook
from leaf.components.texts import t
from leaf.state.chat import MESSAGE_CHARACTERS


def queued_editor(text: Shown, on_send: Shown, on_cancel: Shown) -> rx.Component:
    """The editor of a queued message."""
    options = {
        "text": text,
        "limit": MESSAGE_CHARACTERS,
        "onSend": handler(on_send, str),
        "onCancel": handler(on_cancel),
    }
    return _editor(options=options, label=t("queue.message"), save=t("common.save"), kind="queued-edit", name="")


@rx.memo
def _editor(
    options: rx.Var[dict[str, Any]], label: rx.Var[str], save: rx.Var[str], kind: rx.Var[str], name: rx.Var[str]
) -> rx.Component:
    view = hook("view", "useEditor", "editor", options, drive_names())
    return plain_form(
        chips(items=view["chips"]),
        rx.el.textarea(class_name="field", aria_label=label, special_props=[view["area"]]),
        choice_list(choices=view["list"]),
        rx.el.div(
            rx.el.p(view["hint"], class_name="small-note", role="alert"),
            rx.el.button(
                t("common.cancel"),
                type="button",
                class_name="button secondary small",
                custom_attrs={"onClick": view["cancel"]},
            ),
            rx.el.button(
                save,
                type="submit",
                class_name="button primary small",
                aria_busy=view["busy"],
                custom_attrs={"aria-disabled": view["busy"]},
            ),
            class_name="edit-row",
        ),
        aria_label=name,
        class_name=kind,
        special_props=[view["form"]],
    )


def question(bubble: rx.Component, actions: rx.Component, on_edit: Shown, **options: Shown) -> rx.Component:
    """A question. It shows the bubble and actions, or the editor.

    Args:
        bubble: The question.
        actions: The buttons below it.
        on_edit: Receives the new text and the newly mentioned files.
        options: The options of `useQuestion`, and `own`, which says whether the reader asked the question and may edit
            it.
    """
    own = options.pop("own")
    further = {"limit": MESSAGE_CHARACTERS, "onEdit": handler(on_edit, str, dict[str, Any])}
    return _question(bubble, actions=actions, own=own, options={**options, **further})


@rx.memo
def _question(
    children: rx.Var[rx.Component],
    actions: rx.Var[rx.Component],
    own: rx.Var[bool],
    options: rx.Var[dict[str, Any]],
) -> rx.Component:
    view = hook("view", "useQuestion", "editor", options)
    return rx.cond(
        view["editor"],
        _editor(
            options=view["editor"].to(dict[str, Any]),
            label=t("versions.your_message"),
            save=t("display.send"),
            kind="edit",
            name=t("versions.edit_form"),
        ),
        rx.fragment(
            children,
            rx.el.div(
                actions,
                rx.cond(
                    own,
                    icon_button(
                        t("versions.edit"),
                        "pencil",
                        size=15,
                        class_name="small",
                        custom_attrs={"data-keeps-place": "true"},
                        special_props=[view["edit"]],
                    ),
                ),
                class_name="actions",
                custom_attrs={"ref": view["row"]},
            ),
        ),
    )
