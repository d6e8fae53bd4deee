"""Settings: integrations, sessions, API keys, shared links, watched questions, imports and appearance."""

import reflex as rx
from reflex.style import set_color_mode

from leaf import texts
from leaf.components import exchange, forms
from leaf.components.basics import Shown, button, icon
from leaf.components.cards import connection_problems, integration_cards
from leaf.components.keys import key_list, made_key, new_key
from leaf.components.notices import outcome
from leaf.components.sections import section
from leaf.components.security import own_events
from leaf.components.share import shared_links
from leaf.components.sidebar import THEMES, theme_is, theme_names
from leaf.components.texts import ago, t
from leaf.components.watches import PATH as WATCHED
from leaf.components.watches import mail_choice, watch_list
from leaf.state.language import LanguageState
from leaf.state.preferences import PreferencesState
from leaf.state.security import SecurityState
from leaf.state.settings import SettingsState
from leaf.state.watches import WatchesState


def integrations() -> rx.Component:
    """The services that the member has connected."""
    return section(
        "/settings/integrations",
        outcome(connection_problems(), otherwise="", on_connected=SettingsState.confirm),
        integration_cards(),
    )


def sessions() -> rx.Component:
    """The browsers in which the member is signed in."""
    listed: Shown = SettingsState.sessions
    return section(
        "/settings/sessions",
        rx.el.p(t("settings.sessions_lead"), class_name="lead"),
        rx.el.ul(rx.foreach(listed, _session), class_name="session-list"),
        rx.cond(
            listed.length() > 1,
            rx.el.div(button(t("account.end_others"), kind="danger", once=True, on_click=SettingsState.revoke_others)),
        ),
        own_events(SecurityState.events),
    )


def _session(row: Shown) -> rx.Component:
    return rx.el.li(
        icon("monitor-smartphone", 18),
        rx.el.div(rx.el.strong(row.device), rx.el.p(ago(row.seen))),
        rx.cond(
            row.current,
            rx.el.span(t("settings.this_browser"), class_name="tag"),
            button(
                t("common.sign_out"),
                once=True,
                on_click=SettingsState.revoke(row.id),
                aria_label=t("settings.sign_out_device", device=row.device),
            ),
        ),
        key=row.id,
    )


def keys() -> rx.Component:
    """The API keys of the member's programs."""
    return section("/settings/keys", rx.el.p(t("keys.lead"), class_name="lead"), made_key(), key_list(), new_key())


def shared() -> rx.Component:
    """The links that the member shares."""
    return section("/settings/shared", rx.el.p(t("sharing.links_lead"), class_name="lead"), shared_links())


def watched() -> rx.Component:
    """The member's watched questions."""
    return section(WATCHED, rx.el.p(t("watches.page_lead"), class_name="lead"), watch_list(), mail_choice())


def imports() -> rx.Component:
    """The import of chats from files."""
    return section("/settings/import", exchange.imports())


def density_choice() -> rx.Component:
    """A choice of page density, comfortable or compact, which the browser stores."""
    density: Shown = PreferencesState.density
    return forms.select(
        {"comfortable": t("account.comfortable"), "compact": t("account.compact")},
        id="density",
        value=rx.cond(density != "", density, "comfortable"),
        on_change=PreferencesState.choose_density,
    )


def language_choice() -> rx.Component:
    """A choice of language, which the browser stores and sends to the server."""
    known: Shown = rx.Var.create(list(texts.LANGUAGES))
    events: Shown = [LanguageState.choose, SettingsState.load, WatchesState.load]
    return rx.el.select(
        rx.el.option(t("settings.language_auto"), value="auto"),
        *(rx.el.option(name, value=value, lang=value) for value, name in texts.NAMES.items()),
        id="language",
        class_name="field",
        value=rx.cond(known.contains(LanguageState.chosen), LanguageState.chosen, "auto"),
        on_change=events,
    )


def appearance() -> rx.Component:
    """The choices of theme, density and language."""
    names = theme_names()
    return section(
        "/settings/appearance",
        rx.el.div(
            *(
                rx.el.button(
                    rx.el.span(class_name=f"swatch {mode}"),
                    rx.el.span(icon(name, 16), names[mode]),
                    type="button",
                    role="radio",
                    class_name="theme-choice",
                    custom_attrs={"aria-checked": theme_is(mode)},
                    on_click=set_color_mode(mode),
                )
                for mode, name in THEMES.items()
            ),
            role="radiogroup",
            aria_label=t("settings.theme"),
            class_name="theme-choices",
        ),
        forms.field(
            t("account.density"), density_choice(), of="density", note=t("account.density_note"), class_name="setting"
        ),
        forms.field(
            t("settings.language"),
            language_choice(),
            of="language",
            note=t("settings.language_note"),
            class_name="setting",
        ),
    )
