"""Leaf's pages. `register` adds them all to the app."""

import reflex as rx

from leaf.components.head import head_components
from leaf.components.shell import loading
from leaf.components.texts import t
from leaf.pages import chat, dashboard, home, missing, settings, usage
from leaf.state.chat import ChatState
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
    "/styles/chat.css",
    "/styles/markdown.css",
    "/styles/steps.css",
    "/styles/displays.css",
    "/styles/asking.css",
    "/styles/files.css",
    "/styles/landing.css",
    "/styles/pages.css",
    "/styles/usage.css",
    "/styles/trust.css",
    "/styles/sharing.css",
)
DESCRIPTION = "Ask your own Google Drive, and get an answer that survives and can be checked."


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
    attend, load_settings = PresenceState.attend, SettingsState.load
    app.add_page(home.home, route="/", title="Leaf: ask your Drive", description=DESCRIPTION, on_load=LandingState.load)
    app.add_page(dashboard.dashboard, route="/dashboard", title="Leaf", on_load=[attend, load_settings])
    app.add_page(chat.chat, route="/chat/[chat]", title=ChatState.page_title, on_load=attend)
    for route, page in (
        ("/settings", settings.account),
        ("/settings/integrations", settings.integrations),
        ("/settings/sessions", settings.sessions),
        ("/settings/appearance", settings.appearance),
    ):
        app.add_page(page, route=route, title=t("settings.page_title"), on_load=[attend, load_settings])
    app.add_page(
        settings.shared,
        route="/settings/shared",
        title=t("settings.page_title"),
        on_load=[attend, ShareState.load_links],
    )
    app.add_page(usage.usage, route="/usage", title="Usage · Leaf", on_load=[attend, UsageState.load])
    app.add_page(missing.missing, route="404", title="Not found · Leaf")
