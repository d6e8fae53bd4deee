"""The frame around every page of the app."""

import reflex as rx
from reflex_base.constants.state import FIELD_MARKER
from reflex_components_core.core.banner import has_connection_errors

from leaf.components.basics import Shown, banner, icon, icon_button, mark, needs_server, skip_link, spinner
from leaf.components.chatlists import chat_rows
from leaf.components.client import behaviour, drafts, language, live_text, offline
from leaf.components.notices import connection, notices
from leaf.components.palette import palette
from leaf.components.projects import project_dialogs
from leaf.components.shortcuts import shortcuts
from leaf.components.sidebar import sidebar, sidebar_toggle
from leaf.components.texts import t
from leaf.state import run_feed
from leaf.state.chat import ChatState
from leaf.state.language import LanguageState
from leaf.state.live import LiveState
from leaf.state.preferences import PreferencesState
from leaf.state.presence import PresenceState
from leaf.state.session import SessionState
from leaf.state.sidebar import SidebarState


def shell(header: rx.Component, *content: rx.Component, aside: rx.Component | None = None) -> rx.Component:
    """A page of the app with sidebar, header and content, and with a side panel if one is given."""
    is_interrupted: Shown = SessionState.missing_service != ""
    is_known: Shown = SessionState.email != ""
    return rx.el.div(
        skip_link(),
        sidebar(),
        rx.el.div(class_name="scrim", custom_attrs={"data-scrim": "true"}),
        rx.el.main(
            rx.el.header(
                sidebar_toggle(t("sidebar.open"), "menu", look="only-phone"),
                header,
                icon_button(
                    t("sidebar.new_chat"),
                    "square-pen",
                    class_name="only-phone",
                    on_click=SidebarState.new_chat,
                    custom_attrs={"data-new-chat": "true", **needs_server()},
                ),
                class_name="page-header",
            ),
            rx.cond(is_interrupted & is_known, _interruption()),
            rx.cond(is_interrupted & ~is_known, _unavailable(), rx.fragment(*content)),
            id="main",
            class_name="main",
            tab_index=-1,
        ),
        aside if aside is not None else rx.fragment(),
        chat_rows(),
        palette(),
        project_dialogs(),
        drafts(person=SessionState.member_id, deleted=SidebarState.deleted, stranger=False),
        offline(
            person=SessionState.member_id,
            lost=has_connection_errors,
            chat=ChatState.get_full_name(),
            live=LiveState.get_full_name(),
            session=SessionState.get_full_name(),
            marker=FIELD_MARKER,
        ),
        overlay(),
        class_name="app",
    )


def overlay() -> rx.Component:
    """The layer above a page: notices, the note of a lost connection, and the live region for screen readers."""
    return rx.fragment(
        connection(),
        notices(),
        rx.el.div(
            LiveState.spoken, role="status", custom_attrs={"aria-live": "polite"}, class_name="unseen", id="live-region"
        ),
        live_text(id=run_feed.SINK, on_gap=PresenceState.write_again),
        behaviour(shortcuts=shortcuts(), density=PreferencesState.density),
        language(chosen=LanguageState.chosen),
    )


def _interruption() -> rx.Component:
    """A banner for a service that cannot be reached. The content of the page stays."""
    return rx.el.div(
        banner("warning", "cloud-off", SessionState.missing_service, " ", t("common.trying_again")),
        class_name="interruption",
    )


def _unavailable() -> rx.Component:
    return rx.el.div(
        icon("cloud-off", 28),
        rx.el.h1(t("common.out_of_reach")),
        rx.el.p(SessionState.missing_service),
        rx.el.p(spinner(), t("common.trying_again"), class_name="quiet-line"),
        class_name="centred",
        role="status",
    )


def loading() -> rx.Component:
    """The placeholder while the script of a page loads, for pages that were not built in advance, such as a chat."""
    return rx.el.div(rx.el.div(class_name="loading-side"), mark(36), class_name="loading")
