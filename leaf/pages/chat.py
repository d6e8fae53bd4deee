"""The page of a chat."""

from typing import Any

import reflex as rx

from leaf.components import doctor
from leaf.components.basics import Shown, banner, bones, centred, go, match
from leaf.components.cards import connection_problems
from leaf.components.chat_header import chat_header
from leaf.components.client import link
from leaf.components.composer import composer, left_draft
from leaf.components.containers import thread
from leaf.components.exchange import imported_note
from leaf.components.files import files_panel
from leaf.components.message import earlier, history, later, live_message
from leaf.components.notices import outcome
from leaf.components.panel import sources_panel
from leaf.components.queue import queue
from leaf.components.scope import scope_chips
from leaf.components.shell import shell
from leaf.components.suggestions import suggestions
from leaf.components.texts import t
from leaf.services.integrations import CONNECT_PATH
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.live import LiveState
from leaf.state.presence import PresenceState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState


def chat() -> rx.Component:
    return shell(
        match(
            ChatState.phase,
            ("missing", rx.el.div(class_name="title-row")),
            ("unseen", rx.el.div(class_name="title-row")),
            chat_header(),
        ),
        match(
            ChatState.phase,
            ("missing", _missing()),
            ("unseen", centred("cloud-off", t("chat.unseen_title"), rx.el.p(t("chat.unseen_text")))),
            rx.fragment(
                _conversation(),
                dock(
                    outcome(connection_problems(), otherwise="", on_connected=SettingsState.confirm),
                    _drive_banner(is_empty()),
                    _size_banner(),
                    queue(),
                    scope_chips(),
                    chat=ChatState.chat_id,
                ),
            ),
        ),
        aside=rx.fragment(
            rx.cond(DetailsState.panel, sources_panel(), files_panel()),
            rx.el.div(id="artifact", class_name="artifact-place"),
        ),
    )


def _conversation() -> rx.Component:
    rows: Shown = ChatState.history
    return thread(
        rx.cond(ChatState.phase == "loading", bones("38%", "92%", "84%", "64%", class_name="skeleton")),
        rx.cond(is_empty(), _welcome()),
        imported_note(),
        earlier(),
        # The messages on the visible branch.
        history(rows[: ChatState.kept]),
        later(),
        live_message(),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
        whole=ChatState.awaited == 0,
        on_drawn=PresenceState.fill,
    )


def is_empty() -> Shown:
    """Whether the open chat has no messages."""
    return (ChatState.phase == "ready") & (ChatState.turn == "") & (LiveState.message_id == "")


def _welcome() -> rx.Component:
    scope: Shown = ChatState.scope
    # Suggestions name files of the whole Drive, which the scope of a chat may leave out.
    suggested = suggestions(lambda text: ChatState.send(ChatState.chat_id, text))
    return rx.el.div(
        rx.el.h2(t("chat.welcome_title"), class_name="welcome-title"),
        rx.el.p(t("chat.welcome_text"), class_name="welcome-text"),
        match(
            SettingsState.drive,
            ("connected", rx.cond(scope.length() > 0, rx.fragment(), suggested)),
            ("none", _connect(t("settings.connect"))),
            # The banner states the reason and has the button.
            rx.fragment(),
        ),
        class_name="welcome",
    )


def dock(*above: rx.Component, chat: Shown, **props: Any) -> rx.Component:
    """The composer at the bottom of a chat page, below the components `above`; `props` are passed to `composer`."""
    stop = ChatState.stop(LiveState.run_id)
    writes = composer(shown=chat, running=LiveState.running, on_send=ChatState.send, on_stop=stop, **props)
    note = rx.el.p(t("chat.can_be_wrong"), class_name="fine-print")
    return rx.el.div(rx.el.div(*above, writes, note, class_name="composer-dock"), class_name="composer-frame")


def _connect(label: Shown) -> rx.Component:
    """A button that connects Drive and then returns to the chat."""
    return go(label, CONNECT_PATH, kind="primary small", next="/chat/" + ChatState.chat_id)


def _size_banner() -> rx.Component:
    """A warning above the composer, shown before a chat is too large for more questions."""
    full: Shown = ChatState.nearly_full
    title = rx.el.strong(t("chat.nearly_full_title", percent=full))
    return rx.cond(full > 0, banner("warning", "archive", title, " ", t("chat.nearly_full_text")))


def _drive_banner(empty: Shown) -> rx.Component:
    """A problem with Drive, shown above the composer of a chat that has used Drive or is `empty`."""

    def banner_with_connect(icon_name: str, title: Shown, text: Shown, label: Shown, *below: Shown) -> rx.Component:
        words = rx.el.span(rx.el.strong(title), " ", text)
        return banner("warning", icon_name, words, _connect(label), *below)

    why: Shown = rx.cond(SettingsState.drive_reason != "", SettingsState.drive_reason, t("chat.refused_text"))
    is_first = SettingsState.drive_first == "forward"
    forward = rx.cond(
        SettingsState.drive_forward != "", doctor.forwarded(SettingsState.drive_forward, is_first=is_first)
    )
    open_settings = link(t("chat.open_settings"), to="/settings/integrations")
    unconnected = banner_with_connect(
        "plug", t("chat.unconnected_title"), t("chat.unconnected_text"), t("settings.connect")
    )
    title = rx.el.strong(t("chat.disconnected_title"))
    disconnected = banner("warning", "unplug", title, " ", t("chat.disconnected_text"), " ", open_settings)
    refused = banner_with_connect("triangle-alert", t("chat.refused_title"), why, t("settings.reconnect"), forward)
    words = rx.el.span(rx.el.strong(t("chat.trouble_title")), " ", why, " ")
    trouble = banner("warning", "triangle-alert", words, open_settings, forward)
    has_failed = (SettingsState.drive == "trouble") | (SettingsState.drive == "error")
    failure = rx.cond(
        # An empty chat shows it too. Otherwise its first search would fail without warning.
        (ChatState.used_drive | empty) & has_failed,
        rx.cond(SettingsState.drive_first == "connect", refused, trouble),
    )
    return match(ChatState.drive, ("unconnected", unconnected), ("disconnected", disconnected), failure)


def _missing() -> rx.Component:
    return centred(
        "message-square-dashed",
        t("chat.missing_title"),
        rx.el.p(t("chat.missing_text")),
        left_draft(person=SessionState.member_id, chat=ChatState.chat_id),
        link(t("chat.all_chats"), to="/dashboard", class_name="button secondary"),
    )
