"""The chat of a guest."""

import reflex as rx

from leaf.components.basics import Shown, go, icon, match
from leaf.components.composer import composer
from leaf.components.containers import thread
from leaf.components.guest import guest_shell, not_kept
from leaf.components.message import guests_message, history, live_message
from leaf.components.panel import sources_panel
from leaf.components.texts import t
from leaf.state.chat import GUEST, ChatState
from leaf.state.details import DetailsState
from leaf.state.guest import GuestState
from leaf.state.live import LiveState


def guest() -> rx.Component:
    """The page where guests chat."""
    return guest_shell(
        match(ChatState.phase, ("missing", _gone()), rx.fragment(_conversation(), _composer())),
        aside=rx.fragment(
            rx.cond(DetailsState.panel, sources_panel()),
            rx.el.div(id="artifact", class_name="artifact-place"),
        ),
    )


def _conversation() -> rx.Component:
    empty = (ChatState.phase == "ready") & (ChatState.turn == "") & (LiveState.message_id == "")
    rows: Shown = ChatState.history
    return thread(
        rx.cond(
            empty,
            rx.el.div(
                rx.el.h2(t("guest.welcome_title"), class_name="welcome-title"),
                rx.el.p(t("guest.welcome_text"), class_name="welcome-text"),
                rx.el.p(t("guest.allowed", count=GuestState.questions), class_name="welcome-text"),
                class_name="welcome",
            ),
        ),
        history(rows[: ChatState.kept], guest=True),
        rx.foreach(ChatState.later, guests_message),
        live_message(guest=True),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
    )


def _composer() -> rx.Component:
    dock = rx.el.div(
        not_kept(),
        composer(
            shown=GUEST,
            running=LiveState.running,
            on_send=ChatState.send,
            on_stop=ChatState.stop(LiveState.run_id),
            guest=True,
        ),
        rx.el.p(t("chat.can_be_wrong"), class_name="fine-print"),
        class_name="composer-dock",
    )
    return rx.el.div(dock, class_name="composer-frame")


def _gone() -> rx.Component:
    return rx.el.div(
        icon("message-square-dashed", 28),
        rx.el.h2(t("guest.gone_title")),
        rx.el.p(t("guest.gone_text")),
        go(t("guest.again"), "/auth/guest", kind="secondary"),
        class_name="centred",
    )
