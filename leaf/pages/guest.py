"""The chat of a guest."""

import reflex as rx

from leaf import audiences
from leaf.components.basics import Shown, go, icon, match
from leaf.components.client import thread
from leaf.components.guest import guest_shell, not_kept
from leaf.components.message import guests_message, history, live_message
from leaf.components.panel import sources_panel
from leaf.components.texts import t
from leaf.pages.chat import dock
from leaf.state.chat import ONLY_CHAT, ChatState
from leaf.state.details import DetailsState
from leaf.state.guest import GuestState
from leaf.state.live import LiveState


def guest() -> rx.Component:
    """The page where guests chat."""
    return guest_shell(
        match(
            ChatState.phase,
            ("missing", _gone()),
            rx.fragment(_conversation(), dock(not_kept(), chat=ONLY_CHAT, person=ONLY_CHAT, audience=audiences.GUEST)),
        ),
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
        history(rows[: ChatState.kept], audience=audiences.GUEST),
        rx.foreach(ChatState.later, guests_message),
        live_message(audience=audiences.GUEST),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
    )


def _gone() -> rx.Component:
    return rx.el.div(
        icon("message-square-dashed", 28),
        rx.el.h2(t("guest.gone_title")),
        rx.el.p(t("guest.gone_text")),
        go(t("guest.again"), "/auth/guest", kind="secondary"),
        class_name="centred",
    )
