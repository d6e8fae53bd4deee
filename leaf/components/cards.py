"""Integration cards: not connected, connected, or in error."""

import reflex as rx

from leaf.components import doctor
from leaf.components.basics import Shown, button, confirmation, go, icon, match
from leaf.components.client import link
from leaf.components.texts import t
from leaf.services import integrations
from leaf.state.settings import SettingsState


def connection_problems() -> dict[str, Shown]:
    """The reasons why a connection was not made, by code."""
    return {
        "denied": t("settings.problem_denied"),
        "scope_missing": t("settings.problem_scope_missing"),
        "failed": t("settings.problem_failed"),
        "unavailable": t("settings.problem_unavailable"),
        "state": t("settings.problem_state"),
    }


def integration_cards() -> rx.Component:
    """A card for each kind of integration."""
    return rx.el.div(
        doctor.attempt(), rx.foreach(SettingsState.cards, _card), _dialog(), _stop_dialog(), class_name="cards"
    )


def _card(card: Shown) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            drive_mark(),
            rx.el.div(
                rx.el.h3(card.label),
                match(
                    card.state,
                    ("connected", rx.el.p(t("settings.connected"), class_name="state ok")),
                    ("none", rx.el.p(t("settings.not_connected"), class_name="state")),
                    rx.el.p(t("settings.attention"), class_name="state bad"),
                ),
            ),
            rx.el.div(_action(card), class_name="card-action"),
            class_name="card-head",
        ),
        rx.cond(
            card.state == "none",
            rx.el.p(card.enables, class_name="card-text"),
            rx.fragment(
                rx.cond(card.state != "connected", doctor.failure(card)),
                rx.cond(
                    (card.state == "error") & ~_connects_first(card),
                    rx.el.div(_reconnect(kind="secondary small"), class_name="card-text"),
                ),
                doctor.account(card),
                rx.cond(
                    card.state != "error",
                    rx.fragment(doctor.expiry(card), rx.cond(card.keeps, texts_kept(), _not_kept())),
                ),
            ),
        ),
        rx.cond(card.state != "none", doctor.check()),
        rx.el.ul(
            rx.el.li(icon("eye", 15), t("settings.point_read_only")),
            rx.el.li(icon("user-round", 15), t("settings.point_permissions")),
            rx.el.li(icon("unplug", 15), t("settings.point_disconnect")),
            class_name="card-points",
        ),
        class_name="card",
        key=card.provider,
        aria_label=card.label,
    )


def _action(card: Shown) -> rx.Component:
    """The button at the head of a card. If a lost connection needs another step first, the button is below instead."""
    connect, reconnect = t("settings.connect"), _reconnect(kind="primary")
    disconnect = button(t("settings.disconnect"), on_click=SettingsState.ask(card.provider))
    return match(
        card.state,
        ("connected", disconnect),
        ("trouble", rx.cond(_connects_first(card), reconnect, disconnect)),
        ("error", rx.cond(_connects_first(card), reconnect)),
        rx.cond(
            SettingsState.attempt_waits,
            go(connect, integrations.CONNECT_PATH, kind="secondary"),
            go(connect, integrations.CONNECT_PATH, kind="primary"),
        ),
    )


def _connects_first(card: Shown) -> Shown:
    return card.first_step == "connect"


def _reconnect(*, kind: str) -> rx.Component:
    return go(t("settings.reconnect"), integrations.CONNECT_PATH, kind=kind)


def texts_kept() -> rx.Component:
    """The note that texts are kept, with the button that stops it."""
    stop = button(t("settings.stop_keeping"), kind="secondary small", on_click=SettingsState.ask_stop(True))
    sentence = rx.cond(SettingsState.kept != "", SettingsState.kept, t("settings.keeps"))
    return rx.el.p(sentence, " ", stop, class_name="card-text")


def _not_kept() -> rx.Component:
    again = button(t("settings.keep"), kind="secondary small", once=True, on_click=SettingsState.keep_texts)
    return rx.el.p(t("settings.not_kept"), " ", again, class_name="card-text")


def connect_strip(card: Shown, following: str) -> rx.Component:
    """The offer to connect a service that is not connected, or to restore its connection.

    `following` is the path of the page that opens afterwards.
    """

    def strip(title: Shown, note: Shown, act: rx.Component) -> rx.Component:
        return rx.el.div(drive_mark(), rx.el.div(rx.el.strong(title), rx.el.p(note)), act, class_name="connect-strip")

    def connect(label: Shown) -> rx.Component:
        return go(label, integrations.CONNECT_PATH, kind="primary", next=following)

    service = card.label
    reason = rx.cond(card.reason != "", card.reason, t("settings.refused"))
    open_settings = link(t("chat.open_settings"), to="/settings/integrations", class_name="button secondary")
    first = strip(t("dashboard.connect", service=service), t("dashboard.connect_note"), connect(t("settings.connect")))
    again = strip(t("dashboard.connect_again", service=service), reason, connect(t("settings.reconnect")))
    trouble = strip(t("dashboard.trouble", service=service), reason, open_settings)
    failure = rx.cond(_connects_first(card), again, trouble)
    return match(card.state, ("none", first), ("error", failure), rx.fragment())


def drive_mark() -> rx.Component:
    return rx.el.span(icon("hard-drive", 20), class_name="card-mark")


def _dialog() -> rx.Component:
    return confirmation(
        t("settings.disconnect_title"),
        rx.el.p(t("settings.disconnect_text")),
        act=button(t("settings.disconnect"), kind="danger", once=True, on_click=SettingsState.disconnect),
        is_open=SettingsState.asked != "",
        on_close=SettingsState.ask(""),
    )


def _stop_dialog() -> rx.Component:
    return confirmation(
        t("settings.stop_keeping_title"),
        rx.el.p(t("settings.stop_keeping_text")),
        act=button(t("settings.stop_keeping"), kind="danger", once=True, on_click=SettingsState.stop_keeping),
        is_open=SettingsState.asks_stop,
        on_close=SettingsState.ask_stop(False),
    )
