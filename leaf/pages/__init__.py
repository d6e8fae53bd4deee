"""Leaf's pages. `register` adds them all to the app."""

import reflex as rx

from leaf.components.head import head_components
from leaf.components.shell import loading
from leaf.components.texts import t
from leaf.pages import (
    account,
    administration,
    archived,
    chat,
    dashboard,
    feedback,
    goodbye,
    guest,
    home,
    not_found,
    settings,
    sites,
    usage,
)
from leaf.state.account import AccountState
from leaf.state.administration import AdministrationState
from leaf.state.chat import ChatState
from leaf.state.conversations import ConversationsState
from leaf.state.feedback import FeedbackState
from leaf.state.guest import GuestState
from leaf.state.imports import ImportState
from leaf.state.keys import KeysState
from leaf.state.landing import LandingState
from leaf.state.notices import on_backend_exception
from leaf.state.presence import PresenceState
from leaf.state.security import SecurityState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.site_agent import SiteAgentState
from leaf.state.site_usage import UsingState
from leaf.state.sites import SitesState
from leaf.state.transcript import TranscriptState
from leaf.state.usage import UsageState

STYLESHEETS = (
    "/styles/tokens.css",
    "/styles/base.css",
    "/styles/controls.css",
    "/styles/shell.css",
    "/styles/lists.css",
    "/styles/palette.css",
    "/styles/chat.css",
    "/styles/composing.css",
    "/styles/markdown.css",
    "/styles/steps.css",
    "/styles/displays.css",
    "/styles/asking.css",
    "/styles/files.css",
    "/styles/landing.css",
    "/styles/pages.css",
    "/styles/usage.css",
    "/styles/account.css",
    "/styles/trust.css",
    "/styles/sharing.css",
    "/styles/exchange.css",
    "/styles/print.css",
    "/styles/guest.css",
    "/styles/sites.css",
)


def register(app: rx.App) -> None:
    """Adds all pages, style sheets, head and error handler to the app.

    Args:
        app: An app without any of these.
    """
    app.stylesheets = [*app.stylesheets, *STYLESHEETS]
    app.head_components = [*app.head_components, *head_components()]
    app.html_lang = "en"
    app.toaster = None
    app.hydrate_fallback = loading
    app.backend_exception_handler = on_backend_exception
    # The pages tell about a lost connection themselves (`leaf.components.shell`).
    app.app_wraps = {key: wrap for key, wrap in app.app_wraps.items() if key[1] != "Overlay"}
    attend, load_settings = PresenceState.attend, SettingsState.load
    app.add_page(
        home.home,
        route="/",
        title=t("landing.page_title"),
        description=t("landing.description"),
        on_load=LandingState.load,
    )
    app.add_page(dashboard.dashboard, route="/dashboard", title="Leaf", on_load=[attend, load_settings])
    app.add_page(guest.guest, route="/guest", title=t("guest.page_title"), on_load=GuestState.attend)
    app.add_page(archived.archived, route="/archived", title=t("sidebar.archived_page"), on_load=attend)
    app.add_page(chat.chat, route="/chat/[chat]", title=ChatState.page_title, on_load=[attend, FeedbackState.load])
    _register_settings(app)
    app.add_page(usage.usage, route="/usage", title=t("usage.page_title"), on_load=[attend, UsageState.load])
    app.add_page(
        administration.administration,
        route="/admin",
        title=t("account.administration_title"),
        on_load=[attend, AdministrationState.load],
    )
    app.add_page(feedback.feedback, route="/feedback", title=t("account.feedback_title"), on_load=FeedbackState.begin)
    app.add_page(goodbye.goodbye, route="/goodbye", title=t("account.goodbye_title"))
    app.add_page(not_found.missing, route="404", title=t("common.missing_page_title"))


def _register_settings(app: rx.App) -> None:
    """Adds the sections of Settings."""
    attend, load_settings, load_account = PresenceState.attend, SettingsState.load, AccountState.load
    for route, page in (
        ("/settings", account.profile),
        ("/settings/answers", account.answers),
        ("/settings/data", account.data),
        ("/settings/integrations", settings.integrations),
        ("/settings/appearance", settings.appearance),
    ):
        app.add_page(page, route=route, title=t("settings.page_title"), on_load=[attend, load_settings, load_account])
    app.add_page(
        settings.imports,
        route="/settings/import",
        title=t("settings.page_title"),
        on_load=[attend, ImportState.follow],
    )
    app.add_page(
        settings.sessions,
        route="/settings/sessions",
        title=t("settings.page_title"),
        on_load=[attend, load_settings, SecurityState.load],
    )
    app.add_page(
        settings.shared,
        route="/settings/shared",
        title=t("settings.page_title"),
        on_load=[attend, ShareState.load_links],
    )
    app.add_page(
        settings.keys, route="/settings/keys", title=t("settings.page_title"), on_load=[attend, KeysState.load]
    )
    app.add_page(
        sites.sites, route="/settings/sites", title=t("settings.page_title"), on_load=[attend, SitesState.load]
    )
    app.add_page(sites.agent, route="/agents/[agent]", title=t("sites.title"), on_load=[attend, SiteAgentState.load])
    app.add_page(
        sites.conversations,
        route="/agents/[agent]/conversations",
        title=t("sites.title"),
        on_load=[attend, ConversationsState.load, UsingState.load],
    )
    app.add_page(
        sites.transcript,
        route="/agents/[agent]/conversations/[chat]",
        title=t("sites.title"),
        on_load=[attend, TranscriptState.attend],
    )
