"""Leaf's pages. `register` adds them all to the app."""

import json
from typing import Any

import reflex as rx

from leaf import texts
from leaf.components.shell import loading
from leaf.components.texts import t
from leaf.pages import (
    account,
    administration,
    chat,
    dashboard,
    guest,
    library,
    outside,
    projects,
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
from leaf.state.knowledge import KnowledgeState
from leaf.state.landing import LandingState
from leaf.state.library import LibraryState
from leaf.state.notices import on_backend_exception
from leaf.state.presence import PresenceState
from leaf.state.projects import ProjectState
from leaf.state.security import SecurityState
from leaf.state.settings import SettingsState
from leaf.state.share import ShareState
from leaf.state.site_agent import SiteAgentState
from leaf.state.site_usage import SiteUsageState
from leaf.state.sites import SitesState, SiteState
from leaf.state.transcript import TranscriptState
from leaf.state.usage import UsageState
from leaf.state.watches import WatchesState

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
    "/styles/charts.css",
    "/styles/findings.css",
    "/styles/comparisons.css",
    "/styles/asking.css",
    "/styles/files.css",
    "/styles/library.css",
    "/styles/projects.css",
    "/styles/landing.css",
    "/styles/pages.css",
    "/styles/usage.css",
    "/styles/account.css",
    "/styles/trust.css",
    "/styles/living.css",
    "/styles/sharing.css",
    "/styles/exchange.css",
    "/styles/print.css",
    "/styles/guest.css",
    "/styles/sites.css",
)


_HIDDEN_MS = 3000
"""Maximum time for which a page is hidden. If its script does not load, the page is then shown in the
language in which it was built."""

_HIDE_UNTRANSLATED = (
    f"var h=d.documentElement,a={json.dumps(texts.LANGUAGES)},"
    f"l=(/(?:^|; ){texts.COOKIE}=(\\w+)/.exec(d.cookie)||[])[1];"
    "if(!a.includes(l))l=(navigator.languages||[]).map(function(x){return x.slice(0,2).toLowerCase()})"
    ".find(function(x){return a.includes(x)});"
    f'if(l&&l!="{texts.DEFAULT}"){{h.dataset.untranslated="true";'
    f"setTimeout(function(){{delete h.dataset.untranslated}},{_HIDDEN_MS})}}"
)
"""Hides a page that was built in another language than the reader's, until its texts are replaced
(`assets/client/texts.js`)."""

BEFORE_PAINT = (
    "try{var d=document;"
    f"{_HIDE_UNTRANSLATED}"
    'd.documentElement.dataset.rail=localStorage.getItem("leaf:rail")||"false";'
    'd.documentElement.dataset.density=localStorage.getItem("leaf:density")||"comfortable";'
    'if(/Mac|iPhone|iPad/.test(navigator.platform))d.documentElement.dataset.keys="mac";'
    'd.cookie="leaf_zone="+Intl.DateTimeFormat().resolvedOptions().timeZone+";path=/;max-age=31536000;samesite=lax"'
    "}catch(e){}"
)
"""Runs before the first paint, so that the sidebar does not jump and the socket's handshake has the time zone."""


def register(app: rx.App) -> None:
    """Adds all pages, style sheets, the head and the error handler to the app.

    Args:
        app: An app that has none of these.
    """
    app.stylesheets = [*app.stylesheets, *STYLESHEETS]
    app.head_components = [*app.head_components, *_head()]
    app.html_lang = "en"
    app.toaster = None
    app.hydrate_fallback = loading
    app.backend_exception_handler = on_backend_exception
    # Removes the connection banner of Reflex. `leaf.components.shell` shows that a connection is lost.
    app.app_wraps = {key: wrap for key, wrap in app.app_wraps.items() if key[1] != "Overlay"}
    for route, title, page, *events in (*_pages(), *_settings()):
        app.add_page(
            page,
            route=route,
            title=title,
            description=t("landing.description") if route == "/" else None,
            on_load=events,
        )


def _head() -> list[rx.Component]:
    """The script before the first paint, the icon, and metadata for browsers."""
    return [
        rx.el.script(BEFORE_PAINT),
        rx.el.meta(
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
        ),
        rx.el.meta(name="theme-color", content="#fbfbf9", custom_attrs={"media": "(prefers-color-scheme: light)"}),
        rx.el.meta(name="theme-color", content="#151713", custom_attrs={"media": "(prefers-color-scheme: dark)"}),
        rx.el.meta(name="referrer", content="same-origin"),
        rx.el.link(rel="icon", href="/icon.svg", type="image/svg+xml"),
    ]


_Page = tuple[Any, ...]
"""The route of a page, its title, the function that builds it, and the events that load it."""


def _pages() -> list[_Page]:
    attend = PresenceState.attend
    agent = "/agents/[agent]"
    return [
        ("/", t("landing.page_title"), outside.home, LandingState.load),
        ("/dashboard", "Leaf", dashboard.dashboard, attend, SettingsState.load),
        ("/guest", t("guest.page_title"), guest.guest, GuestState.attend),
        ("/archived", t("sidebar.archived_page"), dashboard.archived, attend),
        ("/chat/[chat]", ChatState.page_title, chat.chat, attend, FeedbackState.load),
        ("/files", t("library.page_title"), library.files, attend, SettingsState.load, LibraryState.load),
        ("/files/[folder]", t("library.page_title"), library.files, attend, SettingsState.load, LibraryState.load),
        ("/projects/[project]", ProjectState.page_title, projects.project, attend, ProjectState.load),
        ("/usage", t("usage.page_title"), usage.usage, attend, UsageState.load),
        ("/admin", t("account.administration_title"), administration.administration, attend, AdministrationState.load),
        ("/feedback", t("account.feedback_title"), outside.feedback, FeedbackState.begin),
        ("/goodbye", t("account.goodbye_title"), outside.goodbye),
        ("404", t("common.missing_page_title"), outside.missing),
        ("/sites/[site]", t("sites.title"), sites.site, attend, SiteState.load),
        (agent, t("sites.title"), sites.agent, attend, SiteAgentState.load, KnowledgeState.load),
        (
            f"{agent}/conversations",
            t("sites.title"),
            sites.conversations,
            attend,
            ConversationsState.load,
            SiteUsageState.load,
        ),
        (f"{agent}/conversations/[chat]", t("sites.title"), sites.transcript, attend, TranscriptState.attend),
    ]


def _settings() -> list[_Page]:
    load, account_load = SettingsState.load, AccountState.load
    sections: tuple[tuple[Any, ...], ...] = (
        ("", account.profile, load, account_load),
        ("/answers", account.answers, load, account_load),
        ("/data", account.data, load, account_load),
        ("/integrations", settings.integrations, load, account_load),
        ("/appearance", settings.appearance, load, account_load),
        ("/import", settings.imports, ImportState.follow),
        ("/sessions", settings.sessions, load, SecurityState.load),
        ("/watched", settings.watched, load, WatchesState.load),
        ("/shared", settings.shared, ShareState.load_links),
        ("/keys", settings.keys, KeysState.load),
        ("/sites", sites.sites, SitesState.load),
    )
    title = t("settings.page_title")
    return [(f"/settings{path}", title, page, PresenceState.attend, *events) for path, page, *events in sections]
