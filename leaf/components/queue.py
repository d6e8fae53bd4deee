"""The messages that wait above the composer."""

from typing import Any

import reflex as rx

from leaf.components.basics import Shown
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.live import LiveState
from leaf.state.queue import QueueState


def _rewrite_spec(queued: rx.Var[str], text: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return (queued, text)


class Queue(rx.Component):
    """The list: each message can be changed, taken back, and sent where nothing is being written.

    `status` is that of the last answer (`LiveState.status`).
    """

    library = "$/public/client/queue.js"
    tag = "Queue"

    waiting: rx.Var[Any]
    status: rx.Var[str]
    limit: rx.Var[int]
    on_rewrite: rx.EventHandler[_rewrite_spec]
    on_withdraw: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_release: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def queue() -> rx.Component:
    """What waits in the open chat; nothing where nothing does."""
    waiting: Shown = QueueState.waiting
    return rx.cond(
        (QueueState.chat == ChatState.chat_id) & (waiting.length() > 0),
        Queue.create(
            waiting=QueueState.waiting,
            status=LiveState.status,
            limit=MESSAGE_CHARACTERS,
            on_rewrite=QueueState.rewrite,
            on_withdraw=QueueState.withdraw,
            on_release=QueueState.release,
        ),
    )
