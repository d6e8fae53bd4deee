"""The queued messages above the composer."""

from typing import Any

import reflex as rx

from leaf.components.basics import Shown, icon, icon_button, match_text
from leaf.components.editor import queued_editor
from leaf.components.texts import t
from leaf.state.chat import ChatState
from leaf.state.live import LiveState
from leaf.state.queue import QueueState


def queue() -> rx.Component:
    """The queued messages of the open chat. Each can be edited, removed, or sent if no answer is being written."""
    waiting: Shown = QueueState.waiting
    reason = match_text(
        LiveState.status,
        ("stopped", t("queue.stopped")),
        ("error", t("queue.failed")),
        ("waiting", t("queue.asks")),
        t("queue.waits"),
    )
    return rx.cond(
        (QueueState.chat == ChatState.chat_id) & (waiting.length() > 0),
        rx.el.section(
            rx.el.p(
                icon("clock", 14),
                rx.cond(LiveState.running, t("queue.running", count=waiting.length()), reason),
                role="status",
                class_name="queue-why",
            ),
            rx.el.ol(rx.foreach(waiting, _entry)),
            aria_label=t("queue.title"),
            class_name="queue",
        ),
    )


def _entry(one: Shown) -> rx.Component:
    def rewrite(text: Shown) -> Shown:
        return QueueState.rewrite(one.id, text)

    return rx.el.li(
        rx.cond(
            QueueState.editing == one.id,
            queued_editor(one.text, rewrite, QueueState.edit("")),
            _words(one),
        ),
        key=one.id,
        class_name="queued",
    )


def _words(one: Shown) -> rx.Component:
    def name(file: Shown, place: Shown) -> rx.Component:
        return rx.fragment(rx.cond(place > 0, ", ", ""), file.label)

    return rx.fragment(
        rx.el.div(
            rx.el.p(one.text, class_name="queued-text"),
            rx.cond(
                one.files.length() > 0,
                rx.el.p(
                    icon("paperclip", 12),
                    rx.foreach(one.files, name),
                    class_name="queued-note",
                ),
            ),
            rx.cond(one.problem != "", rx.el.p(t("queue.budget"), class_name="queued-note bad")),
            class_name="queued-words",
        ),
        rx.cond(
            ~LiveState.running,
            _act(t("queue.send_now"), "send-horizontal", once=True, on_click=QueueState.release(one.id)),
        ),
        _act(
            t("queue.edit"),
            "pencil",
            auto_focus=QueueState.edited == one.id,
            on_click=QueueState.edit(one.id),
        ),
        _act(t("queue.remove"), "x", once=True, on_click=QueueState.withdraw(one.id)),
    )


def _act(label: Shown, name: str, **props: Any) -> rx.Component:
    return icon_button(label, name, size=15, class_name="small", **props)
