"""Notes on changed sources: the lines under an answer, the button in the chat's header, and their dialogs."""

import reflex as rx

from leaf.components.basics import Shown, button, icon, outer_link
from leaf.components.controls import modal
from leaf.components.diffs import diff
from leaf.components.texts import t
from leaf.state.branches import BranchState
from leaf.state.change_dialogs import ChangeDialogState
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState


def changed_sources(message_id: Shown) -> rx.Component:
    """The line under an answer whose sources have changed, with buttons to compare and to ask again."""
    living: Shown = ChatState.living
    return rx.cond(
        living.contains(message_id),
        rx.el.div(
            icon("history", 15),
            rx.el.span(living[message_id]),
            button(t("living.compare"), kind="secondary small", on_click=ChangeDialogState.compare(message_id)),
            button(
                t("living.ask_again"),
                kind="secondary small",
                once=True,
                on_click=BranchState.regenerate(message_id, ""),
            ),
            role="group",
            aria_label=living[message_id],
            class_name="living",
        ),
    )


def edited_cells(message_id: Shown, run_id: Shown) -> rx.Component:
    """The line under an answer with a computation that was edited by hand or depends on an edited one."""
    edited: Shown = ChatState.edited
    return rx.cond(
        edited.contains(message_id),
        rx.el.div(
            icon("pencil", 15),
            rx.el.span(edited[message_id]),
            button(
                t("living.show"),
                kind="secondary small",
                on_click=DetailsState.open_sources(run_id),
                custom_attrs={"data-opens-panel": "true"},
            ),
            role="group",
            aria_label=edited[message_id],
            class_name="living",
        ),
    )


def header_line() -> rx.Component:
    """The button in the header of a chat whose sources have changed."""
    return rx.cond(
        ChatState.sources_line != "",
        rx.el.button(
            icon("history", 17),
            rx.el.span(ChatState.sources_line),
            type="button",
            title=ChatState.sources_line,
            aria_label=ChatState.sources_line,
            class_name="text-button header-button living-head",
            on_click=ChangeDialogState.compare(""),
        ),
    )


def dialogs() -> rx.Component:
    """The dialogs that compare sources and answers. The page of a chat has them once."""
    moved: Shown = ChangeDialogState.moved
    lines: Shown = ChangeDialogState.lines
    again = button(
        t("living.ask_again"),
        kind="primary",
        on_click=[BranchState.regenerate(ChangeDialogState.message_id, ""), ChangeDialogState.close],
    )
    return rx.fragment(
        modal(
            rx.el.h2(t("living.title")),
            rx.cond(
                moved.length() > 0,
                rx.el.ul(rx.foreach(moved, _moved), class_name="moved-list"),
                rx.el.p(t("living.nothing")),
            ),
            rx.el.div(
                button(t("common.close"), on_click=ChangeDialogState.close),
                rx.cond((ChangeDialogState.message_id != "") & (moved.length() > 0), again),
                class_name="modal-row",
            ),
            open=ChangeDialogState.shown == "sources",
            label=t("living.title"),
            on_close=ChangeDialogState.close,
        ),
        modal(
            rx.el.h2(t("living.answers")),
            rx.cond(lines.length() > 0, diff(ChangeDialogState.lines), rx.el.p(t("living.same"))),
            rx.el.div(button(t("common.close"), on_click=ChangeDialogState.close), class_name="modal-row"),
            open=ChangeDialogState.shown == "answers",
            label=t("living.answers"),
            on_close=ChangeDialogState.close,
        ),
    )


def _moved(one: Shown) -> rx.Component:
    def side(label: Shown, *words: rx.Component | Shown) -> rx.Component:
        return rx.el.div(rx.el.h3(label, class_name="excerpt-part"), *words, class_name="moved-side")

    def passage(before: Shown, words: rx.Component, after: Shown) -> rx.Component:
        around = (rx.cond(before != "", rx.el.span(before, " ")), words, rx.cond(after != "", rx.el.span(" ", after)))
        return rx.el.blockquote(*around, class_name="passage")

    return rx.el.li(
        rx.el.div(
            rx.cond(one.url != "", outer_link(one.name, url=one.url, class_name="source-name"), rx.el.span(one.name)),
            rx.cond(one.place != "", rx.el.span(one.place, class_name="excerpt-part")),
            class_name="source-head",
        ),
        rx.cond(
            one.was.length() > 0,
            rx.el.div(
                side(t("living.was"), passage(one.before_was, _words(one.was, rx.el.del_), one.after_was)),
                side(
                    t("living.now"),
                    rx.cond(
                        one.now.length() > 0,
                        passage(one.before_now, _words(one.now, rx.el.ins), one.after_now),
                        rx.el.p(one.note),
                    ),
                ),
                class_name="moved-sides",
            ),
            rx.el.p(one.note),
        ),
        class_name="moved-one",
    )


def _words(pieces: Shown, element: Shown) -> rx.Component:
    """A passage in pieces. Words that the other side lacks are drawn as `element`."""

    def draw(piece: Shown) -> rx.Component:
        return rx.cond(piece.marked, element(piece.text), rx.el.span(piece.text))

    return rx.fragment(rx.foreach(pieces, draw))
