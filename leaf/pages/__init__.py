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
    home,
    missing,
    settings,
    usage,
)
from leaf.state.account import AccountState
from leaf.state.administration import AdministrationState
from leaf.state.chat import ChatState
from leaf.state.feedback import FeedbackState
from leaf.state.landing import LandingState
from leaf.state.notices import on_backend_exception
from leaf.state.presence import PresenceState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.usage import UsageState

STYLESHEETS = (
    "/styles/tokens.css",
    "/styles/base.css",
    "/styles/controls.css",
    "/styles/shell.css",
    "/styles/lists.css",
    "/styles/palette.css",
    "/styles/chat.css",
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
)


def register(app: rx.App) -> None:
    """Adds every page, the style sheets, the head and the error handler to the app.

    Args:
        app: It has none of these yet.
    """
    app.stylesheets = [*app.stylesheets, *STYLESHEETS]
    app.head_components = [*app.head_components, *head_components()]
    app.html_lang = "en"
    app.toaster = None
    app.hydrate_fallback = loading
    app.backend_exception_handler = on_backend_exception
    # The pages tell about a lost connection themselves (`leaf.components.shell`).
    app.app_wraps = {key: wrap for key, wrap in app.app_wraps.items() if key[1] != "Overlay"}
    attend, load_settings, load_account = PresenceState.attend, SettingsState.load, AccountState.load
    app.add_page(
        home.home,
        route="/",
        title=t("landing.page_title"),
        description=t("landing.description"),
        on_load=LandingState.load,
    )
    app.add_page(dashboard.dashboard, route="/dashboard", title="Leaf", on_load=[attend, load_settings])
    app.add_page(archived.archived, route="/archived", title=t("sidebar.archived_page"), on_load=attend)
    app.add_page(chat.chat, route="/chat/[chat]", title=ChatState.page_title, on_load=[attend, FeedbackState.load])
    for route, page in (
        ("/settings", account.profile),
        ("/settings/answers", account.answers),
        ("/settings/data", account.data),
        ("/settings/integrations", settings.integrations),
        ("/settings/sessions", settings.sessions),
        ("/settings/appearance", settings.appearance),
    ):
        app.add_page(page, route=route, title=t("settings.page_title"), on_load=[attend, load_settings, load_account])
    app.add_page(
        settings.shared,
        route="/settings/shared",
        title=t("settings.page_title"),
        on_load=[attend, ShareState.load_links],
    )
    app.add_page(usage.usage, route="/usage", title=t("usage.page_title"), on_load=[attend, UsageState.load])
    app.add_page(
        administration.administration,
        route="/admin",
        title=t("account.administration_title"),
        on_load=[attend, AdministrationState.load],
    )
    app.add_page(feedback.feedback, route="/feedback", title=t("account.feedback_title"), on_load=FeedbackState.begin)
    app.add_page(goodbye.goodbye, route="/goodbye", title=t("account.goodbye_title"))
    app.add_page(missing.missing, route="404", title=t("common.missing_page_title"))
